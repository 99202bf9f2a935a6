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

/** Reads the wanted values of one column of a 2.0 file from front to back. Values are rows, or items where the column
  * is below a list: which of those are wanted is only known once the lists are read, so ranges are added as they turn
  * up, and a portion may come out of several pages.
  *
  * Bytes are asked for in windows, each in as many rounds as its page's encodings take: offsets of strings first, their
  * bytes next. A batch takes [[request]] until it answers false, with the requests submitted in between, and [[read]].
  *
  * @param place the file and the column
  * @param pages in row order
  * @param decoder makes the decoder of a page
  * @param onKnown told of every window in order as soon as all its bytes are there, for columns whose values decide
  *   about those of others; None for all others, which are not waited for before they are read
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
  private var told = 0
  private var nextPage = 0
  private var lastPage: OpenPage = null
  private val windowBytes = fileReads.windowBytes
  private val schedule = new RoundSchedule(fileReads)
  private val bytes = schedule.bytes
  private val numValues = pages.lastOption.fold(0L)(_.endRow)
  private var firstSized = 0

  /** The value before which a batch from `value` on ends, as that of [[ColumnScan.batchEnd]]: by the mean sizes of the
    * values of the pages that it reaches into; `Long.MaxValue` when all the others fit. Values come in ascending order.
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

  /** Adds values to read, behind all that were added before.
    *
    * @throws CorruptFileException when the column does not have them, or they are not behind the others
    */
  def want(values: RowRange): Unit = if (!values.isEmpty) {
    if (values.from < wantedUntil || values.until > numValues)
      throw new CorruptFileException(
        s"values [${values.from}, ${values.until}) wanted after $wantedUntil of a column of $numValues",
        place
      )
    wantedUntil = values.until
    if (wanted.nonEmpty && wanted.last.until == values.from)
      wanted(wanted.length - 1) = RowRange(wanted.last.from, values.until)
    else wanted.append(values)
  }

  /** Asks for the bytes of the next values as far as can be done without waiting for requests that are not submitted
    * yet, and for more ahead.
    *
    * @return whether it has to be called again after those are submitted
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
    tellKnown()
    planAhead()
    again
  }

  /** Asks for bytes of values that come later, without waiting. */
  def planAhead(): Unit = {
    schedule.request(this)
    tellKnown()
  }

  def numWindows: Int = windows.length

  def advance(window: Int): Unit = windows(window).advance(isWaiting = false): Unit

  def plan(): Boolean = wanted.nonEmpty && {
    planWindow()
    true
  }

  private def tellKnown(): Unit = onKnown.foreach { tell =>
    while (told < windows.length && windows(told).isKnown) {
      val window = windows(told)
      window.page.in(tell(window.page.metadata, window.read))
      told += 1
    }
  }

  /** Appends the next values, after [[request]]. */
  def read(numValues: Int, out: NullableValues): Unit =
    portions(numValues) { (window, n) =>
      if (n > ArrayScan.mostWithoutBytes && !window.page.decoder.takesBytes)
        throw new UnsupportedFeatureException(s"$n values without bytes in one batch")
      window.read.decode(n, out)
    }

  /** The same as positions among the items of their page; null without having read anything when these values are of
    * several pages, or have no items.
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

  /** Passes over the next values when all of them are nulls that take no bytes; answers whether. */
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
        if (told > 0) told -= 1
      }
    }
  }

  /** Begins the window that comes next. */
  private def planWindow(): Unit = {
    if (wanted.isEmpty)
      throw new CorruptFileException(
        "more values are wanted of the column than its lists have",
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

  /** How many of the ranges' values are in a page, as far as is known. */
  private def numWanted(ranges: Iterator[RowRange], page: PageMetadata): Long =
    ranges
      .takeWhile(_.from < page.endRow)
      .map(r => math.min(r.until, page.endRow) - math.max(r.from, page.firstRow))
      .sum

  /** Errors of `body` know the page. */
  def in[A](page: PageMetadata)(body: => A): A = {
    def here: Place = place.copy(
      page = Some(page.number),
      offsetBytes = page.buffers.find(_.length > 0).map(_.offset)
    )
    Place.in(here)(fileReads.decoding(body))
  }

  /** A page with its buffers that are read whole. */
  final private class OpenPage(val metadata: PageMetadata, numWanted: Long) {
    val decoder: ArrayDecoder = in(ArrayScan.this.decoder(metadata))
    private val pageHead = fileReads.head(metadata.sizeBytes, metadata.numRows, numWanted)

    /** Whether all buffers are requested with the page. */
    def isWhole: Boolean = pageHead.isWhole

    /** By position; null for buffers not read whole. */
    private val requests = fileReads.requestHead(pageHead, metadata.allBuffers, decoder.head)
    private var isOpen = false

    /** By position; those read whole, once the page is open. */
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

    /** Called when its last window is decoded, as far as windows are planned. */
    def end(): Unit = if (!isEnded) {
      isEnded = true
      bytes.end(headBytes)
    }

    /** Values of a window. */
    def windowValues: Long =
      math.max(1L, windowBytes * 8 / math.max(1L, decoder.bitsPerValue))

    /** Opens the page when its buffers are there, or can be waited for. */
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
    private var askedBytes = 0L
    private var heldBytes = 0L

    private def this(page: OpenPage, numValues: Long, read: ArrayRead) = {
      this(page, RowRange(0, numValues))
      this.read = read
    }

    /** Whether all bytes are handed over. */
    def isKnown: Boolean = read != null && requests == null && read.needs.isEmpty

    /** Goes on as far as possible.
      *
      * @param isWaiting whether bytes that are on their way are waited for
      * @return whether everything is asked for; for columns that decide about others: whether it is there
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
        if (requests == null) ask()
        isDone = requests == null || (onKnown.isEmpty && read.isLast)
        if (!isDone)
          if (requests.forall(ArrayScan.isReady(_, isWaiting))) supply() else isBlocked = true
      }
      isDone
    }

    /** Makes requests of what is needed next. */
    private def ask(): Unit = {
      split()
      needs = read.needs
      if (needs.nonEmpty) {
        requests = needs.map(r => fileReads.request(absolute(r)))
        val more = requests.iterator.map(_.range.length).sum
        askedBytes += more
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
      val asked = requests
      requests = null
      read.supply(asked.map(_.await()))
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
        s"values lie at bytes [${r.offset}, ${r.offset + r.length}) of buffer ${r.buffer}, which has ${buffer.length}"
      )
      ByteRange(buffer.offset + r.offset, r.length)
    }

    /** Waits for the bytes; from here on they do not count as ahead any more. */
    def finish(): Unit = {
      if (!page.open(isWaiting = true))
        throw new InvalidRequestException("values are read before they are asked for", place)
      page.in {
        if (read == null) goOn(isWaiting = true): Unit
        if (requests != null) supply()
      }
      bytes.begin(askedBytes)
      askedBytes = 0
      page.begin()
    }

    /** Ends the window when its last value is decoded. */
    def close(): Unit = {
      bytes.end(heldBytes)
      if (windows.isEmpty || (windows.head.page ne page)) page.end()
    }
  }
}

private[file] object ArrayScan {

  /** Values of a batch that nothing but their number stands for. */
  private val mostWithoutBytes = 1 << 24

  /** Whether a request can be awaited: at once, or after waiting for storage. */
  private def isReady(request: RangeRequest, isWaiting: Boolean): Boolean =
    if (isWaiting) request.isSubmitted else request.isDone
}
