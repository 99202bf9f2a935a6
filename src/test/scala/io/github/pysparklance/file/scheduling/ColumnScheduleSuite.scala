// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.ByteRange

/** Which column requests what, in which order, and how much is in flight. */
class ColumnScheduleSuite extends AnyFunSuite {
  private val headBytes = 1000L
  private val mebibyte = 1L << 20

  /** A column of pages of equal size, each a head and then windows of one row.
    *
    * @param firstByte where its pages begin in the file, at a distance of 1 GiB
    * @param windowBytes bytes of a row
    */
  final private class Column(
      reads: FileReads,
      firstByte: Long,
      numPages: Int,
      rowsPerPage: Int,
      windowBytes: Long,
      sparse: Boolean = false
  ) extends PlannedColumn {
    val bytes: ColumnBytes = reads.column()
    private var heads = IndexedSeq.empty[RangeRequest]
    private var windows = IndexedSeq.empty[RangeRequest]
    private def rows = windows.length
    private def firstPending = rows / rowsPerPage

    def requestedUntil: Long = if (rows == numPages * rowsPerPage) Long.MaxValue else rows.toLong
    def pending: PendingPages = {
      val n = heads.length - firstPending
      PendingPages(n, n * rowsPerPage * windowBytes)
    }
    def numOpen: Int = heads.length
    def nextHead: Option[PageHead] =
      if (heads.length < numPages) Some(PageHead(sparse, isWhole = false)) else None
    def isSparse: Boolean = sparse

    private def page(i: Int) = firstByte + i * (1L << 30)
    def head(i: Int): ByteRange = ByteRange(page(i), headBytes)
    def window(row: Int): ByteRange = ByteRange(
      page(row / rowsPerPage) + headBytes + row % rowsPerPage * (windowBytes + 1) + 1,
      windowBytes
    )

    def requestHead(): Unit = {
      heads :+= reads.request(head(heads.length))
      bytes.request(headBytes)
    }

    def requestRows(isWaiting: Boolean): Boolean = {
      val head = heads(firstPending)
      val isReady = if (isWaiting) head.isSubmitted else head.isDone
      if (isReady) {
        head.await()
        windows :+= reads.request(window(rows))
        bytes.request(windowBytes)
      }
      isReady
    }

    /** Takes a row for decoding, and requests it if need be. */
    def decode(row: Int): Unit = {
      while (heads.length <= row / rowsPerPage) requestHead()
      while (rows <= row) {
        reads.submit()
        requestRows(isWaiting = true)
      }
      reads.submit()
      if (row % rowsPerPage == 0) bytes.begin(headBytes)
      bytes.begin(windowBytes)
      bytes.end(windowBytes)
    }
  }

  private def reads(
      storage: ManualStorage,
      numColumns: Int,
      memory: TaskMemory = TaskMemory.unlimited
  ): FileReads =
    new ReadScheduler(ReadBudget.default, memory).share().file(storage.reader, numColumns)

  private def request(schedule: ColumnSchedule): Unit = schedule.request(() => false)

  test("a local column requests one window ahead, and the next head after all rows of a page") {
    val storage = new ManualStorage(isRemote = false)
    val r = reads(storage, 2)
    val a = new Column(r, 0, numPages = 3, rowsPerPage = 4, windowBytes = mebibyte / 2)
    val b = new Column(r, 1L << 35, numPages = 3, rowsPerPage = 4, windowBytes = mebibyte / 4)
    val schedule = new ColumnSchedule(r, IndexedSeq(a, b))
    request(schedule)
    assert(storage.complete() == Seq(a.head(0), b.head(0)))
    request(schedule)
    // up to 1 MiB each, and what begins below it
    assert(storage.complete() ==
      Seq(a.window(0), a.window(1), b.window(0), b.window(1), b.window(2), b.window(3)))
    request(schedule)
    assert(storage.inFlight == 0)
    a.decode(0)
    request(schedule)
    assert(storage.complete() == Seq(a.window(2)))
    // all rows of b's page are requested: the head of its next page comes as soon as there is room
    (0 to 1).foreach(b.decode)
    request(schedule)
    assert(storage.complete() == Seq(b.head(1)))
  }

  test("remote columns share the read-ahead, and the column furthest behind comes first") {
    val storage = new ManualStorage(isRemote = true)
    val r = reads(storage, 2)
    val wide = new Column(r, 0, numPages = 100, rowsPerPage = 16, windowBytes = mebibyte)
    val narrow = new Column(r, 1L << 38, numPages = 100, rowsPerPage = 16, windowBytes = 1024)
    val schedule = new ColumnSchedule(r, IndexedSeq(wide, narrow))
    request(schedule)
    // Waits for the first heads, and then requests heads of later pages before rows.
    val first = storage.complete()
    assert(first.take(2).toSet == Set(wide.head(0), narrow.head(0)))
    request(schedule)
    val ahead = ReadBudget.default.bytesAhead
    assert(r.ahead >= ahead && r.ahead < ahead + mebibyte + 2000)
    val behind = wide.requestedUntil - narrow.requestedUntil
    assert(math.abs(behind) <= 1, "both have requested as many rows")
    storage.complete()

    // nothing is requested before a quarter is used up, then several windows at once
    val until = wide.requestedUntil
    (0 until 3).foreach { i => wide.decode(i); narrow.decode(i) }
    request(schedule)
    assert(storage.inFlight == 0 && wide.requestedUntil == until)
    (3 until 6).foreach { i => wide.decode(i); narrow.decode(i) }
    request(schedule)
    assert(storage.inFlight >= 5 && wide.requestedUntil >= until + 5)
    assert(r.ahead < ahead + mebibyte + 2000)
  }

