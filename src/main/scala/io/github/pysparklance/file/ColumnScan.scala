// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.util.ArrayDeque

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi.{LeafBatch, PageDecoder, PageRange, PageReader}
import io.github.pysparklance.file.spi.{RangeRequest, ReadAhead}

/** Reads the wanted rows of one column from front to back: asks for bytes ahead of the rows being decoded.
  *
  * A batch takes three steps, which a scan of several columns does side by side so that their requests go out
  * together: [[pageEnd]], [[requestRows]], [[read]].
  *
  * @param place the file and the column
  * @param reads the pages, in row order
  * @param decoder makes the decoder of a page
  * @param windowBytes bytes of one window, and asked for ahead
  */
final private class ColumnScan(
    place: Place,
    reads: IndexedSeq[PageRead],
    decoder: PageMetadata => PageDecoder,
    windowBytes: Long,
    readAhead: ReadAhead
) {
  private val open = new ArrayDeque[OpenPage]
  private var nextPage = 0
  private var bytesAhead = 0L

  /** Row of the file at which the page with `row` ends; asks for its head. Rows come in ascending order. */
  def pageEnd(row: Long): Long = {
    while (!open.isEmpty && open.peekFirst.page.endRow <= row) open.removeFirst(): Unit
    if (open.isEmpty) openNext()
    open.peekFirst.page.endRow
  }

  /** Asks for the bytes of the rows, which lie in the page that [[pageEnd]] was asked for, and for more ahead. */
  def requestRows(row: Long, numRows: Int): Unit = {
    val page = open.peekFirst
    page.start()
    while (page.plansBefore(row + numRows)) page.planWindow()
    var blocked = false
    while (bytesAhead < windowBytes && !blocked) blocked = !planAhead()
  }

  /** Decodes the rows, after [[requestRows]]. */
  def read(row: Long, numRows: Int): LeafBatch = open.peekFirst.read(row, numRows)

  /** Asks for one thing more: rows of the first page that is not planned, else the head of one more page; of several
    * at a time where few rows of each are wanted. False when everything is asked for or enough pages wait for their
    * heads.
    */
  private def planAhead(): Boolean = {
    var waiting = 0
    var planned = false
    val pages = open.iterator
    while (!planned && pages.hasNext) {
      val page = pages.next()
      if (!page.isPlanned) {
        planned = waiting == 0 && page.planAhead()
        waiting += 1
      }
    }
    if (!planned && nextPage < reads.length) {
      val most = if (reads(nextPage).isSparse) ColumnScan.maxSparsePages else 1
      if (waiting < most) {
        openNext()
        planned = true
      }
    }
    planned
  }

  private def openNext(): Unit = {
    open.addLast(new OpenPage(reads(nextPage)))
    readAhead.beginPage()
    nextPage += 1
  }

  /** A page from the first request of its bytes to its last row. */
  final private class OpenPage(read: PageRead) {
    val page: PageMetadata = read.page
    private val pageDecoder = in(decoder(page))
    private val isWhole = read.isWhole(windowBytes)

    /** Read instead of the head where few rows are wanted. */
    private val partialHead =
      if (isWhole) None
      else in(pageDecoder.partialHead(RowRange(read.rows.head.from, read.rows.last.until)))
    private val partialRequest =
      partialHead.fold(null: RangeRequest)(p => readAhead.request(in(absolute(p.range))))

    /** By buffer; null for buffers not read whole. */
    private val buffers: Array[RangeRequest] = requestBuffers()
    private val head: IndexedSeq[RangeRequest] =
      if (partialHead.isDefined) IndexedSeq(partialRequest) else pageDecoder.head.map(buffers(_))
    private var headBytes =
      (buffers.iterator ++ Iterator(partialRequest)).filter(_ != null).map(_.range.length).sum
    private var reader: PageReader = null
    private val windows = new ArrayDeque[Window]
    private var range = 0
    private var plannedUntil = read.rows.head.from
    bytesAhead += headBytes

    /** @param source what holds the data, null where whole buffers do */
    final private class Window(
        val rows: RowRange,
        val data: Option[PageRange],
        val source: WindowBytes
    )

    /** Bytes that were asked for, for one window or several that lie in them: rows of one chunk. */
    final private class WindowBytes(val range: PageRange, val request: RangeRequest) {
      private var isAhead = true
      bytesAhead += range.length

      def holds(r: PageRange): Boolean =
        r.buffer == range.buffer && r.offset >= range.offset &&
          r.offset + r.length <= range.offset + range.length

      def take(r: PageRange): Buffer = {
        if (isAhead) bytesAhead -= range.length
        isAhead = false
        request.await().slice(r.offset - range.offset, r.length)
      }
    }
    private var lastBytes: WindowBytes = null

    private def requestBuffers(): Array[RangeRequest] = {
      val wanted =
        if (isWhole) page.buffers.indices
        else if (partialHead.isDefined) IndexedSeq.empty
        else pageDecoder.head
      val requests = new Array[RangeRequest](page.buffers.length)
      wanted.foreach(i => requests(i) = readAhead.request(page.buffers(i)))
      requests
    }

    /** Whether all bytes are asked for. */
    def isPlanned: Boolean = range == read.rows.length

    /** Whether wanted rows before `row` of the file are not asked for yet. */
    def plansBefore(row: Long): Boolean =
      !isPlanned && math.max(plannedUntil, read.rows(range).from) < row - page.firstRow

    /** Plans one window if that can be done without waiting; answers whether. */
    def planAhead(): Boolean = {
      val ready = reader != null || head.forall(_.isDone)
      if (ready) {
        openReader()
        planWindow()
      }
      ready
    }

    /** Makes this the page being decoded: waits for its head. */
    def start(): Unit = {
      openReader()
      bytesAhead -= headBytes
      headBytes = 0
    }

    private def openReader(): Unit =
      if (reader == null) reader = in {
        val bytes = head.map(_.await())
        partialHead.fold(pageDecoder.open(bytes))(_.open(bytes.head))
      }

    def planWindow(): Unit = in {
      val wanted = read.rows(range)
      val rest = RowRange(math.max(plannedUntil, wanted.from), wanted.until)
      val window = ReadPlan.window(reader, rest, windowBytes)
      val source = window.bytes match {
        case Some(r) if !isWhole =>
          if (lastBytes == null || !lastBytes.holds(r))
            lastBytes = new WindowBytes(r, readAhead.request(absolute(r)))
          lastBytes
        case _ => null
      }
      windows.addLast(new Window(window.rows, window.bytes, source))
      plannedUntil = window.rows.until
      if (plannedUntil == wanted.until) range += 1
    }

    private def absolute(r: PageRange): ByteRange = {
      checkInside(r)
      ByteRange(page.buffers(r.buffer).offset + r.offset, r.length)
    }

    private def checkInside(r: PageRange): Unit = {
      val size = page.buffers(r.buffer).length
      CorruptFileException.check(
        r.offset >= 0 && r.length >= 0 && r.offset <= size && r.length <= size - r.offset,
        s"rows lie at bytes [${r.offset}, ${r.offset + r.length}) of buffer ${r.buffer}, which has $size"
      )
    }

    def read(row: Long, numRows: Int): LeafBatch = {
      val from = row - page.firstRow
      while (!windows.isEmpty && windows.peekFirst.rows.from < from + numRows)
        handOver(windows.removeFirst())
      in(reader.read(from, numRows))
    }

    private def handOver(window: Window): Unit = window.data match {
      case None => ()
      case Some(data) if window.source == null =>
        in {
          checkInside(data)
          reader.addWindow(
            window.rows,
            buffers(data.buffer).await().slice(data.offset, data.length)
          )
        }
      case Some(data) =>
        val bytes = window.source.take(data)
        in(reader.addWindow(window.rows, bytes))
    }

    private def in[A](body: => A): A = Place.in(here)(ColumnScan.guarded(body))

    private def here: Place = place.copy(
      page = Some(page.number),
      offsetBytes = page.buffers.find(_.length > 0).map(_.offset)
    )
  }
}

private object ColumnScan {

  /** Pages that wait for their heads at a time in a take, which need not wait for one after the other. Heads ahead are
    * at the cost of rows ahead, so that a scan of all rows has only one.
    */
  val maxSparsePages = 8

  /** Decoders check what they read; what slips through is reported as damage, too. */
  def guarded[A](body: => A): A =
    try body
    catch {
      case e @ (_: IndexOutOfBoundsException | _: NegativeArraySizeException | _: ArithmeticException |
          _: java.nio.BufferUnderflowException) =>
        throw new CorruptFileException(s"its bytes contradict one another ($e)", cause = e)
    }
}
