// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.util.Using

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.index.spi._

/** The lookup file of a BTREE index. Finds the pages that may have a value, and reads them.
  *
  * @param pages pages in the order of the lookup file
  * @param pageRows maximum rows per page
  */
final private[scalar] class BTreeSegment(
    logicalType: LogicalType,
    keyType: KeyType,
    val pages: IndexedSeq[LookupPage],
    pageRows: Long,
    override val exactSegment: Option[String]
) extends OrderedSegment {
  import BTreeSegment._

  private val valued = pages.filter(_.max.nonEmpty).toArray

  LookupPage.checkOrder(pages)

  /** Pages that may have nulls. The first page with values is always read, because its number of
    * nulls may be damaged.
    */
  private val withNulls =
    pages.filter(p => p.nullCount > 0 || p.max.isEmpty || valued.headOption.exists(_ eq p))

  private val numPages = pages.groupBy(_.file).map { case (file, its) => file -> its.length.toLong }

  def valueType: Option[LogicalType] = Some(logicalType)

  def sizeInBytes: Long = pages.length * 200L

  /** Returns the pages with keys of a window, ascending. */
  def pagesIn(window: KeyWindow): Iterator[LookupPage] = pages.iterator.filter { p =>
    val isBelow = window.from.exists(from => p.max.forall(_.compare(from) < 0))
    val isAbove = window.until.exists(end => p.nullCount == 0 && p.min.exists(_.compare(end) >= 0))
    !isBelow && !isAbove
  }

  /** Opens a file of pages.
    *
    * @throws CorruptFileException if it has rows that belong to no page
    */
  def open(files: IndexFiles, name: String): DescribedFile = {
    val file = files.open(name)
    val found = if (file.numRows == 0) 0L else (file.numRows - 1) / pageRows + 1
    if (found == numPages(name)) file
    else {
      file.close()
      throw new CorruptFileException(
        s"a file of $found pages, and ${numPages(name)} of its pages are in the lookup file",
        Place(path = Some(file.path))
      )
    }
  }

  /** Returns the rows of a page. */
  def rowsOf(file: DescribedFile, page: LookupPage): RowRange = {
    CorruptFileException.check(
      page.rows.from < file.numRows,
      s"a page at row ${page.rows.from} of a file of ${file.numRows} rows"
    )
    RowRange(page.rows.from, math.min(page.rows.until, file.numRows))
  }

  /** The greatest key and the number of rows of each page. Pages with only nulls are skipped. */
  def maxima: IndexedSeq[(Key, Long)] = pages.flatMap(p => p.max.map(_ -> p.rows.numRows))

  def evaluate(files: IndexFiles, predicate: IndexPredicate): Option[SegmentResult] =
    predicate match {
      case IndexPredicate.IsNull => Some(new SegmentResult.Exact(nulls(files), RowSet.empty))
      case IndexPredicate.Within(ranges, _) =>
        val (whole, parts) = touched(ranges).partition(isWhole(_, ranges))
        val found = new LongValues
        ids(files, whole, found)
        foreachPage(files, parts)(_.find(ranges, found))
        Some(new SegmentResult.Exact(rowSet(found), nulls(files)))
      case _ => None
    }

  /** Whether the values of a page need not be read, because all of them are within the ranges. The
    * first page may have nulls, see [[withNulls]].
    */
  private def isWhole(page: LookupPage, ranges: KeyRanges): Boolean =
    (page ne valued.head) && page.isWithin(ranges)

  override def size(files: IndexFiles, predicate: IndexPredicate): ResultSize = predicate match {
    case IndexPredicate.Within(ranges, _) =>
      val pages = touched(ranges)
      val (whole, parts) = pages.partition(isWhole(_, ranges))
      val inParts = parts.iterator.map(p => ranges.pointsIn(p.min, p.max).getOrElse(pageRows / 2))
      size(files, pages, whole.length * pageRows + inParts.sum)
    case IndexPredicate.IsNull =>
      size(files, withNulls, withNulls.iterator.map(_.nullCount).sum)
    case _ => ResultSize.small
  }

  private def size(files: IndexFiles, pages: IndexedSeq[LookupPage], rows: Long): ResultSize = {
    val entries = pages.length * pageRows
    if (rows <= pageRows) ResultSize(entries, rows, rows)
    else {
      var runs = 0
      // Estimates the runs from one page, assuming that the rows of other pages have similar
      // distances.
      foreachPage(files, IndexedSeq(pages(pages.length / 2)))(page => runs = page.numRuns)
      ResultSize(entries, rows, rows * runs / pageRows)
    }
  }

  def rows(files: IndexFiles, isAscending: Boolean, nullsFirst: Boolean): Iterator[Long] = {
    val nulls = withNulls.iterator.flatMap(cached(files, _).nulls)
    val values = ordered(isAscending).flatMap(cached(files, _).values(isAscending))
    if (nullsFirst) nulls ++ values else values ++ nulls
  }

  def entries(files: IndexFiles, isAscending: Boolean): Iterator[(Key, Long)] = {
    ordered(isAscending).flatMap(cached(files, _).entries(isAscending))
  }

  private def ordered(isAscending: Boolean): Iterator[LookupPage] =
    if (isAscending) valued.iterator else valued.reverseIterator

  private def cached(files: IndexFiles, page: LookupPage): PageRows =
    files.cache(keyOf(page))(read(files, page))

  override def prewarm(files: IndexFiles): Unit = {
    val room = files.cacheBytes / math.max(1L, pageRows * keptEntryBytes)
    foreachPage(files, pages.take(math.min(room, Int.MaxValue).toInt), keeps = true)(_ => ())
  }

  /** Reading a page checks it, see [[PageCheck]]. */
  def check(files: IndexFiles): Unit = {
    val step = math.max(1, pages.length / maxCheckedPages)
    foreachPage(files, pages.indices.by(step).map(pages))(_ => ())
  }

  private val seen = new RoaringBitmap
  private var numVisited = 0

  /** Reads pages until all fragments were seen, with a limit for each fragment. The pages are far
    * apart, because the values of a fragment may be similar.
    */
  override def withEntries(files: IndexFiles, among: RoaringBitmap): RoaringBitmap =
    seen.synchronized {
      val bits = 32 - Integer.numberOfLeadingZeros(math.max(0, pages.length - 1))
      val limit = math.min(1L << bits, 16 + 8L * among.getCardinality)
      while (numVisited < limit && !seen.contains(among)) {
        val at = if (bits == 0) 0 else Integer.reverse(numVisited) >>> (32 - bits)
        if (at < pages.length) {
          val found = new LongValues
          ids(files, IndexedSeq(pages(at)), found)
          (0 until found.numItems).foreach(i => seen.add((found.array(i) >>> 32).toInt))
        }
        numVisited += 1
      }
      RoaringBitmap.and(among, seen)
    }

  private def nulls(files: IndexFiles): RowSet = {
    val found = new LongValues
    foreachPage(files, withNulls)(_.nulls.foreach(found.append))
    rowSet(found)
  }

  private def rowSet(found: LongValues): RowSet =
    RowSet.of(java.util.Arrays.copyOf(found.array, found.numItems))

  /** Returns the pages that may have a value within the ranges. */
  private def touched(ranges: KeyRanges): IndexedSeq[LookupPage] = {
    val found = IndexedSeq.newBuilder[LookupPage]
    var next = 0
    ranges.ranges.foreach { range =>
      var page = math.max(
        next,
        first(p => !p.max.exists(range.isBelow))
      )
      while (page < valued.length && !valued(page).min.exists(range.isAbove)) {
        found += valued(page)
        page += 1
        next = page
      }
    }
    found.result()
  }

  /** Returns the first page for which a monotonic condition holds. */
  private def first(holds: LookupPage => Boolean): Int =
    Search.first(0, valued.length)(i => holds(valued(i)))

  /** Collects all row numbers of pages. */
  private def ids(files: IndexFiles, of: IndexedSeq[LookupPage], found: LongValues): Unit =
    inParallel(files, of) { (file, pages) =>
      val all = new LongValues
      val rows = RowRange.merged(pages.iterator.map(rowsOf(file, _)), 0L)
      IndexFiles.foreachBatch(file, rows, IndexFiles.batchRows, Seq("ids")) { columns =>
        Numbers.append(columns(0), all)
      }
      all
    }(all => found.appendFrom(all, 0, all.numItems))

  /** Runs `f` on pages, starting with the cached pages.
    *
    * @param keeps whether pages are added to the cache; by default, only if they take a small part
    *   of it
    */
  private def foreachPage(files: IndexFiles, of: IndexedSeq[LookupPage], keeps: Boolean = false)(
      f: PageRows => Unit
  ): Unit =
    if (keeps || of.length * pageRows * keptEntryBytes <= files.cacheBytes / 4) {
      val (known, others) = of.partition(p => files.isCached(keyOf(p)))
      known.foreach(page => f(cached(files, page)))
      inParallel(files, others)(read)(_.foreach { case (page, rows) =>
        f(files.cache(keyOf(page))(rows))
      })
    } else inParallel(files, of)(read)(_.foreach { case (_, rows) => f(rows) })

  private def keyOf(page: LookupPage): Any = (page.file, page.rows.from)

  /** Runs `read` in parallel on groups of pages, and `f` on the results in the calling thread. */
  private def inParallel[A](files: IndexFiles, pages: IndexedSeq[LookupPage])(
      read: (DescribedFile, IndexedSeq[LookupPage]) => A
  )(f: A => Unit): Unit =
    pages.groupBy(_.file).foreach { case (name, its) =>
      Using.resource(open(files, name)) { file =>
        val groups = its.sortBy(_.rows.from).grouped(pagesAtATime).toIndexedSeq
        // Bounds the number of results in memory.
        groups.grouped(4 * threads).foreach(some =>
          Workers.map(some, threads)(read(file, _)).foreach(f)
        )
      }
    }

  private def read(files: IndexFiles, page: LookupPage): PageRows =
    Using.resource(open(files, page.file))(file => read(file, IndexedSeq(page)).head._2)

  private def read(
      file: DescribedFile,
      of: IndexedSeq[LookupPage]
  ): IndexedSeq[(LookupPage, PageRows)] = {
    val ranges = of.map(rowsOf(file, _))
    CorruptFileException.check(
      (1 until ranges.length).forall(i => ranges(i - 1).until <= ranges(i).from),
      "pages of an index that have rows in common"
    )
    Using.resource(
      file.read(IndexedSeq("values", "ids"), RowRange.merged(ranges.iterator, 0L))
    ) { rows =>
      of.zip(ranges).map { case (page, range) =>
        val builder = new PageRows.Builder(keyType, logicalType)
        var left = range.numRows
        while (left > 0) {
          val n = math.min(rows.rowsAvailable.toLong, left).toInt
          val columns = rows.read(n)
          builder.append(columns(0), columns(1))
          left -= n
        }
        page -> Place.in(Place(path = Some(file.path)))(builder.result(page))
      }
    }
  }
}

private object BTreeSegment {

  /** Pages that a thread reads at once. */
  private val pagesAtATime = 32

  private val threads = math.max(1, math.min(4, Runtime.getRuntime.availableProcessors))

  /** Pages of a large segment that [[BTreeSegment.check]] reads. */
  private val maxCheckedPages = 1024

  /** Approximate memory of an entry in bytes. */
  private val keptEntryBytes = 24L
}
