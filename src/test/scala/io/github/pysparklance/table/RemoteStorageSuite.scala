// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.io.IOException
import java.nio.file.{Files, Paths}
import java.util.concurrent.atomic.AtomicLong

import scala.util.{Random, Using}

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.{Assertion, BeforeAndAfterAll, BeforeAndAfterEach}

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.{FileVersion, Footer}
import io.github.pysparklance.file.scheduling.ReadBudget
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.cache.RangeCache
import io.github.pysparklance.storage.hadoop.HadoopConf
import io.github.pysparklance.storage.spi.{FileStore, RevocableStore}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.{
  FilterHistory,
  FilteredReader,
  FragmentQueue,
  FragmentReader,
  FragmentScan,
  MetadataColumn,
  RowPredicate
}
import io.github.pysparklance.testkit.{SlowFileSystem, SlowRequest, VirtualStore}

/** Reads through the Hadoop code from a store with 30 ms latency and 100 MB/s. Its virtual clock
  * advances only during requests. Decoding takes no time, so all idle time comes from requests that
  * start too late.
  */
class RemoteStorageSuite extends AnyFunSuite with BeforeAndAfterAll with BeforeAndAfterEach {
  import RemoteStorageSuite._

  private val folder = Files.createTempDirectory("far")
  private val files = Storage(new HadoopConf(SlowFileSystem.configure(new Configuration())))
  private val before = SlowFileSystem.store
  private var slow: VirtualStore = _

  override def beforeEach(): Unit = {
    super.beforeEach()
    start()
  }

  private def start(): Unit = {
    RangeCache.shared.clear()
    slow = new VirtualStore()
    SlowFileSystem.store = slow
    SlowFileSystem.meetings.set(0)
  }

  override def afterAll(): Unit = {
    SlowFileSystem.store = before
    Storage.local.deleteFolder(folder.toString)
    super.afterAll()
  }

  private def path(name: String): String = folder.resolve(name).toString

  private def create(name: String, fragments: Int, rows: Int): LanceTable = {
    val made = (0 until fragments).map(i => write(path(name), i.toLong, rows))
    LanceTable.create(Storage.local, path(name), schema, made)
  }

  /** Two fragments of 49 MB. */
  private lazy val large: LanceTable = create("large", 2, 900000)

  /** Two fragments of 48 MB with one column. */
  private lazy val long: LanceTable = {
    val made = (0 until 2).map(i => write(path("long"), i.toLong, 6000000, idOnly))
    LanceTable.create(Storage.local, path("long"), idOnly, made)
  }

  private lazy val small: LanceTable = create("small", 100, 200)

  /** Returns the result of a read and its duration. */
  private def timed[A](read: => A): (A, Double) = {
    val from = slow.elapsed
    val answer = slow.run(read)
    assert(SlowFileSystem.meetings.get == 0 && SlowFileSystem.openStreams.get == 0)
    (answer, (slow.elapsed - from) / 1e6)
  }

  private def fields(names: Seq[String]): IndexedSeq[Field] =
    names.map(schema.field(_).get).toIndexedSeq

  private def queue(
      scans: IndexedSeq[FragmentScan],
      names: Seq[String],
      budget: ReadBudget = ReadBudget.default,
      storage: Option[FileStore] = None
  ): FragmentQueue[FragmentReader] = {
    val store = storage.getOrElse(slow.storage(files))
    val wanted = fields(names)
    val ids = wanted.flatMap(_.leaves).map(_.id).toSet
    new FragmentQueue(
      store,
      scans,
      ids,
      budget,
      scan => FragmentReader.open(store, scan, wanted, batchRows = 4096, budget = budget)
    )
  }

  private def scans(
      table: LanceTable,
      selection: Int => Option[RowSelection] = _ => None
  ): IndexedSeq[FragmentScan] =
    table.fragments.indices.flatMap { i =>
      val all = RowRange(0, table.physicalRows(table.fragments(i)))
      val wanted = selection(i)
      if (wanted.exists(_.isEmpty)) None
      else {
        val scan = FragmentScan(table, i, all, wanted, 0, IndexedSeq.empty)
        Some(scan.copy(
          paths = scan.paths.map(SlowFileSystem.path),
          deletionPath = scan.deletionPath.map(SlowFileSystem.path)
        ))
      }
    }

