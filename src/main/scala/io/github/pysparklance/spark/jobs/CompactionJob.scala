// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{LongType, StructType}

import io.github.pysparklance.index.ScalarRemapper
import io.github.pysparklance.index.vector.build.VectorRemapper
import io.github.pysparklance.index.zones.{FragmentZones, ZonedColumns}
import io.github.pysparklance.spark.commit.TaskFiles
import io.github.pysparklance.spark.common.{LanceErrors, SparkTasks}
import io.github.pysparklance.table.maintenance.{
  Compaction,
  CompactionMetrics,
  CompactionOptions,
  CompactionResult,
  CompactionTask,
  IndexRemapper
}
import io.github.pysparklance.table.{LanceTable, UncommittedFiles}

/** Compacts a table. Each part of the plan is a task of a Spark job. The driver commits. */
private[spark] object CompactionJob {

  /** Runs a compaction.
    *
    * @throws org.apache.spark.sql.AnalysisException if a concurrent commit changed the same
    *   fragments (the cause is a `CommitConflictException`), or if the table cannot be compacted.
    *   Parts that were committed before stay
    */
  def run(on: JobTable, request: CompactionRequest): CompactionOutcome = LanceErrors.translated {
    val fragments = request.fragments.getOrElse(on.table.fragments.map(_.id).toSet)
    val zoned = Some(ZonedColumns.ofRewrite(on.table, on.zoneMaps)).filterNot(_.isEmpty)
    val whole = new Part(on, request.options, fragments, zoned)
    val parts = partition(whole.tasks.map(_.sources.map(_.fragment.id)), request.partialCommits)
    // Zone maps are updated after the last part. Earlier updates would conflict with the parts that
    // follow.
    var zones = IndexedSeq.empty[FragmentZones]
    parts.zipWithIndex.foldLeft(CompactionOutcome(on.table, CompactionMetrics())) {
      case (done, (sources, i)) =>
        val of = if (parts.length == 1) "" else s", part ${i + 1} of ${parts.length}"
        // Each part rebuilds indices that the previous part has rebuilt, so it uses its version.
        val base = on.copy(table = done.table)
        val part =
          if (parts.length == 1) whole
          else new Part(base, request.options, sources.flatten.toSet, zoned)
        val results = write(base, part.tasks, of)
        zones ++= results.flatMap(_.summaries).collect { case z: FragmentZones => z }
        val isLast = i == parts.length - 1
        val files =
          TaskFiles(
            results.flatMap(_.newFragments),
            zones = if (isLast) zones else IndexedSeq.empty
          )
        val committed = base.commit().change(files)(part.commit(results))
        CompactionOutcome(committed, results.map(_.metrics).foldLeft(done.metrics)(_ + _))
    }
  }

  /** The compaction of some fragments of a version. */
  final private class Part(
      on: JobTable,
      requested: CompactionOptions,
      fragments: Set[Long],
      zoned: Option[ZonedColumns]
  ) {
    private val options = {
      val others = on.table.fragments.map(_.id).filterNot(fragments)
      requested.copy(excludedFragmentIds = requested.excludedFragmentIds ++ others)
    }
    private val compaction = new Compaction(
      on.table,
      IndexRemapper.of(
        new ScalarRemapper(on.table, IndexBuild.merging(on)),
        new VectorRemapper(on.table, VectorBuild.merging(on))
      )
    )

    lazy val tasks: IndexedSeq[CompactionTask] = {
      val uris = on.blobUris
      compaction.plan(options).tasks.map(_.allowing(uris).copy(summaries = zoned))
    }

    def commit(results: Seq[CompactionResult]): LanceTable = compaction.commit(results, options)
  }

  private def partition(
      tasks: IndexedSeq[IndexedSeq[Long]],
      most: Int
  ): IndexedSeq[IndexedSeq[IndexedSeq[Long]]] =
    if (tasks.isEmpty) IndexedSeq.empty
    else tasks.grouped((tasks.length + most - 1) / most).toIndexedSeq

  private def write(
      on: JobTable,
      tasks: IndexedSeq[CompactionTask],
      of: String
  ): IndexedSeq[CompactionResult] = {
    val (store, path) = (on.taskStore, on.table.path)
    val sources = tasks.map(_.sources.length).sum
    SparkTasks.run(on.session, s"compacting $sources fragments of $path$of", tasks)(
      _.run(store)
    )(result => UncommittedFiles.remove(store, path, result.newFragments))
  }
}

/** The result of a compaction.
  *
  * @param table the latest version that it created, or its base if nothing was compacted
  */
final private[spark] case class CompactionOutcome(table: LanceTable, metrics: CompactionMetrics)
    extends JobResult {
  def schema: StructType = CompactionOutcome.schema

  def row: Row = Row(
    metrics.fragmentsRemoved,
    metrics.fragmentsAdded,
    metrics.filesRemoved,
    metrics.filesAdded
  )
}

/** The schema of the result. */
private[spark] object CompactionOutcome {
  val schema: StructType = new StructType()
    .add("fragments_removed", LongType, nullable = false)
    .add("fragments_added", LongType, nullable = false)
    .add("files_removed", LongType, nullable = false)
    .add("files_added", LongType, nullable = false)
}
