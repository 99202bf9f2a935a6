// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.index.spi._

/** A page of a BTREE index, as its lookup file describes it.
  *
  * @param min none: unknown
  * @param max none: there are nulls alone
  * @param rows in its file; the last page of a file may be shorter
  */
final private[scalar] class LookupPage(
    val min: Option[Key],
    val max: Option[Key],
    val nullCount: Long,
    val file: String,
    val rows: RowRange
) {

  /** Whether all rows have values in some ranges. */
  def isWithin(ranges: KeyRanges): Boolean =
    nullCount == 0 && min.exists(from => max.exists(ranges.covers(from, _)))
}

/** The lookup of a BTREE index: finds the pages that may have a value, and reads these.
  *
  * @param pages as the lookup file has them
  * @param pageRows rows of a page, at most
  */
final private[scalar] class BTreeSegment(
    logicalType: LogicalType,
    keyType: KeyType,
    val pages: IndexedSeq[LookupPage],
    pageRows: Long
) extends OrderedSegment {
  import BTreeSegment._

  private val valued = pages.filter(_.max.nonEmpty).toArray

  /** Pages ascend in sound files. They are searched one by one if they do not. */
  private val isSorted = (1 until valued.length).forall { i =>
    valued(i).min.exists(min => valued(i - 1).min.forall(_ <= min)) &&
    valued(i - 1).max.get <= valued(i).max.get
  }

  def valueType: Option[LogicalType] = Some(logicalType)

  def sizeInBytes: Long = pages.length * 200L

  /** Where the pages with keys of a window are, ascending. */
  def pagesIn(window: KeyWindow): Iterator[(String, RowRange)] = pages.iterator.filter { p =>
    val isBelow = window.from.exists(from => p.max.forall(_.compare(from) < 0))
    val isAbove = window.until.exists(end => p.nullCount == 0 && p.min.exists(_.compare(end) >= 0))
    !isBelow && !isAbove
  }.map(p => p.file -> p.rows)

  /** The greatest key of each page, and its rows, without pages that have nulls alone. */
  def maxima: IndexedSeq[(Key, Long)] = pages.flatMap(p => p.max.map(_ -> p.rows.numRows))

  def answer(files: IndexFiles, predicate: IndexPredicate): Option[SegmentAnswer] =
    predicate match {
      case IndexPredicate.IsNull => Some(new SegmentAnswer.Exact(nulls(files), RowSet.empty))
      case IndexPredicate.Within(ranges, _) =>
        val (whole, parts) = touched(ranges).partition(_.isWithin(ranges))
        val found = new LongValues
        ids(files, whole, found)
        foreachPage(files, parts)(_.find(ranges, found))
        Some(new SegmentAnswer.Exact(rowSet(found), nulls(files)))
      case _ => None
    }

  override def size(files: IndexFiles, predicate: IndexPredicate): AnswerSize = predicate match {
    case IndexPredicate.Within(ranges, _) =>
      val pages = touched(ranges)
      val (whole, parts) = pages.partition(_.isWithin(ranges))
      val inParts = parts.iterator.map(p => ranges.pointsIn(p.min, p.max).getOrElse(pageRows / 2))
      size(files, pages, whole.length * pageRows + inParts.sum)
    case IndexPredicate.IsNull =>
      val withNulls = pages.filter(_.nullCount > 0)
      size(files, withNulls, withNulls.iterator.map(_.nullCount).sum)
    case _ => AnswerSize.small
  }

  private def size(files: IndexFiles, pages: IndexedSeq[LookupPage], rows: Long): AnswerSize = {
    val entries = pages.length * pageRows
    if (rows <= pageRows) AnswerSize(entries, rows, rows)
    else {
      var runs = 0
      // Rows of other pages are about as far from each other.
      foreachPage(files, IndexedSeq(pages(pages.length / 2)))(page => runs = page.numRuns)
      AnswerSize(entries, rows, rows * runs / pageRows)
    }
  }

  def rows(files: IndexFiles, isAscending: Boolean, nullsFirst: Boolean): Iterator[Long] = {
    checkSorted(files)
    val nulls = pages.iterator.filter(_.nullCount > 0).flatMap(cached(files, _).nulls)
    val values = ordered(isAscending).flatMap(cached(files, _).values(isAscending))
    if (nullsFirst) nulls ++ values else values ++ nulls
  }

  def entries(files: IndexFiles, isAscending: Boolean): Iterator[(Key, Long)] = {
    checkSorted(files)
    ordered(isAscending).flatMap(cached(files, _).entries(isAscending))
  }

  private def checkSorted(files: IndexFiles): Unit =
    CorruptFileException.check(isSorted, s"pages of the index ${files.path} that do not ascend")

  private def ordered(isAscending: Boolean): Iterator[LookupPage] =
    if (isAscending) valued.iterator else valued.reverseIterator

  private def cached(files: IndexFiles, page: LookupPage): PageRows =
    files.cache(keyOf(page))(read(files, page))

  override def prewarm(files: IndexFiles): Unit = {
    val room = files.cacheBytes / math.max(1L, pageRows * keptEntryBytes)
    foreachPage(files, pages.take(math.min(room, Int.MaxValue).toInt), keeps = true)(_ => ())
  }

  private def nulls(files: IndexFiles): RowSet = {
    val found = new LongValues
    foreachPage(files, pages.filter(_.nullCount > 0))(_.nulls.foreach(found.append))
    rowSet(found)
  }

  private def rowSet(found: LongValues): RowSet =
    RowSet.of(java.util.Arrays.copyOf(found.array, found.numItems))

  /** The pages that may have a value in some ranges. */
  private def touched(ranges: KeyRanges): IndexedSeq[LookupPage] =
    if (!isSorted) valued.filter(p => ranges.overlaps(p.min, p.max)).toIndexedSeq
    else {
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

  /** The first page with a property that all pages behind it have as well. */
  private def first(holds: LookupPage => Boolean): Int =
    Search.first(0, valued.length)(i => holds(valued(i)))

  /** All row numbers of pages. */
  private def ids(files: IndexFiles, of: IndexedSeq[LookupPage], found: LongValues): Unit =
    inParallel(files, of) { (file, pages) =>
      val all = new LongValues
      val rows = RowRange.merged(pages.iterator.map(rowsOf(file, _)), 0L)
      IndexFiles.foreachBatch(file, rows, IndexFiles.batchRows, Seq("ids")) { columns =>
        val numbers = Numbers.of(columns(0))
        var row = 0
        while (row < columns(0).numRows) {
          all.append(numbers(row))
          row += 1
        }
      }
      all
    }(all => found.appendFrom(all, 0, all.numItems))

  /** Runs `f` on pages, those from the cache first.
    *
    * @param keeps whether pages are cached that were not; by default if they take a small part of the cache
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

  /** Runs `read` on groups of pages of a file, and `f` on the results in this thread. */
  private def inParallel[A](files: IndexFiles, pages: IndexedSeq[LookupPage])(
      read: (DescribedFile, IndexedSeq[LookupPage]) => A
  )(f: A => Unit): Unit =
    pages.groupBy(_.file).foreach { case (name, its) =>
      files.use(name) { file =>
        val groups = its.sortBy(_.rows.from).grouped(pagesAtATime).toIndexedSeq
        // As many as are held at a time.
        groups.grouped(4 * threads).foreach(some =>
          Workers.map(some, threads)(read(file, _)).foreach(f)
        )
      }
    }

  private def rowsOf(file: DescribedFile, page: LookupPage): RowRange = {
    CorruptFileException.check(
      page.rows.from < file.numRows,
      s"a page at row ${page.rows.from} of a file of ${file.numRows} rows"
    )
    RowRange(page.rows.from, math.min(page.rows.until, file.numRows))
  }

  private def read(files: IndexFiles, page: LookupPage): PageRows =
    files.use(page.file)(file => read(file, IndexedSeq(page)).head._2)

  private def read(
      file: DescribedFile,
      of: IndexedSeq[LookupPage]
  ): IndexedSeq[(LookupPage, PageRows)] = {
    val ranges = of.map(rowsOf(file, _))
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
        page -> builder.result()
      }
    }
  }
}

private object BTreeSegment {

  /** Pages that a thread reads at a time. */
  private val pagesAtATime = 32

  private val threads = math.max(1, math.min(4, Runtime.getRuntime.availableProcessors))

  /** Bytes of an entry in memory, about. */
  private val keptEntryBytes = 24L
}
