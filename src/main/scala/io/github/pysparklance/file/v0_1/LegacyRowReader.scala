// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import java.util.ArrayDeque

import io.github.pysparklance.core._
import io.github.pysparklance.file.scheduling.{FileReads, WindowSchedule}
import io.github.pysparklance.file.spi.RowReader

/** Reads rows of a legacy file window by window. A window contains all fields for some rows of one
  * batch. While a window is decoded, the next ones are prefetched.
  *
  * @param names names of the fields, for error messages
  */
final private[v0_1] class LegacyRowReader(
    place: Place,
    metadata: Metadata,
    ranges: IndexedSeq[RowRange],
    names: IndexedSeq[String],
    nodes: IndexedSeq[FieldNode],
    fileReads: FileReads
) extends RowReader {
  private val windows = new ArrayDeque[Window]
  private val windowBytes = fileReads.windowBytes
  private val schedule = new WindowSchedule(fileReads, nodes.length)
  private val bytes = schedule.bytes
  fileReads.onReadAhead((maxBytes, _) => schedule.readAhead(maxBytes, windows.size, () => plan()))

  /** Position of planning. */
  private var range = 0
  private var lastBatch = -1
  private var planned = ranges.headOption.fold(0L)(_.from)

  /** The next row to return, if it is in the first window. */
  private var row = 0L

  /** Rows `[from, until)` of the file. They are in one batch, which starts at row `firstRow`. */
  final private class Window(batch: Int, firstRow: Long, val from: Long, val until: Long) {
    private val reads =
      nodes.indices.map(i => in(i)(nodes(i).read(batch, from - firstRow, until - firstRow)))
    private var numBytes = reads.iterator.map(_.bytesAhead).sum
    bytes.request(numBytes)
    private var allRequested = reads.isEmpty

    def isDone: Boolean = allRequested

    def isReady: Boolean = reads.forall(_.isReady)

    def advance(): Unit = {
      var done = true
      var i = 0
      while (i < reads.length) {
        done = in(i)(reads(i).advance()) && done
        i += 1
      }
      allRequested = done
      val now = reads.iterator.map(_.bytesAhead).sum
      bytes.request(now - numBytes)
      numBytes = now
    }

    /** Ends the window after its last row was decoded. */
    def close(): Unit = {
      bytes.begin(numBytes)
      bytes.end(numBytes)
    }

    def rowsWithin(row: Long): Long = {
      var end = until - firstRow
      reads.foreach(r => end = r.slotsWithin(row - firstRow, end, windowBytes))
      end + firstRow - row
    }

    def columns(row: Long, numRows: Int): IndexedSeq[Column] = reads.indices.map { i =>
      in(i)(reads(i).column(row - firstRow, row - firstRow + numRows))
    }

    private def in[A](field: Int)(body: => A): A =
      Place.in(place.copy(column = Some(names(field)), page = Some(batch)))(body)
  }

  def rowsAvailable: Int = {
    while (!windows.isEmpty && row >= windows.peekFirst.until)
      windows.removeFirst().close()
    if (windows.isEmpty && !plan()) 0
    else {
      val window = windows.peekFirst
      row = math.max(row, window.from)
      if (!window.isDone) {
        while (!window.isDone) {
          planAhead()
          window.advance()
        }
        planAhead() // the next windows are probably at the same step, so their requests can be merged
      }
      math.min(window.rowsWithin(row), Int.MaxValue.toLong).toInt
    }
  }

  def read(numRows: Int): IndexedSeq[Column] = {
    checkAvailable(numRows, place)
    planAhead()
    val result = windows.peekFirst.columns(row, numRows)
    row += numRows
    result
  }

  /** Requests more of the windows after the first, without waiting. */
  private def planAhead(): Unit = {
    windows.forEach { w =>
      if (!(w eq windows.peekFirst) && !w.isDone && w.isReady) w.advance()
    }
    schedule.request(windows.size, () => plan())
  }

  /** Adds a window. Returns false if there is none left. */
  private def plan(): Boolean = {
    while (range < ranges.length && planned >= ranges(range).until) {
      range += 1
      if (range < ranges.length) planned = ranges(range).from
    }
    range < ranges.length && {
      val batch = metadata.batchOf(planned)
      if (batch != lastBatch) nodes.foreach(_ => fileReads.beginPage())
      lastBatch = batch
      val until = math.min(
        math.min(ranges(range).until, metadata.batchOffsets(batch + 1).toLong),
        planned + windowRows
      )
      val window = new Window(batch, metadata.batchOffsets(batch).toLong, planned, until)
      windows.addLast(window)
      planned = until
      true
    }
  }

  private def windowRows: Long =
    if (nodes.isEmpty) Int.MaxValue.toLong
    else math.max(1L, (windowBytes / nodes.iterator.map(_.bytesPerSlot).max).toLong)

  def numPages: Long = fileReads.numPages

  def close(): Unit = fileReads.close()
}
