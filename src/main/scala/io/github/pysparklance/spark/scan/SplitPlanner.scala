// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import io.github.pysparklance.core.RowRange
import io.github.pysparklance.spark.scan.task.ReadOptions

/** Rows of a fragment that a task reads.
  *
  * @param fragment position of the fragment in the scan's list
  */
final case class Split(fragment: Int, rows: RowRange)

/** Splits fragments into tasks like Spark splits files. A task reads up to a number of bytes. Large
  * fragments are split, and small ones are combined. Tasks, and splits within a task, are in scan
  * order.
  */
object SplitPlanner {

  /** @param rows selected physical rows of each fragment; an empty range skips the fragment
    * @param bytes estimated bytes of the projected columns of these rows
    * @param rowAlignment fragments are split at multiples of this number of rows
    */
  def plan(
      rows: IndexedSeq[RowRange],
      bytes: IndexedSeq[Long],
      options: ReadOptions,
      rowAlignment: Int
  ): IndexedSeq[IndexedSeq[Split]] = {
    def read = rows.indices.iterator.filterNot(rows(_).isEmpty)
    val limit = splitBytes(read.map(bytes), options)
    pack(read.flatMap(i => cut(i, rows(i), bytes(i), limit, rowAlignment)), limit, options)
  }

  /** Returns the target size of a task, which is less than the maximum if there are more cores than
    * tasks of that size.
    */
  private def splitBytes(bytes: Iterator[Long], options: ReadOptions): Long = {
    val total = bytes.map(_ + options.openCostBytes).sum
    val perCore = total / math.max(1, options.minSplits)
    math.max(1L, math.min(options.maxSplitBytes, math.max(options.openCostBytes, perCore)))
  }

  private def cut(
      fragment: Int,
      rows: RowRange,
      bytes: Long,
      limit: Long,
      alignment: Int
  ): Iterator[(Split, Long)] = {
    val wanted = math.max(1L, math.min((bytes + limit - 1) / limit, rows.numRows))
    val even = (rows.numRows + wanted - 1) / wanted
    val step = (even + alignment - 1) / alignment * alignment
    if (step >= rows.numRows) Iterator.single((Split(fragment, rows), bytes))
    else
      Iterator
        .iterate(rows.from)(_ + step)
        .takeWhile(_ < rows.until)
        .map { from =>
          val until = math.min(from + step, rows.until)
          val share = (bytes.toDouble * (until - from) / rows.numRows).toLong
          (Split(fragment, RowRange(from, until)), share)
        }
  }

  private def pack(
      pieces: Iterator[(Split, Long)],
      limit: Long,
      options: ReadOptions
  ): IndexedSeq[IndexedSeq[Split]] = {
    val tasks = IndexedSeq.newBuilder[IndexedSeq[Split]]
    var current = Vector.empty[Split]
    var size = 0L
    pieces.foreach { case (split, bytes) =>
      val isFull = size + bytes > limit || current.length >= options.maxFragmentsPerTask
      if (current.nonEmpty && isFull) {
        tasks += current
        current = Vector.empty
        size = 0L
      }
      current :+= split
      size += bytes + options.openCostBytes
    }
    if (current.nonEmpty) tasks += current
    tasks.result()
  }
}
