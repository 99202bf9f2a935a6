// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import org.apache.spark.sql.SparkSession

import io.github.pysparklance.core.BestEffort
import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.jobs.{CompactionJob, CompactionRequest, JobTable}
import io.github.pysparklance.table.LanceTable

/** Compacts the small files of a stream, option `autoCompact`.
  *
  * Compacting the whole table each time would rewrite all rows every time. Instead, rewrites the
  * latest fragments, up to the first one that is larger than all later fragments together.
  * Fragments grow like the digits of a counter, so each row is rewritten a logarithmic number of
  * times:
  *
  * {{{
  *   autoCompact = 4, micro-batches of 1 row
  *   micro-batch  4   1 1 1 1       ->  4
  *                8   4 1 1 1 1     ->  8
  *               12   8 1 1 1 1     ->  8 4
  *               16   8 4 1 1 1 1   -> 16
  * }}}
  */
private[sink] object StreamCompaction {

  /** Compacts the table if an interval ended since the last committed micro-batch. An interval may
    * end with a micro-batch without rows, which commits nothing. The next one with rows then
    * compacts. Failures are logged, because the rows are committed. The next compaction repeats the
    * work.
    *
    * @param epochId number of the micro-batch, from 0
    * @param previous number of the last micro-batch that the query committed before; `None` if the
    *   table does not record one
    * @param table the version after its commit
    */
  def after(
      epochId: Long,
      previous: Option[Long],
      sinkOptions: SinkOptions,
      location: TableLocation,
      table: LanceTable
  ): Unit =
    if (sinkOptions.autoCompact.exists(endsInterval(_, epochId, previous)))
      BestEffort.run(s"${table.path}: compaction after micro-batch $epochId")(
        compact(location, table)
      ): Unit

  private[sink] def endsInterval(n: Long, epochId: Long, previous: Option[Long]): Boolean =
    (epochId + 1) / n > previous.fold(0L)(_ + 1) / n

  private def compact(location: TableLocation, table: LanceTable): Unit = {
    val small = tail(table.fragments.map(f => f.id -> f.physicalRows.getOrElse(0L)))
    if (small.size > 1) {
      val request = CompactionRequest.of(Map.empty, table.manifest.config)
      val properties = request.options.properties ++ CommitInfo.by("AUTO COMPACT")
      CompactionJob.run(
        JobTable(SparkSession.active, location, table),
        request.copy(
          options = request.options.copy(properties = properties),
          fragments = Some(small)
        )
      ): Unit
    }
  }

  /** Returns the ids of the latest fragments, up to the first one with more rows than all later
    * fragments together.
    *
    * @param fragments ids with numbers of rows, in ascending order
    */
  private[sink] def tail(fragments: IndexedSeq[(Long, Long)]): Set[Long] = {
    val sums = fragments.reverseIterator
      .scanLeft((0L, 0L, true)) { case ((_, sum, fits), (id, rows)) =>
        (id, sum + rows, fits && (sum == 0L || rows <= sum))
      }
      .drop(1)
    sums.takeWhile(_._3).map(_._1).toSet
  }
}
