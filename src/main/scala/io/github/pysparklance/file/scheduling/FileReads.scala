// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import java.nio.BufferUnderflowException

import scala.collection.mutable

import io.github.pysparklance.core.{Buffer, ByteRange, CorruptFileException}
import io.github.pysparklance.storage.cache.RangeCache
import io.github.pysparklance.storage.requests.{RangeCoalescing, SpareArrays, StartedRead}
import io.github.pysparklance.storage.spi.RangeReader

/** Reads ranges of one file in the background. Collects requests until [[submit]], which sorts
  * them, merges near ones, and passes them to the thread pool shared by all readers of the process.
  * If no thread has started to read a range, the awaiting thread reads it. Used by one thread at a
  * time.
  *
  * Owns the arrays that bytes are read into. [[RangeRequest.release]] returns an array for reuse by
  * later requests.
  *
  * @param share share of the fragment
  * @param numColumns number of columns that are read together
  */
final private[pysparklance] class FileReads private[scheduling] (
    reader: RangeReader,
    share: ReadShare,
    numColumns: Int
) extends AutoCloseable {

  /** Approximate number of bytes of one column that are decoded at a time. */
  val windowBytes: Long = share.budget.windowBytes(numColumns)

  /** Whether bytes are requested long before they are needed. */
  private[scheduling] val isRemote: Boolean = reader.profile.isRemote

  /** Maximum number of bytes that all columns together request ahead on remote storage. On local
    * storage, each column requests its next window.
    */
  private[scheduling] val maxBytesAhead: Long = if (isRemote) share.budget.bytesAhead else 0L

  /** Gaps up to this size between ranges are also read. */
  private val maxGapBytes = share.budget.maxGapBytes.getOrElse(reader.maxGapBytes.toLong)

  private var aheadBytes = 0L
  private var heldBytes = 0L
  private var schedule: (Long, Boolean) => Unit = (_, _) => ()

  private[scheduling] def scheduler: ReadScheduler = share.scheduler

  /** Bytes of all columns that are requested and not being decoded. */
  def ahead: Long = aheadBytes

  private[scheduling] def addAhead(bytes: Long): Unit = aheadBytes += bytes

  private[scheduling] def addHeld(bytes: Long): Unit = {
    heldBytes += bytes
    scheduler.add(bytes)
  }

  /** Counts the bytes of a column that requests at most one window ahead by itself. On remote
    * storage, a [[ColumnSchedule]] requests further windows.
    */
  def column(): ColumnBytes = new ColumnBytes(this, windowBytes)

  /** Counts the bytes of a column that requests its part of the read-ahead by itself. */
  private[scheduling] def partOfColumns(): ColumnBytes =
    new ColumnBytes(this, math.max(windowBytes, maxBytesAhead / math.max(1, numColumns)))

  /** Counts the bytes of all columns, which request the read-ahead together. */
  private[scheduling] def allColumns(numColumns: Int): ColumnBytes =
    new ColumnBytes(this, math.max(maxBytesAhead, windowBytes * math.max(1, numColumns)))

  /** Sets how bytes are requested ahead of the first rows.
    *
    * @param request takes the maximum number of bytes, and whether to wait for bytes that locate
    *   others
    */
  def onReadAhead(request: (Long, Boolean) => Unit): Unit = schedule = request

  private[scheduling] def readAhead(maxBytes: Long, isWaiting: Boolean): Unit =
    if (isRemote && scheduler.readsAhead) schedule(maxBytes, isWaiting)

  private val gathered = mutable.ArrayBuffer.empty[RangeRequest]
  private var pages = 0L
  private val running = mutable.ArrayBuffer.empty[StartedRead]
  private val spare = new SpareArrays(FileReads.maxSpareArrays, FileReads.maxSpareBytes)

  /** Requests a range. Nothing is read before [[submit]]. */
  def request(range: ByteRange): RangeRequest = gather(new RangeRequest(range))

  /** Requests a range that later readers of the file need, too. Returns it from the cache if
    * possible.
    */
  private def requestKept(range: ByteRange): RangeRequest =
    RangeCache.shared.get(reader, range) match {
      case None => gather(new RangeRequest(range, keep = RangeCache.shared.put(reader, range, _)))
      case known => new RangeRequest(range, known)
    }

  private def gather(request: RangeRequest): RangeRequest = {
    if (request.range.length > 0) gathered += request
    request
  }

  /** Decides how the bytes of a page are requested, see [[PageHead.of]]. */
  def head(pageBytes: Long, numRows: Long, numWantedRows: Long): PageHead =
    PageHead.of(pageBytes, numRows, numWantedRows, windowBytes)

  /** Requests the buffers of a page that are read before its rows: all buffers if the page is read
    * whole, otherwise its head. Heads are cached for later readers of the file.
    *
    * @param buffers buffers of the page
    * @param ofHead positions of the head's buffers
    * @return a request for each buffer; null for buffers not read here
    */
  def requestHead(
      head: PageHead,
      buffers: IndexedSeq[ByteRange],
      ofHead: Seq[Int]
  ): Array[RangeRequest] = {
    val requests = new Array[RangeRequest](buffers.length)
    if (head.isWhole) buffers.indices.foreach(i => requests(i) = request(buffers(i)))
    else ofHead.foreach(i => if (requests(i) == null) requests(i) = requestKept(buffers(i)))
    requests
  }

  /** Whether to read only the part of the head that locates the requested rows, if the encoding
    * supports it. Not if the head is read anyway, or cached.
    */
  def readsPartOfHead(
      head: PageHead,
      buffers: IndexedSeq[ByteRange],
      ofHead: Seq[Int]
  ): Boolean =
    !head.isWhole && !ofHead.forall(i => RangeCache.shared.get(reader, buffers(i)).isDefined)

  /** Whether the rows of a page are requested before their batch. Rows of a page that is read whole
    * need no requests. On remote storage, they are planned with their batch, so that later pages
    * are requested first.
    */
  def requestsRowsAhead(head: PageHead): Boolean = !(isRemote && head.isWhole)

  /** Decodes bytes that were read. Converts runtime errors of decoders to corruption errors, and
    * evicts the bytes of a corrupt file from the cache.
    */
  def decoding[A](body: => A): A = RangeCache.shared.forgettingDamage(reader) {
    try body
    catch {
      case e @ (_: IndexOutOfBoundsException | _: NegativeArraySizeException | _: ArithmeticException |
          _: BufferUnderflowException) =>
        throw new CorruptFileException(s"its bytes are inconsistent ($e)", cause = e)
    }
  }

  /** Records that a page was started. */
  def beginPage(): Unit = pages += 1

  /** Number of pages started. */
  def numPages: Long = pages

  /** Starts to read all requested ranges. */
  def submit(): Unit = if (gathered.nonEmpty) {
    forgetDone()
    val ranges = gathered.iterator.map(_.range).toIndexedSeq
    val plan = RangeCoalescing.plan(ranges, maxGapBytes, reader.profile.maxRequestBytes.toLong)
    plan.foreach { read =>
      val started = new StartedRead(reader, read, spare)
      read.members.foreach(i => gathered(i).assign(started))
      running += started
    }
    gathered.clear()
  }

  /** Number of reads whose bytes are referenced. */
  private[scheduling] def numReferenced: Int = running.length

  /** Drops references to the bytes of finished reads. */
  private[scheduling] def forgetDone(): Unit = {
    val unfinished = running.filterNot(_.isDone)
    running.clear()
    running ++= unfinished
  }

  /** Cancels reads that have not started. Running reads finish by themselves. */
  def close(): Unit = {
    share.remove(this)
    addHeld(-heldBytes)
    gathered.clear()
    running.foreach(_.cancel())
    running.clear()
  }
}

