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
  * together: [[batchEnd]], [[requestRows]], [[read]]. Where storage is far, [[planAhead]] comes in between, for whichever
  * column is behind the others.
  *
  * @param place the file and the column
  * @param reads the pages, in row order
  * @param decoder makes the decoder of a page
  * @param windowBytes bytes of one window, and asked for ahead unless all columns do that together
  */
final private[file] class ColumnScan(
    place: Place,
    reads: IndexedSeq[PageRead],
    decoder: PageMetadata => PageDecoder,
    windowBytes: Long,
    readAhead: ReadAhead
) {
  private val open = new ArrayDeque[OpenPage]
  private var nextPage = 0
  private var bytesAhead = 0L

  /** Row of the file at which a batch from `row` on ends: where its page does, or before values are no longer in the
    * caches of the processor; asks for the head of the page. Rows come in ascending order.
    */
  def batchEnd(row: Long): Long = {
    while (!open.isEmpty && open.peekFirst.page.endRow <= row) open.removeFirst(): Unit
    if (open.isEmpty) openNext()
    val page = open.peekFirst.page
    math.min(page.endRow, row + math.max(1L, ColumnScan.batchBytes / page.meanRowBytes))
  }

  /** Asks for the bytes of the rows, which lie in the page that [[batchEnd]] was asked for, and for a window ahead unless
    * all columns ask together.
    */
  def requestRows(row: Long, numRows: Int): Unit = {
    val page = open.peekFirst
    page.start()
    while (page.plansBefore(row + numRows)) page.planWindow()
    if (!readAhead.isDeep) {
      var blocked = false
      while (bytesAhead < windowBytes && !blocked) blocked = !planAhead(isWaiting = false)
    }
  }

  /** Decodes the rows, after [[requestRows]]. */
  def read(row: Long, numRows: Int): LeafBatch = open.peekFirst.read(row, numRows)

  /** Asks for one thing more: rows of the first page that is not planned, else the head of one more page; of several
    * at a time where few rows of each are wanted. Where storage is far, heads of later pages go before rows, so that
    * they are there in time.
    *
    * @param isWaiting whether heads that are on their way are waited for
    * @return false when everything is asked for or enough pages wait for their heads
    */
  def planAhead(isWaiting: Boolean): Boolean = {
    var first: OpenPage = null
    var waiting = 0
    var waitingBytes = 0L
    val pages = open.iterator
    while (pages.hasNext) {
      val page = pages.next()
      if (hasMoreToAsk(page)) {
        if (first == null) first = page
        waiting += 1
        waitingBytes += page.page.sizeBytes
      }
    }
    val opensFirst = readAhead.isDeep && waiting > 0 && opensAhead(waiting, waitingBytes)
    if (!opensFirst && first != null && first.planAhead(isWaiting)) true
    else {
      val opens = opensFirst ||
        (nextPage < reads.length && waiting < maxWaiting && open.size < ColumnScan.maxOpenPages)
      if (opens) openNext()
      opens
    }
  }

  /** Whether there are bytes to ask for, or rows to plan before others can be. */
  private def hasMoreToAsk(page: OpenPage): Boolean =
    !page.isPlanned && !(readAhead.isDeep && page.isWhole)

  /** Pages that may wait for their heads. */
  private def maxWaiting: Int =
    if (!reads(nextPage).isSparse) 1
    else if (readAhead.isDeep) ColumnScan.maxSparsePagesAhead
    else ColumnScan.maxSparsePages

  /** Whether the next page is to be opened though there are rows of others to ask for. */
  private def opensAhead(waiting: Int, waitingBytes: Long): Boolean =
    nextPage < reads.length && {
      val next = reads(nextPage)
      if (next.isSparse) waiting < ColumnScan.maxSparsePagesAhead
      else
        waiting < ColumnScan.maxPagesAhead && waitingBytes < 2 * readAhead.maxBytesAhead &&
        !next.isWhole(windowBytes)
    }

  /** The row of the file before which all bytes are asked for; `Long.MaxValue` when all are. */
  def askedUntil: Long = {
    val page = firstToAsk
    if (page != null) page.page.firstRow + page.askedUntil
    else if (nextPage < reads.length)
      reads(nextPage).page.firstRow + reads(nextPage).rows.head.from
    else Long.MaxValue
  }

  /** Whether few rows are wanted of the page that comes next. */
  def isSparse: Boolean = {
    val page = firstToAsk
    if (page != null) page.isSparse else nextPage < reads.length && reads(nextPage).isSparse
  }

  private def firstToAsk: OpenPage = {
    val pages = open.iterator
    var found: OpenPage = null
    while (found == null && pages.hasNext) {
      val page = pages.next()
      if (hasMoreToAsk(page)) found = page
    }
    found
  }

  private def count(bytes: Long): Unit = {
    bytesAhead += bytes
    readAhead.bytesAhead += bytes
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
    val isWhole: Boolean = read.isWhole(windowBytes)

    /** Read instead of the head where few rows are wanted. */
    private val partialHead =
      if (isWhole || pageDecoder.head.forall(i => readAhead.isKept(page.buffers(i)))) None
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
    private val handedOver = new ArrayDeque[Window]
    private var range = 0
    private var plannedUntil = read.rows.head.from
    count(headBytes)

    def isSparse: Boolean = read.isSparse

    /** @param source what holds the data, null where whole buffers do */
    final private class Window(
        val rows: RowRange,
        val data: Option[PageRange],
        val source: WindowBytes
    )

    /** Bytes that were asked for, for one window or several that lie in them: rows of one chunk. */
    final private class WindowBytes(val range: PageRange, val request: RangeRequest) {
      private var isAhead = true
      private var users = 0
      count(range.length)

      def use(): Unit = users += 1

      /** Called for each use, when it is over. */
      def release(): Unit = {
        users -= 1
        if (users == 0 && (lastBytes ne this)) request.release()
      }

      def holds(r: PageRange): Boolean =
        r.buffer == range.buffer && r.offset >= range.offset &&
          r.offset + r.length <= range.offset + range.length

      def take(r: PageRange): Buffer = {
        if (isAhead) count(-range.length)
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
      wanted.foreach { i =>
        val buffer = page.buffers(i)
        requests(i) = if (isWhole) readAhead.request(buffer) else readAhead.requestKept(buffer)
      }
      requests
    }

    /** Whether all bytes are asked for. */
    def isPlanned: Boolean = range == read.rows.length

    /** Row of the page before which all wanted bytes are asked for, while there are some that are not. */
    def askedUntil: Long = math.max(plannedUntil, read.rows(range).from)

    /** Whether wanted rows before `row` of the file are not asked for yet. */
    def plansBefore(row: Long): Boolean = !isPlanned && askedUntil < row - page.firstRow

    /** Plans one window if the head is there, or can be waited for; answers whether. */
    def planAhead(isWaiting: Boolean): Boolean = {
      val ready =
        reader != null || head.forall(r => if (isWaiting) r.isSubmitted else r.isDone)
      if (ready) {
        openReader()
        planWindow()
      }
      ready
    }

    /** Makes this the page being decoded: waits for its head. */
    def start(): Unit = {
      openReader()
      count(-headBytes)
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
      if (source != null) source.use()
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
      val batch = in(reader.read(from, numRows))
      releaseBefore(row + numRows)
      batch
    }

    /** Lets bytes of rows before `row` of the file be overwritten, once these are read. */
    def releaseBefore(row: Long): Unit =
      while (!handedOver.isEmpty && handedOver.peekFirst.rows.until <= row - page.firstRow)
        handedOver.removeFirst().source.release()

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
        if (!reader.keepsBytes) handedOver.addLast(window)
    }

    private def in[A](body: => A): A = Place.in(here)(readAhead.decoding(body))

    private def here: Place = place.copy(
      page = Some(page.number),
      offsetBytes = page.buffers.find(_.length > 0).map(_.offset)
    )
  }
}

private[file] object ColumnScan {

  /** Bytes of a batch, about, where rows are long: less than half of the smallest region of G1, beyond which arrays are
    * made in the old generation.
    */
  val batchBytes: Long = 1L << 18

  /** Pages that wait for their heads at a time in a take, which need not wait for one after the other. Heads ahead are
    * at the cost of rows ahead, so that a scan of all rows has only one.
    */
  val maxSparsePages = 8

  /** The same where storage is far: one round of requests then brings the heads of a whole take, as a rule. */
  val maxSparsePagesAhead = 256

  /** Pages of a scan of all rows that wait for their heads, or are planned, where storage is far. */
  val maxPagesAhead = 8

  /** Pages open at a time, of whatever size. */
  val maxOpenPages = 512
}