  /** Returns the sum of column `id`, the first of the names, and the number of rows. */
  private def drain(
      table: LanceTable,
      names: Seq[String],
      selection: Int => Option[RowSelection] = _ => None,
      budget: ReadBudget = ReadBudget.default
  )(each: FragmentReader => Unit = _ => ()): (Long, Long) = {
    var sum = 0L
    var rows = 0L
    Using.resource(queue(scans(table, selection), names, budget)) { q =>
      Iterator.continually(q.next()).takeWhile(_.isDefined).flatten.foreach { reader =>
        Using.resource(reader) { r =>
          while (r.next()) {
            val LeafColumn(values: LongValues, _) = r.columns.head: @unchecked
            val live = if (r.live == null) 0 until r.numRows else r.live.toSeq
            live.foreach(i => sum += values.array(i))
            rows += r.numLive
            q.pass(r.numRows.toLong)
            each(r)
          }
        }
      }
    }
    (sum, rows)
  }

  /** Lets all running requests finish. */
  private def settle(): Unit = slow.run(slow.request("", -1, 0))

  private def share(millis: Double): Double =
    slow.nanosOf(slow.requests.map(_.bytes).sum) / 1e6 / millis

  test("scans leave the connection idle for less than a fifth of the time") {
    for (
      (table, names) <- Seq(long -> Seq("id"), large -> Seq("id", "text"), large -> columnNames)
    ) {
      start()
      val ((sum, rows), millis) = timed(drain(table, names)())
      assert(rows == table.rowCount.get && sum == sumOf(table, _ => true))
      assert(share(millis) >= 0.8, s"${share(millis)} for $names")
    }
  }

  test("two tasks share the connection") {
    val all = scans(large)
    val done = new AtomicLong
    slow.runAll(all.map(scan =>
      () =>
        Using.resource(queue(IndexedSeq(scan), columnNames)) { q =>
          Using.resource(q.next().get)(r => while (r.next()) done.addAndGet(r.numLive.toLong): Unit)
        }
    ))
    assert(done.get == 1800000)
    assert(share(slow.elapsed / 1e6) >= 0.85)
  }

  test("requests are few: a few megabytes each") {
    timed(drain(large, Seq("id"))())
    val requests = slow.requests
    assert(requests.map(_.bytes).max <= (4 << 20))
    // Without the tail and the heads of pages.
    val (small, others) = requests.partition(_.bytes <= (64 << 10))
    assert(others.map(_.bytes).sum / others.length > (1 << 20) && small.length <= 10)
  }

  test("small fragments are opened concurrently") {
    val ((sum, rows), millis) = timed(drain(small, columnNames)())
    assert(rows == 20000 && sum == sumOf(small, _ => true))
    // 100 fragments, each with a tail and the bytes before it, 32 at a time.
    assert(millis <= 10 * 30 + slow.nanosOf(slow.requests.map(_.bytes).sum) / 1e6)
  }

  test("filters of any selectivity keep the connection busy") {
    // `quantity` must be read in full; other columns are read by row.
    val conditions = Seq[(String, Long => Boolean, Double => Boolean)](
      ("every second row", _ % 2 == 0, millis => share(millis) >= 0.65),
      ("runs", _ / 150000 % 2 == 1, millis => share(millis) >= 0.55),
      // Seven windows of each fragment. Few of their bytes are needed.
      ("few rows", _ % 100003 == 5, millis => millis <= 12 * 30),
      ("nothing", _ => false, millis => millis <= 5 * 30)
    )
    for ((name, keeps, isFast) <- conditions) {
      start()
      val ((sum, rows), millis) = timed(drainFiltered(large, keeps))
      val expected = (0 until 2).flatMap { f =>
        (0L until 900000L).filter(keeps).map(idOf(f.toLong, _))
      }
      assert(rows == expected.length && sum == expected.sum, name)
      assert(isFast(millis), s"$millis ms, ${share(millis)} of the line for $name")
    }
  }

  test("filters on small fragments take no extra rounds") {
    val ((_, rows), millis) = timed(drainFiltered(small, _ % 50 == 7))
    assert(rows == 100 * 4)
    assert(millis <= 10 * 30 + slow.nanosOf(slow.requests.map(_.bytes).sum) / 1e6)
  }

  private def drainFiltered(table: LanceTable, keeps: Long => Boolean): (Long, Long) = {
    val store = slow.storage(files)
    val read = fields(Seq("id", "text"))
    val condition = new RowPredicate {
      def fields: IndexedSeq[Field] = RemoteStorageSuite.this.fields(Seq("quantity"))
      def computed: IndexedSeq[MetadataColumn] = IndexedSeq(MetadataColumn.RowAddr)
      def select(columns: IndexedSeq[Column], live: Array[Int], numLive: Int): Array[Int] = {
        val LeafColumn(addresses: LongValues, _) = columns.last: @unchecked
        val candidates = if (live == null) Array.range(0, numLive) else live
        candidates.filter(i => keeps(RowAddress.offset(addresses.array(i))))
      }
    }
    val history = new FilterHistory
    def open(scan: FragmentScan): FilteredReader = FilteredReader
      .open(store, scan, read, IndexedSeq.empty, condition, 4096, history = history)
    val ids = (read ++ condition.fields).map(_.id).toSet
    val budget = ReadBudget.default
    var sum = 0L
    var rows = 0L
    Using.resource(new FragmentQueue(store, scans(table), ids, budget, open(_))) { q =>
      Iterator.continually(q.next()).takeWhile(_.isDefined).flatten.foreach { reader =>
        Using.resource(reader) { r =>
          while (r.next()) {
            if (r.numLive > 0) {
              val LeafColumn(values: LongValues, _) = r.columns.head: @unchecked
              val live = if (r.live == null) 0 until r.numLive else r.live.toSeq
              live.foreach(i => sum += values.array(i))
            }
            rows += r.numLive
            q.pass(r.numLive + r.numFiltered)
          }
        }
      }
    }
    (sum, rows)
  }

