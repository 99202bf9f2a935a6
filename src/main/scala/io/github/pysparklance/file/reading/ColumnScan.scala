// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import java.util.ArrayDeque

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi.{LeafBatch, PageDecoder, PageRange, PageReader}
import io.github.pysparklance.file.metadata.PageMetadata
import io.github.pysparklance.file.scheduling._

/** Reads selected rows of one column from front to back.
  *
  * A batch takes three steps: [[batchEnd]], [[requestRows]], [[read]]. A scan of several columns
  * does them in step, so that their requests are submitted together. The schedule of the file
  * decides which bytes are requested ahead of the batch, see [[PlannedColumn]].
  *
  * @param place the file and the column
  * @param reads the pages, in row order
  * @param decoder creates the decoder of a page
  */
final private[file] class ColumnScan(
    place: Place,
    reads: IndexedSeq[PageRead],
    decoder: PageMetadata => PageDecoder,
    fileReads: FileReads
) extends PlannedColumn {
  private val open = new ArrayDeque[OpenPage]
  private var nextPage = 0
  private val windowBytes = fileReads.windowBytes
  val bytes: ColumnBytes = fileReads.column()

  /** Returns the end row of a batch that starts at `row`, and requests the head of the page. The
    * batch ends at the end of the page, or earlier so that its values fit in the processor caches.
    * Call in ascending order of rows.
    */
  def batchEnd(row: Long): Long = {
    while (!open.isEmpty && open.peekFirst.page.endRow <= row) open.removeFirst().close()
    if (open.isEmpty) requestHead()
    val page = open.peekFirst.page
    math.min(page.endRow, row + math.max(1L, ColumnScan.batchBytes / page.meanRowBytes))
  }

  /** Requests the bytes of the rows, which must be in the page that [[batchEnd]] used. */
  def requestRows(row: Long, numRows: Int): Unit = {
    val page = open.peekFirst
    page.start()
    while (page.plansBefore(row + numRows)) page.planWindow()
  }

  /** Decodes the rows, after [[requestRows]]. */
  def read(row: Long, numRows: Int): LeafBatch = open.peekFirst.read(row, numRows)

  def numOpen: Int = open.size

  def pending: PendingPages = {
    var count = 0
    var size = 0L
    val pages = open.iterator
    while (pages.hasNext) {
      val page = pages.next()
      if (page.isPending) {
        count += 1
        size += page.page.sizeBytes
      }
    }
    PendingPages(count, size)
  }

  def nextHead: Option[PageHead] = Optional.when(nextPage < reads.length)(headOf(reads(nextPage)))

  private def headOf(read: PageRead): PageHead =
    fileReads.head(read.page.sizeBytes, read.page.numRows, read.numRows)

  def requestedUntil: Long = {
    val page = firstPending
    if (page != null) page.page.firstRow + page.requestedUntil
    else if (nextPage < reads.length)
      reads(nextPage).page.firstRow + reads(nextPage).rows.head.from
    else Long.MaxValue
  }

  def isSparse: Boolean = {
    val page = firstPending
    if (page != null) page.isSparse else nextHead.exists(_.isSparse)
  }

  def requestRows(isWaiting: Boolean): Boolean = firstPending.planAhead(isWaiting)

  def requestHead(): Unit = {
    open.addLast(new OpenPage(reads(nextPage)))
    fileReads.beginPage()
    nextPage += 1
  }

  private def firstPending: OpenPage = {
    val pages = open.iterator
    var found: OpenPage = null
    while (found == null && pages.hasNext) {
      val page = pages.next()
      if (page.isPending) found = page
    }
    found
  }

  /** A page, from the first request of its bytes to its last row. */
  final private class OpenPage(read: PageRead) {
    val page: PageMetadata = read.page
    private val pageDecoder = in(decoder(page))
    private val pageHead = headOf(read)
    private val requestsAhead = fileReads.requestsRowsAhead(pageHead)

    /** Read instead of the head if few rows are needed. */
    private val partialHead =
      if (!fileReads.readsPartOfHead(pageHead, page.buffers, pageDecoder.head)) None
      else in(pageDecoder.partialHead(RowRange(read.rows.head.from, read.rows.last.until)))
    private val partialRequest =
      partialHead.fold(null: RangeRequest)(p => fileReads.request(in(absolute(p.range))))

    /** By buffer; null for buffers not read whole. */
    private val buffers: Array[RangeRequest] = {
      val ofHead = if (partialHead.isDefined) IndexedSeq.empty else pageDecoder.head
      fileReads.requestHead(pageHead, page.buffers, ofHead)
    }
    private val head: IndexedSeq[RangeRequest] =
      if (partialHead.isDefined) IndexedSeq(partialRequest) else pageDecoder.head.map(buffers(_))
    private var headBytes =
      (buffers.iterator ++ Iterator(partialRequest)).filter(_ != null).map(_.range.length).sum
    private var reader: PageReader = null
    private val windows = new ArrayDeque[Window]
    private val handedOver = new ArrayDeque[Window]
    private var range = 0
    private var plannedUntil = read.rows.head.from
    private var heldBytes = 0L
    request(headBytes)

    def isSparse: Boolean = pageHead.isSparse

    /** Whether there are bytes to request ahead. */
    def isPending: Boolean = requestsAhead && !isPlanned

    private def request(numBytes: Long): Unit = {
      heldBytes += numBytes
      bytes.request(numBytes)
    }

    private def end(numBytes: Long): Unit = {
      heldBytes -= numBytes
      bytes.end(numBytes)
    }

    /** Ends the page after its last row was decoded. */
    def close(): Unit = end(heldBytes)

    /** A window of rows.
      *
      * @param source contains the data; null if whole buffers contain it
      */
    final private class Window(
        val rows: RowRange,
        val data: Option[PageRange],
        val source: WindowBytes
    )

    /** Bytes requested for one window, or for several windows in the same chunk. */
    final private class WindowBytes(val range: PageRange, ofRange: RangeRequest) {
      private var isAhead = true
      private var users = 0
      request(range.length)

      def use(): Unit = users += 1

      /** Called for each use after its rows were decoded. Returns the array for reuse after the
        * last use.
        */
      def release(): Unit = {
        users -= 1
        if (users == 0 && (lastBytes ne this)) {
          if (!reader.retainsBytes) ofRange.release()
          end(range.length)
        }
      }

      def holds(r: PageRange): Boolean =
        r.buffer == range.buffer && r.offset >= range.offset &&
          r.offset + r.length <= range.offset + range.length

      def take(r: PageRange): Buffer = {
        if (isAhead) bytes.begin(range.length)
        isAhead = false
        ofRange.await().slice(r.offset - range.offset, r.length)
      }
    }
    private var lastBytes: WindowBytes = null

    /** Whether all bytes are requested. */
    def isPlanned: Boolean = range == read.rows.length

    /** Row of the page before which all needed bytes are requested, while some are not. */
    def requestedUntil: Long = math.max(plannedUntil, read.rows(range).from)

    /** Whether some needed rows before `row` of the file are not requested yet. */
    def plansBefore(row: Long): Boolean = !isPlanned && requestedUntil < row - page.firstRow

    /** Plans one window if the head is read, or can be awaited. Returns whether it did. */
    def planAhead(isWaiting: Boolean): Boolean = {
      val ready =
        reader != null || head.forall(r => if (isWaiting) r.isSubmitted else r.isDone)
      if (ready) {
        openReader()
        planWindow()
      }
      ready
    }

    /** Waits for the head, and makes this the page being decoded. */
    def start(): Unit = {
      openReader()
      bytes.begin(headBytes)
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
        case Some(r) if !pageHead.isWhole =>
          if (lastBytes == null || !lastBytes.holds(r))
            lastBytes = new WindowBytes(r, fileReads.request(absolute(r)))
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
        s"rows are at bytes [${r.offset}, ${r.offset + r.length}) of buffer ${r.buffer}, which has $size"
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

    /** Releases the windows of decoded rows before `row` of the file. */
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
        val taken = window.source.take(data)
        in(reader.addWindow(window.rows, taken))
        handedOver.addLast(window)
    }

    private def in[A](body: => A): A = Place.in(here)(fileReads.decoding(body))

    private def here: Place = place.copy(
      page = Some(page.number),
      offsetBytes = page.buffers.find(_.length > 0).map(_.offset)
    )
  }
}

private[file] object ColumnScan {

  /** Approximate size of a batch of long rows: less than half of the smallest G1 region. Larger
    * arrays would be allocated in the old generation.
    */
  val batchBytes: Long = 1L << 18
}
