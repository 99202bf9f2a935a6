// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.file.metadata.PageMetadata
import io.github.pysparklance.file.scheduling.{
  FileReads,
  PlannedWindows,
  RangeRequest,
  RoundSchedule
}

/** Reads selected values of one column of a file of version 2.0 from front to back. Values are
  * rows, or items if the column is below a list. The selected items are known only after the lists
  * were read, so ranges are added during the scan. A batch may come from several pages.
  *
  * Bytes are requested in windows. The encodings of a page determine the number of rounds per
  * window: for strings, first the offsets, then the bytes. For each batch, call [[request]] until
  * it returns false, with the requests submitted in between, and then [[read]].
  *
  * @param place the file and the column
  * @param pages pages in row order
  * @param decoder creates the decoder of a page
  * @param onKnown called for every window in order as soon as all its bytes are read. For columns
  *   whose values select the values of other columns. Without it, the scan does not wait for bytes
  *   before they are decoded
  */
final private[file] class ArrayScan(
    place: Place,
    pages: IndexedSeq[PageMetadata],
    decoder: PageMetadata => ArrayDecoder,
    fileReads: FileReads,
    onKnown: Option[(PageMetadata, ArrayRead) => Unit]
) extends PlannedWindows {
  private val wanted = new Ring[RowRange]
  private var wantedUntil = 0L
  private val windows = new Ring[Window]
  private var numReported = 0
  private var nextPage = 0
  private var lastPage: OpenPage = null
  private val windowBytes = fileReads.windowBytes
  private val schedule = new RoundSchedule(fileReads)
  private val bytes = schedule.bytes
  private val numValues = pages.lastOption.fold(0L)(_.endRow)
  private var firstSized = 0

  /** Returns the end of a batch that starts at `value`, as [[ColumnScan.batchEnd]] does, based on
    * the mean value sizes of its pages. `Long.MaxValue` if all remaining values fit. Call in
    * ascending order of values.
    */
  def batchEnd(value: Long): Long = {
    while (firstSized < pages.length && pages(firstSized).endRow <= value) firstSized += 1
    var bytesLeft = ColumnScan.batchBytes
    var end = value
    var i = firstSized
    while (i < pages.length) {
      val page = pages(i)
      val valueBytes = page.meanRowBytes
      val inPage = page.endRow - end
      if (bytesLeft / valueBytes < inPage)
        return math.max(value + 1, end + bytesLeft / valueBytes)
      bytesLeft -= inPage * valueBytes
      end = page.endRow
      i += 1
    }
    Long.MaxValue
  }

  /** Adds values to read, after all values added before.
    *
    * @throws CorruptFileException if the column does not have these values, or they precede earlier
    *   ones
    */
  def want(values: RowRange): Unit = if (!values.isEmpty) {
    if (values.from < wantedUntil || values.until > numValues)
      throw new CorruptFileException(
        s"values [${values.from}, ${values.until}) after $wantedUntil of a column of $numValues values",
        place
      )
    wantedUntil = values.until
    if (wanted.nonEmpty && wanted.last.until == values.from)
      wanted(wanted.length - 1) = RowRange(wanted.last.from, values.until)
    else wanted.append(values)
  }

  /** Requests the bytes of the next values, as far as possible without waiting for unsubmitted
    * requests, and of later values.
    *
    * @return whether it must be called again after the requests are submitted
    */
  def request(numValues: Int): Boolean = {
    var again = false
    var covered = 0L
    var i = 0
    while (covered < numValues) {
      if (i == windows.length) planWindow()
      val window = windows(i)
      if (!window.advance(isWaiting = true)) again = true
      covered += window.numLeft
      i += 1
    }
    reportKnown()
    planAhead()
    again
  }

  /** Requests bytes of later values, without waiting. */
  def planAhead(): Unit = {
    schedule.request(this)
    reportKnown()
  }

  def numWindows: Int = windows.length

  def advance(window: Int): Unit = windows(window).advance(isWaiting = false): Unit

  def plan(): Boolean = wanted.nonEmpty && {
    planWindow()
    true
  }

  private def reportKnown(): Unit = onKnown.foreach { report =>
    while (numReported < windows.length && windows(numReported).isKnown) {
      val window = windows(numReported)
      window.page.in(report(window.page.metadata, window.read))
      numReported += 1
    }
  }

  /** Appends the next values, after [[request]]. */
  def read(numValues: Int, out: NullableValues): Unit =
    portions(numValues) { (window, n) =>
      if (n > ArrayScan.mostWithoutBytes && !window.page.decoder.takesBytes)
        throw new UnsupportedFeatureException(s"$n values without bytes in one batch")
      window.read.decode(n, out)
    }

  /** Appends the next values as positions in the items of their page. Returns null without reading
    * anything if the values are from several pages, or have no items.
    */
  def readIndices(numValues: Int, out: NullableValues): Values =
    if (numValues == 0) null
    else
      windows.head.page.decoder match {
        case node: DictionaryDecoder if isOnePage(numValues) =>
          portions(numValues) { (window, n) =>
            window.read.asInstanceOf[DictionaryRead].decodeIndices(n, out)
          }
          node.items
        case _ => null
      }

  /** Skips the next values if all of them are nulls without bytes. Returns whether it did. */
  def skipNulls(numValues: Int): Boolean = {
    val isNull = numValues > 0 && windows.head.page.decoder.isAllNulls && isOnePage(numValues)
    if (isNull) portions(numValues)((_, _) => ())
    isNull
  }

  private def isOnePage(numValues: Int): Boolean = {
    val page = windows.head.page
    var covered = 0L
    var i = 0
    while (covered < numValues && windows(i).page == page) {
      covered += windows(i).numLeft
      i += 1
    }
    covered >= numValues
  }

  private def portions(numValues: Int)(body: (Window, Int) => Unit): Unit = {
    var left = numValues
    while (left > 0) {
      val window = windows.head
      window.finish()
      val n = math.min(left.toLong, window.numLeft).toInt
      window.page.in(body(window, n))
      window.numLeft -= n
      left -= n
      if (window.numLeft == 0) {
        windows.removeHead().close()
        if (numReported > 0) numReported -= 1
      }
    }
  }

  /** Starts the next window. */
  private def planWindow(): Unit = {
    if (wanted.isEmpty)
      throw new CorruptFileException(
        "the batch needs more values of the column than its lists have",
        place
      )
    val range = wanted.removeHead()
    while (pages(nextPage).endRow <= range.from) nextPage += 1
    val metadata = pages(nextPage)
    if (lastPage == null || lastPage.metadata != metadata) {
      lastPage = new OpenPage(metadata, numWanted(Iterator(range) ++ wanted.iterator, metadata))
      fileReads.beginPage()
    }
    val from = range.from - metadata.firstRow
    val most = math.min(range.until, metadata.endRow) - metadata.firstRow
    val until = if (lastPage.isWhole) most else math.min(most, from + lastPage.windowValues)
    val rest = metadata.firstRow + until
    if (rest < range.until) wanted.prepend(RowRange(rest, range.until))
    windows.append(new Window(lastPage, RowRange(from, until)))
  }

  /** Returns the number of requested values in a page that are known so far. */
  private def numWanted(ranges: Iterator[RowRange], page: PageMetadata): Long =
    ranges
      .takeWhile(_.from < page.endRow)
      .map(r => math.min(r.until, page.endRow) - math.max(r.from, page.firstRow))
      .sum

  /** Runs `body`, and adds the page to its errors. */
  def in[A](page: PageMetadata)(body: => A): A = {
    def here: Place = place.copy(
      page = Some(page.number),
      offsetBytes = page.buffers.find(_.length > 0).map(_.offset)
    )
    Place.in(here)(fileReads.decoding(body))
  }

  /** A page with the buffers that are read whole. */
  final private class OpenPage(val metadata: PageMetadata, numWanted: Long) {
    val decoder: ArrayDecoder = in(ArrayScan.this.decoder(metadata))
    private val pageHead = fileReads.head(metadata.sizeBytes, metadata.numRows, numWanted)

    /** Whether all buffers are requested with the page. */
    def isWhole: Boolean = pageHead.isWhole

    /** By position; null for buffers not read whole. */
    private val requests = fileReads.requestHead(pageHead, metadata.allBuffers, decoder.head)
    private var isOpen = false

    /** By position; set for buffers read whole after the page was opened. */
    val buffers = new Array[Buffer](requests.length)

    private val headBytes: Long = requests.iterator.filter(_ != null).map(_.range.length).sum
    private var isBegun = false
    private var isEnded = false
    bytes.request(headBytes)

    /** Called when its first window is read. */
    def begin(): Unit = if (!isBegun) {
      isBegun = true
      bytes.begin(headBytes)
    }

    /** Called when the last of the windows planned so far is decoded. */
    def end(): Unit = if (!isEnded) {
      isEnded = true
      bytes.end(headBytes)
    }

    /** Number of values of a window. */
    def windowValues: Long =
      math.max(1L, windowBytes * 8 / math.max(1L, decoder.bitsPerValue))

    /** Opens the page if its buffers are read, or can be awaited. Returns whether the page is open.
      */
    def open(isWaiting: Boolean): Boolean = {
      if (!isOpen && requests.forall(r => r == null || ArrayScan.isReady(r, isWaiting))) {
        requests.indices.foreach(i => if (requests(i) != null) buffers(i) = requests(i).await())
        in(decoder.open(buffers))
        isOpen = true
      }
      isOpen
    }

    def in[A](body: => A): A = ArrayScan.this.in(metadata)(body)
  }

  /** Consecutive values of a page, from the first request of their bytes on. */
  final private class Window(val page: OpenPage, values: RowRange) {
    var numLeft: Long = values.numRows

    /** Null until the page is open. */
    var read: ArrayRead = null
    private var needs = IndexedSeq.empty[PageRange]
    private var requests: IndexedSeq[RangeRequest] = null
    private var requestedBytes = 0L
    private var heldBytes = 0L

    private def this(page: OpenPage, numValues: Long, read: ArrayRead) = {
      this(page, RowRange(0, numValues))
      this.read = read
    }

    /** Whether the read has received all its bytes. */
    def isKnown: Boolean = read != null && requests == null && read.needs.isEmpty

    /** Advances the window as far as possible.
      *
      * @param isWaiting whether to wait for bytes that are being read
      * @return whether all bytes are requested; for columns that select values of others, whether
      *   they are read
      */
    def advance(isWaiting: Boolean): Boolean =
      if (page.isWhole && onKnown.isEmpty) true
      else if (!page.open(isWaiting)) false
      else page.in(goOn(isWaiting))

    private def goOn(isWaiting: Boolean): Boolean = {
      if (read == null) read = page.decoder.read(values)
      if (page.isWhole) supplyAll()
      var isDone = false
      var isBlocked = false
      while (!isDone && !isBlocked) {
        if (requests == null) requestNeeded()
        isDone = requests == null || (onKnown.isEmpty && read.isLast)
        if (!isDone)
          if (requests.forall(ArrayScan.isReady(_, isWaiting))) supply() else isBlocked = true
      }
      isDone
    }

    /** Requests the bytes that the read needs next. */
    private def requestNeeded(): Unit = {
      split()
      needs = read.needs
      if (needs.nonEmpty) {
        requests = needs.map(r => fileReads.request(absolute(r)))
        val more = requests.iterator.map(_.range.length).sum
        requestedBytes += more
        heldBytes += more
        bytes.request(more)
      }
    }

    private def split(): Unit = read.splitOff(windowBytes).foreach { case (left, rest) =>
      val window = new Window(page, numLeft - left, rest)
      numLeft = left.toLong
      windows.insert(windows.indexOf(this) + 1, window)
    }

    private def supply(): Unit = {
      val sent = requests
      requests = null
      read.supply(sent.map(_.await()))
    }

    private def supplyAll(): Unit = {
      var needs = read.needs
      while (needs.nonEmpty) {
        read.supply(needs.map { r =>
          page.buffers(r.buffer).slice(r.offset, r.length)
        })
        needs = read.needs
      }
    }

    private def absolute(r: PageRange): ByteRange = {
      val buffer = page.metadata.allBuffers(r.buffer)
      CorruptFileException.check(
        r.offset >= 0 && r.length >= 0 && r.offset <= buffer.length && r.length <= buffer.length - r.offset,
        s"values are at bytes [${r.offset}, ${r.offset + r.length}) of buffer ${r.buffer}, which has ${buffer.length}"
      )
      ByteRange(buffer.offset + r.offset, r.length)
    }

    /** Waits for the bytes. They no longer count as read-ahead. */
    def finish(): Unit = {
      if (!page.open(isWaiting = true))
        throw new InvalidRequestException("values are read before they are requested", place)
      page.in {
        if (read == null) goOn(isWaiting = true): Unit
        if (requests != null) supply()
      }
      bytes.begin(requestedBytes)
      requestedBytes = 0
      page.begin()
    }

    /** Ends the window after its last value was decoded. */
    def close(): Unit = {
      bytes.end(heldBytes)
      if (windows.isEmpty || (windows.head.page ne page)) page.end()
    }
  }
}

private[file] object ArrayScan {

  /** Maximum number of values of a batch that have no bytes. */
  private val mostWithoutBytes = 1 << 24

  /** Whether a request can be awaited: immediately, or after waiting for storage. */
  private def isReady(request: RangeRequest, isWaiting: Boolean): Boolean =
    if (isWaiting) request.isSubmitted else request.isDone
}