  /** Takes rows of fragments, and checks the number of rounds. */
  private def take(table: LanceTable, rows: Seq[(Int, Long)], mostRounds: Int): Assertion = {
    slow.reset()
    val wanted = rows.groupBy(_._1)
    def selection(i: Int) =
      Some(wanted.get(i).fold(RowSelection.empty)(r => RowSelection.of(r.map(_._2).toArray)))
    val ((sum, found), millis) = timed(drain(table, columnNames, selection)())
    assert(found == rows.length)
    assert(sum == sumOf(table, id => rows.exists { case (i, r) => id == idOf(i.toLong, r) }))
    val rounds = SlowRequest.rounds(slow.requests)
    assert(rounds <= mostRounds, s"$rounds rounds for ${rows.length} rows")
    assert(millis <= mostRounds * 30 + slow.nanosOf(slow.requests.map(_.bytes).sum) / 1e6 + 1e-3)
  }

  test(
    "a take reads the tails, then takes two rounds, regardless of the number of pages and fragments"
  ) {
    val takes = Seq(
      (large, Seq(0 -> 12345L)),
      (large, Seq(0 -> 5L, 0 -> 300000L, 1 -> 1L, 1 -> 899999L)),
      (small, (0 until 30).map(i => i * 3 -> (i * 6L)))
    )
    for ((table, rows) <- takes) {
      start()
      take(table, rows, mostRounds = 3)
    }
  }

  test("a take from cached files takes one round") {
    take(large, Seq(0 -> 12345L, 1 -> 7L), mostRounds = 3)
    take(large, Seq(0 -> 12399L, 1 -> 77L), mostRounds = 1)
    take(small, (0 until 30).map(i => i * 3 -> (i * 6L)), mostRounds = 3)
    take(small, (0 until 30).map(i => i * 3 -> (i * 6L + 1)), mostRounds = 1)
  }

  test("a scan of cached files requests rows immediately") {
    val first = timed(drain(large, Seq("id", "text"))())
    slow.reset()
    val again = timed(drain(large, Seq("id", "text"))())
    assert(first._1 == again._1)
    assert(again._2 <= first._2 - 30 && share(again._2) >= 0.9, s"$first, then $again")
  }

  test("corrupt bytes are not cached, and a retry reads from storage") {
    val table = create("damaged", 1, 200)
    val file = Paths.get(table.pathOf(table.fragments.head.files.head))
    val whole = Files.readAllBytes(file)
    val footerFrom = whole.length - Footer.numBytes
    Files.write(file, whole.patch(footerFrom, Seq.fill[Byte](8)(-1), 8))
    intercept[CorruptFileException](slow.run(drain(table, columnNames)()))
    settle()
    Files.write(file, whole)
    assert(slow.run(drain(table, columnNames)()) == ((sumOf(table, _ => true), 200L)))
  }

  test("deletion files and several data files of a fragment take no extra rounds") {
    val table = create("deleted", 20, 200)
    val gone = table.fragments.map(f => f.id -> DeletionVector.of(Array(1, 5, 199))).toMap
    val after = table.delete(gone, "test")
    val ((_, rows), millis) = timed(drain(after, columnNames)())
    assert(rows == 20 * 197)
    // A deletion file takes its status and its bytes, while the tail is read, followed by the
    // pages.
    assert(millis <= 4 * 30 + slow.nanosOf(slow.requests.map(_.bytes).sum) / 1e6)
  }

  test("a task holds at most the bytes of its budget, regardless of the table") {
    val longer = create("longer", 3, 1100000)
    for (total <- Seq(8L << 20, 32L << 20)) {
      val budget = ReadBudget.default.copy(totalBytes = total)
      val most = Seq(large, longer).map { table =>
        start()
        val bytes = scans(table).map(_.fragment.files.head.fileSizeBytes).sum
        val allRows = table.rowCount.get.toDouble
        var passed = 0L
        var most = 0L
        timed(drain(table, columnNames, budget = budget) { r =>
          passed += r.numLive
          // Requested but not decoded yet: all requests are running or finished.
          most = math.max(most, slow.bytesAsked - (bytes * (passed / allRows)).toLong)
        })
        most
      }
      assert(most.forall(_ <= total + (2L << 20)), s"$most of $total")
      assert(most.last <= most.head * 1.1 + (1 << 20), "it does not grow with the table")
    }
  }