private[pysparklance] object FileReads {

  /** Reads ranges of a file outside of a task. */
  def of(reader: RangeReader): FileReads =
    new ReadScheduler(ReadBudget.default).share().file(reader, 1)

  /** As many arrays as a column reads at a time. */
  private val maxSpareArrays = 3

  /** Maximum size of a spare array. Windows are smaller, except windows of a single row. */
  private val maxSpareBytes: Int = 2 << 20
}

/** A requested range.
  *
  * @param known the bytes, if they need not be read
  * @param keep called with the bytes after they were read
  */
final private[pysparklance] class RangeRequest(
    val range: ByteRange,
    known: Option[Buffer] = None,
    keep: Buffer => Unit = _ => ()
) {
  private var read: StartedRead = null

  private[scheduling] def assign(read: StartedRead): Unit = this.read = read

  /** Whether [[await]] may be called. */
  def isSubmitted: Boolean = range.length == 0 || known.isDefined || read != null

  /** Whether [[await]] returns without waiting. */
  def isDone: Boolean =
    range.length == 0 || known.isDefined || (read != null && read.isDone)

  /** Returns the bytes of a submitted request. Throws errors of the read. */
  def await(): Buffer =
    if (range.length == 0) Buffer.empty
    else
      known.getOrElse {
        val bytes = read.await().slice(range.offset - read.range.offset, range.length)
        keep(bytes)
        bytes
      }

  /** Releases the bytes, which must not be used afterwards. Call at most once, after [[await]]. */
  def release(): Unit = if (read != null) read.release()
}