  test("a take from remote storage requests the heads of all pages, then all rows: two rounds") {
    val storage = new ManualStorage(isRemote = true)
    val r = reads(storage, 1)
    val pages = 100
    val a =
      new Column(r, 0, numPages = pages, rowsPerPage = 1, windowBytes = 4096, sparse = true)
    val schedule = new ColumnSchedule(r, IndexedSeq(a))
    schedule.readAhead(ReadBudget.default.bytesAhead, isWaiting = false)
    assert(storage.complete() == (0 until pages).map(a.head))
    schedule.readAhead(ReadBudget.default.bytesAhead, isWaiting = false)
    assert(storage.complete() == (0 until pages).map(a.window))
  }

  test("a local take requests the heads of eight pages at a time") {
    val storage = new ManualStorage(isRemote = false)
    val r = reads(storage, 1)
    val a = new Column(r, 0, numPages = 100, rowsPerPage = 1, windowBytes = 4096, sparse = true)
    request(new ColumnSchedule(r, IndexedSeq(a)))
    assert(storage.complete() == (0 until 8).map(a.head))
  }

  test("without memory there is no read-ahead, until memory is available again") {
    var free = 0L
    val memory = new TaskMemory {
      def acquire(bytes: Long): Long = math.min(bytes, free)
      def release(bytes: Long): Unit = ()
    }
    for (isRemote <- Seq(true, false)) {
      free = 0L
      val storage = new ManualStorage(isRemote)
      val scheduler = new ReadScheduler(ReadBudget.default, memory)
      val r = scheduler.share().file(storage.reader, 1)
      val a = new Column(r, 0, numPages = 3, rowsPerPage = 4, windowBytes = mebibyte)
      val schedule = new ColumnSchedule(r, IndexedSeq(a))
      scheduler.hold(1)
      request(schedule)
      assert(storage.inFlight == 0)
      a.decode(0)
      storage.complete()
      request(schedule)
      assert(storage.inFlight == 0)
      free = 1L << 30
      (0 to 64).foreach(_ => scheduler.hold(1))
      request(schedule)
      assert(storage.inFlight > 0)
    }
  }

  test("bytes are held from their request until they are decoded, or the file is closed") {
    val storage = new ManualStorage(isRemote = true)
    val scheduler = new ReadScheduler(ReadBudget.default)
    val r = scheduler.share().file(storage.reader, 1)
    val a = new Column(r, 0, numPages = 2, rowsPerPage = 4, windowBytes = mebibyte)
    val schedule = new ColumnSchedule(r, IndexedSeq(a))
    request(schedule)
    storage.complete()
    request(schedule)
    assert(scheduler.numBytes == 8 * mebibyte + 2 * headBytes)
    a.decode(0)
    assert(scheduler.numBytes == 7 * mebibyte + 2 * headBytes)
    r.close()
    assert(scheduler.numBytes == 0)
  }

  test("small pages, and mostly requested pages within two windows, are read whole") {
    def head(numRows: Long, wanted: Long): PageHead =
      PageHead.of(numRows * 10, numRows, wanted, windowBytes = 100000L)
    assert(head(10, 1) == PageHead(isSparse = true, isWhole = true))
    assert(head(20000, 15000) == PageHead(isSparse = false, isWhole = true))
    assert(head(20000, 5000) == PageHead(isSparse = true, isWhole = false))
    assert(head(30000, 30000) == PageHead(isSparse = false, isWhole = false))
  }

  test("rows of whole pages are requested with their batch on remote storage") {
    for (isRemote <- Seq(true, false); isWhole <- Seq(true, false)) {
      val r = reads(new ManualStorage(isRemote), 1)
      assert(r.requestsRowsAhead(PageHead(isSparse = false, isWhole)) == !(isRemote && isWhole))
    }
  }

  test("a whole page requests all buffers once, other pages only the head's buffers") {
    val storage = new ManualStorage(isRemote = true)
    val r = reads(storage, 1)
    val buffers = IndexedSeq(ByteRange(0, 10), ByteRange(5000, 20), ByteRange(90000, 30))
    val whole = r.requestHead(PageHead(isSparse = false, isWhole = true), buffers, Seq(1))
    val head = r.requestHead(PageHead(isSparse = true, isWhole = false), buffers, Seq(1, 1))
    r.submit()
    assert(whole.map(_.range).toSeq == buffers)
    assert(head.map(_ != null).toSeq == Seq(false, true, false) && head(1).range == buffers(1))
    assert(!r.readsPartOfHead(PageHead(isSparse = true, isWhole = true), buffers, Seq(1)))
    assert(r.readsPartOfHead(PageHead(isSparse = true, isWhole = false), buffers, Seq(1)))
    assert(!r.readsPartOfHead(PageHead(isSparse = true, isWhole = false), buffers, Nil))
  }
}
