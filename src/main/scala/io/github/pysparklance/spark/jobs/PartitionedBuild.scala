// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.util.UUID

import org.apache.spark.TaskContext

import io.github.pysparklance.core.Parse
import io.github.pysparklance.index.spi._
import io.github.pysparklance.index.{IndexDefinition, IndexedFragments}
import io.github.pysparklance.spark.common.SparkTasks
import io.github.pysparklance.table.UncommittedFiles

/** Writes segments of independent partitions in Spark tasks.
  *
  * {{{
  *   read fragments -> partitions of these fragments, in the folder of the segment
  *   ids of all partitions -> the file that names them                             on the driver
  * }}}
  * A task holds a partition in memory, and writes it when it exceeds its share of the memory. All
  * task attempts write to the folder of the segment, each under ids of its own.
  */
final private[jobs] class PartitionedBuild(
    on: JobTable,
    index: IndexDefinition,
    kind: PartitionedIndexKind,
    output: IndexOutput
) {
  import PartitionedBuild._

  /** Builds a segment.
    *
    * @param fragments positions of the fragments in the table, ascending
    * @param description description of the job
    */
  def run(fragments: Seq[Int], description: String): BuiltSegment = {
    if (fragments.nonEmpty) kind.checkBuild(index.parameters)
    val built = UUID.randomUUID()
    UncommittedFiles.removedOnFailure(output.remove(built)) {
      val parts = write(fragments, built, description)
      val into = output.folder(built)
      kind.finish(index.parameters, parts.flatMap(_.ids), into)
      BuiltSegment(built, parts.flatMap(_.files) ++ into.files)
    }
  }

  private def write(
      fragments: Seq[Int],
      built: UUID,
      description: String
  ): Seq[BuiltPartitions] = {
    val batches = IndexedFragments.split(on.table, index, fragments, numTasks(fragments))
      .filter(_.scans.nonEmpty)
    val limit = index.parameters.optional(IndexParameter.memoryLimit)
      .map(mib => (mib.toLong << 20) / math.max(1, math.min(batches.length, numCores)))
      .map(math.min(_, mostBytes))
    val slots = slotsOfExecutor
    val (definition, its, out) = (index, kind, output)
    SparkTasks.run(on.session, description, batches) { batch =>
      val into = out.folder(built)
      out.removedOnFailure(into) {
        val builder = its.partitions(
          definition.field,
          definition.parameters,
          TaskContext.get().taskAttemptId() << idBits,
          limit.getOrElse(shareOfTask(slots)),
          into
        )
        batch.foreachBatch(out.store)(builder.add)
        BuiltPartitions(builder.finish(), into.files)
      }
    }(part => out.removeFiles(built, part.files))
  }

  /** Number of tasks that an executor runs at the same time; `None` if its processors decide. */
  private def slotsOfExecutor: Option[Int] = {
    val conf = on.session.sparkContext.getConf
    val cores =
      if (on.session.sparkContext.isLocal) Some(numCores)
      else conf.getOption("spark.executor.cores").flatMap(Parse.int)
    cores.map(n => math.max(1, n / conf.getInt("spark.task.cpus", 1)))
  }

  private def numCores: Int = on.session.sparkContext.defaultParallelism

  /** One task per core by default, because searches of few partitions are faster. */
  private def numTasks(fragments: Seq[Int]): Int = {
    val rows = fragments.map(i => on.table.physicalRows(on.table.fragments(i))).sum
    val wanted = index.parameters.optional(IndexParameter.numWorkers)
      .fold(math.min(numCores.toLong, rows / leastRowsPerTask))(n => math.min(n.toLong, rows))
    math.max(1L, wanted).toInt
  }
}

private object PartitionedBuild {
  private val leastRowsPerTask = 50000L

  /** Bits of an id that number the partitions of a task attempt. */
  private val idBits = 20

  private val leastBytes = 16L << 20
  private val mostBytes = 512L << 20

  /** Memory of the partition of a task: a third of its share, because writing takes more. */
  private def shareOfTask(slots: Option[Int]): Long = {
    val runtime = Runtime.getRuntime
    val share = runtime.maxMemory / slots.getOrElse(runtime.availableProcessors) / 3
    math.max(leastBytes, math.min(share, mostBytes))
  }
}

/** The partitions and files that a task wrote. */
final private case class BuiltPartitions(ids: Seq[Long], files: Seq[SegmentFile])
