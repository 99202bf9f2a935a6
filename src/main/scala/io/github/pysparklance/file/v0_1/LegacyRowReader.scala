// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import java.util.ArrayDeque

import io.github.pysparklance.core._
import io.github.pysparklance.file.spi.{ReadAhead, RowReader}

/** Reads rows of a legacy file window by window: a run of rows of one batch, all fields of it. While one window is
  * decoded, the bytes of those behind it are on their way.
  *
  * @param names of the fields, for errors
  * @param windowBytes of one field in one window, about
  */
final private[v0_1] class LegacyRowReader(
    place: Place,
    metadata: Metadata,
    ranges: IndexedSeq[RowRange],
    names: IndexedSeq[String],
    nodes: IndexedSeq[FieldNode],
    windowBytes: Long,
    readAhead: ReadAhead
) extends RowReader {
  private val windows = new ArrayDeque[Window]
  private val maxBytesAhead =
    math.max(readAhead.maxBytesAhead, windowBytes * math.max(1, nodes.length))
  private var bytesAhead = 0L

  /** Where planning goes on. */
  private var range = 0
  private var lastBatch = -1
  private var planned = ranges.headOption.fold(0L)(_.from)

  /** The next row to answer, when it lies in the first window. */
  private var row = 0L

  /** Rows `[from, until)` of the file, which lie in one batch that begins at row `firstRow`. */
  final private class Window(batch: Int, firstRow: Long, val from: Long, val until: Long) {
    private val reads =
      nodes.indices.map(i => in(i)(nodes(i).read(batch, from - firstRow, until - firstRow)))
    var bytes: Long = reads.iterator.map(_.bytesAhead).sum
    private var allAsked = reads.isEmpty

    def isDone: Boolean = allAsked

    def isReady: Boolean = reads.forall(_.isReady)

    def advance(): Unit = {
      var done = true
      var i = 0
      while (i < reads.length) {
        done = in(i)(reads(i).advance()) && done
        i += 1
      }
      allAsked = done
      val now = reads.iterator.map(_.bytesAhead).sum
      bytesAhead += now - bytes
      bytes = now
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
      bytesAhead -= windows.removeFirst().bytes
    if (windows.isEmpty && !plan()) 0
    else {
      val window = windows.peekFirst
      row = math.max(row, window.from)
      if (!window.isDone) {
        while (!window.isDone) {
          planAhead()
          window.advance()
        }
        planAhead() // the windows behind it are likely to be as far, so that their requests merge
      }
      math.min(window.rowsWithin(row), Int.MaxValue.toLong).toInt
    }
  }

  override def prefetch(maxBytes: Long, isWaiting: Boolean): Unit = if (readAhead.isDeep) {
    while (bytesAhead < maxBytes && windows.size < LegacyRowReader.maxWindows && plan()) ()
    readAhead.submit()
  }

  def read(numRows: Int): IndexedSeq[Column] = {
    checkAvailable(numRows, place)
    planAhead()
    val answer = windows.peekFirst.columns(row, numRows)
    row += numRows
    answer
  }

  /** Asks for more of the windows behind the first, without waiting. */
  private def planAhead(): Unit = {
    windows.forEach { w =>
      if (!(w eq windows.peekFirst) && !w.isDone && w.isReady) w.advance()
    }
    // Many small windows are asked for together rather than one by one.
    if (bytesAhead <= maxBytesAhead / 2 && windows.size <= LegacyRowReader.maxWindows / 2)
      while (bytesAhead < maxBytesAhead && windows.size < LegacyRowReader.maxWindows && plan()) ()
    readAhead.submit()
  }

  /** Begins one window more; false when there is none. */
  private def plan(): Boolean = {
    while (range < ranges.length && planned >= ranges(range).until) {
      range += 1
      if (range < ranges.length) planned = ranges(range).from
    }
    range < ranges.length && {
      val batch = metadata.batchOf(planned)
      if (batch != lastBatch) nodes.foreach(_ => readAhead.beginPage())
      lastBatch = batch
      val until = math.min(
        math.min(ranges(range).until, metadata.batchOffsets(batch + 1).toLong),
        planned + windowRows
      )
      val window = new Window(batch, metadata.batchOffsets(batch).toLong, planned, until)
      bytesAhead += window.bytes
      windows.addLast(window)
      planned = until
      true
    }
  }

  private def windowRows: Long =
    if (nodes.isEmpty) Int.MaxValue.toLong
    else math.max(1L, (windowBytes / nodes.iterator.map(_.bytesPerSlot).max).toLong)

  def numPages: Long = readAhead.numPages

  def close(): Unit = readAhead.close()
}

private object LegacyRowReader {

  /** Windows under way, at most: old files have batches of a few rows. */
  val maxWindows = 64
}