  test("after closing, no request starts, running ones finish, and nothing stays open") {
    val begun = slow.run {
      val store = new RevocableStore(slow.storage(files))
      val q = queue(scans(small), columnNames, storage = Some(store))
      val reader = q.next().get
      assert(reader.next())
      store.revoke()
      reader.close()
      q.close()
      slow.numBegun
    }
    settle()
    assert(slow.numBegun == begun + 1 && slow.requests.length == begun + 1)
    assert(SlowFileSystem.openStreams.get == 0)
  }

  test("a prefetch error is thrown when its rows are read, with path and range") {
    val file = large.pathOf(large.fragments.last.files.head)
    slow.fault = (path, offset) =>
      if (path == file && offset > (8 << 20) && offset < (16 << 20))
        throw new IOException("connection reset")
    var rows = 0L
    val e = intercept[IOException](
      slow.run(drain(large, columnNames)(r => rows += r.numLive))
    )
    assert(rows >= 900000)
    val message = s"${SlowFileSystem.path(file)}, the [0-9]+ bytes at [0-9]+ cannot be read"
    assert(e.getMessage.matches(s"$message: connection reset"), e.getMessage)
    settle()
    assert(SlowFileSystem.openStreams.get == 0)
  }

  test("a table is opened by a listing and the tail of its manifest") {
    val table = large
    val opened = slow.run(LanceTable.open(slow.storage(files), SlowFileSystem.path(path("large"))))
    assert(opened.version == table.version && opened.fragments.length == 2)
    assert(slow.requests.length == 2)
  }
}

private object RemoteStorageSuite {
  import LogicalType._

  private val id = Field(-1, "id", Integer(64, signed = true), nullable = true)

  val idOnly: Schema = Schema(IndexedSeq(id)).withFreshIds

  val schema: Schema = Schema(IndexedSeq(
    id,
    Field(-1, "text", Utf8(large = false), nullable = true),
    Field(-1, "price", Integer(64, signed = true), nullable = true),
    Field(-1, "quantity", Integer(32, signed = true), nullable = true),
    Field(-1, "flag", Utf8(large = false), nullable = true)
  )).withFreshIds

  val columnNames: Seq[String] = schema.fields.map(_.name)

  /** Returns the value of `id` in a row. */
  def idOf(fragment: Long, row: Long): Long = {
    val mixed = (fragment * 1000003 + row + 1) * 0x9e3779b97f4a7c15L
    mixed ^ (mixed >>> 29)
  }

  def sumOf(table: LanceTable, wanted: Long => Boolean): Long =
    table.fragments.indices.iterator.flatMap { i =>
      val rows = table.fragments(i).physicalRows.get
      Iterator.iterate(0L)(_ + 1).takeWhile(_ < rows).map(idOf(i.toLong, _)).filter(wanted)
    }.sum

  /** Writes a data file with some of the columns. */
  def write(path: String, fragment: Long, rows: Int, schema: Schema = schema): Fragment = {
    val random = new Random(fragment)
    val writer = FragmentWriter.open(Storage.local, path, schema, FileVersion.V2_2)
    (0 until rows by 10000).foreach { from =>
      val n = math.min(10000, rows - from)
      val columns =
        if (schema.fields.length == 1) IndexedSeq(ids(fragment, from.toLong, n))
        else all(random, fragment, from.toLong, n)
      writer.write(columns, n)
    }
    writer.finish()
  }

  private def ids(fragment: Long, from: Long, n: Int): Column = {
    val ids = new LongValues
    var i = 0
    while (i < n) {
      ids.append(idOf(fragment, from + i))
      i += 1
    }
    LeafColumn(ids, null)
  }

  private def all(
      random: Random,
      fragment: Long,
      from: Long,
      n: Int
  ): IndexedSeq[Column] = {
    val texts = new BinaryValues
    val prices = new LongValues
    val quantities = new IntValues
    val flags = new BinaryValues
    val text = new Array[Byte](26)
    var i = 0
    while (i < n) {
      random.nextBytes(text)
      texts.append(text.map(b => ((b & 63) + 33).toByte), 0, text.length)
      prices.append(random.nextLong())
      quantities.append(random.nextInt(50))
      flags.append(Array((65 + random.nextInt(3)).toByte), 0, 1)
      i += 1
    }
    ids(fragment, from, n) +: IndexedSeq(texts, prices, quantities, flags).map(LeafColumn(_, null))
  }
}
