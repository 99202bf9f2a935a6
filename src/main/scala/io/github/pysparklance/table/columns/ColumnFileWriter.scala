// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Column, InvalidRequestException, RowRange}
import io.github.pysparklance.table.FragmentWriter
import io.github.pysparklance.table.deletion.DeletionVector

/** Writes the file of a [[ColumnTask]]. Rows with new values come from the caller, other live rows
  * keep their values, and deleted rows get placeholders. Not thread-safe.
  *
  * {{{
  *   rows       0    1    2    3    4         row 1 is deleted
  *   given                n2        n4
  *   file       o0   0    n2   o3   n4
  * }}}
  */
final class ColumnFileWriter private[columns] (
    writer: FragmentWriter,
    task: ColumnTask,
    base: BaseRows,
    deletions: DeletionVector
) {
  import ColumnFileWriter._

  private val buffers = base.buffers
  private val changed = new RoaringBitmap
  private var row = 0L
  private var buffered = 0

  /** Writes new values of rows.
    *
    * @param offsets physical rows of the fragment, not deleted, ascending across calls
    * @param columns one for each field of the task, with a slot for each offset
    * @throws InvalidRequestException if an offset is not valid
    */
  def write(offsets: Array[Long], columns: IndexedSeq[Column]): Unit = {
    if (columns.length != buffers.length || columns.exists(_.numRows != offsets.length))
      throw new InvalidRequestException(
        s"${columns.length} columns of ${columns.map(_.numRows).distinct.mkString(", ")} rows, expected " +
          s"${buffers.length} of ${offsets.length}"
      )
    var i = 0
    while (i < offsets.length) {
      check(offsets(i))
      var end = i + 1
      while (end < offsets.length && offsets(end) == offsets(end - 1) + 1) {
        check(offsets(end))
        end += 1
      }
      fillUntil(offsets(i))
      buffers.indices.foreach(c => buffers(c).append(columns(c), i, end - i))
      base.skip(end - i)
      changed.add(offsets(i), offsets(end - 1) + 1)
      advance(end - i)
      i = end
    }
  }

  private def check(offset: Long): Unit = {
    def reject(why: String): Nothing =
      throw new InvalidRequestException(
        s"a new value for row $offset of fragment ${task.fragmentId}, $why"
      )
    if (offset >= task.physicalRows) reject(s"which has ${task.physicalRows} rows")
    if (offset < row) reject("which does not follow the previous row")
    if (deletions.isDeleted(offset)) reject("which is deleted")
  }

  /** Writes the rows before `until` that have no new values. */
  private def fillUntil(until: Long): Unit = {
    val live = deletions.liveRanges(RowRange(row, until))
    live.foreach { range =>
      fill(range.from - row)(appendFillers)
      fill(range.numRows)(base.append)
    }
    fill(until - row)(appendFillers)
  }

  private def appendFillers(numRows: Int): Int = {
    buffers.foreach(_.appendFiller(numRows))
    numRows
  }

  /** @param append appends up to the given number of rows and returns the number appended */
  private def fill(numRows: Long)(append: Int => Int): Unit = {
    var left = numRows
    while (left > 0) {
      val n = append(math.min(left, batchRows.toLong).toInt)
      advance(n)
      left -= n
    }
  }

  private def size: Long = buffers.iterator.map(_.sizeInBytes).sum

  private def advance(numRows: Int): Unit = {
    row += numRows
    buffered += numRows
    if (buffered >= batchRows || size >= maxBytes) flush()
  }

  private def flush(): Unit = if (buffered > 0) {
    writer.write(base.written(buffers.map(_.column)), buffered)
    buffers.foreach(_.clear())
    buffered = 0
  }

  /** Writes the remaining rows and finishes the file. */
  def finish(): NewColumns = {
    fillUntil(task.physicalRows)
    flush()
    val file = writer.finish().files.head
    base.close()
    changed.runOptimize()
    NewColumns(task.fragmentId, file, changed)
  }

  /** Deletes the file. */
  def abort(): Unit =
    try base.close()
    finally writer.abort()
}

private object ColumnFileWriter {
  val batchRows = 4096

  /** Maximum bytes of buffered rows, unless a single row is longer. */
  val maxBytes: Long = 4L << 20
}
