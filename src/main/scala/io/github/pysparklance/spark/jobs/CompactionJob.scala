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
    val options = restricted(on.table, request)
    val remapper = IndexRemapper.of(
      new ScalarRemapper(on.table, IndexBuild.merging(on)),
      new VectorRemapper(on.table, VectorBuild.merging(on))
    )
    val compaction = new Compaction(on.table, remapper)
    val uris = on.blobUris
    val zoned = Some(ZonedColumns.ofRewrite(on.table, on.zoneMaps)).filterNot(_.isEmpty)
    val tasks =
      compaction.plan(options).tasks.map(_.allowing(uris).copy(summaries = zoned))
    val parts = partition(tasks, request.partialCommits)
    // Zone maps are updated after the last part. Earlier updates would conflict with the parts that
    // follow.
    var zones = IndexedSeq.empty[FragmentZones]
    parts.zipWithIndex.foldLeft(CompactionOutcome(on.table, CompactionMetrics())) {
      case (done, (part, i)) =>
        val of = if (parts.length == 1) "" else s", part ${i + 1} of ${parts.length}"
        val results = write(on, part, of)
        zones ++= results.flatMap(_.summaries).collect { case z: FragmentZones => z }
        val isLast = i == parts.length - 1
        val files =
          TaskFiles(
            results.flatMap(_.newFragments),
            zones = if (isLast) zones else IndexedSeq.empty
          )
        val table = on.commit().change(files)(compaction.commit(results, options))
        CompactionOutcome(table, results.map(_.metrics).foldLeft(done.metrics)(_ + _))
    }
  }

  /** Excludes the fragments that the request does not select. */
  private def restricted(table: LanceTable, request: CompactionRequest): CompactionOptions =
    request.fragments.fold(request.options) { wanted =>
      val others = table.fragments.map(_.id).filterNot(wanted)
      request.options.copy(excludedFragmentIds = request.options.excludedFragmentIds ++ others)
    }

  private def partition(
      tasks: IndexedSeq[CompactionTask],
      most: Int
  ): IndexedSeq[IndexedSeq[CompactionTask]] =
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
