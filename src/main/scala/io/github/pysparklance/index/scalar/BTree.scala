// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.index.sorting.SortedEntries
import io.github.pysparklance.index.spi._

/** All values of a column, sorted, with the rows that have them, cut into pages.
  *
  * {{{
  *   page_data.lance     values: T?, ids: u64            ascending, nulls first; page k = rows [k * batch_size, ...)
  *   page_lookup.lance   min: T?, max: T?, null_count: u32, page_idx: u32      a row for each page, ascending
  *
  *   {min: null, max: 4035, null_count: 104, page_idx: 0}   nulls, then values: the smallest is not known
  *   {min: 4036, max: 8166, null_count: 0,   page_idx: 1}
  * }}}
  * A page whose max is null has nulls alone. With `range_partitioned`, the pages are spread over files
  * `part_<id>_page_data.lance`, in the order and number that `page_num_per_range_partition` says.
  *
  * Source: format page of indices, "BTree".
  */
object BTree extends ScalarIndexKind {
  def name: String = "BTREE"
  def detailsType: String = "lance.table.BTreeIndexDetails"
  def newestVersion: Int = 1

  private val lookupName = "page_lookup.lance"
  private val dataName = "page_data.lance"
  private val pageSize = "zone_size"

  def parameters: Seq[IndexParameter] = Seq(IndexParameter.count(pageSize, 4096))

  def parametersOf(files: IndexFiles): Map[String, String] =
    files.use(prefixOf(files) + lookupName) {
      _.schema.metadata.get("batch_size").map(pageSize -> _).toMap
    }

  override def versionOf(hasAddresses: Boolean): Int = if (hasAddresses) 1 else 0

  def supports(field: Field): Boolean = KeyType.of(field.logicalType).isDefined

  private[scalar] def dataFields(values: LogicalType): IndexedSeq[Field] =
    IndexedSeq(Field(0, "values", values, nullable = true), NewSegment.unsigned("ids", 64))

  private[scalar] def dataFile(id: Option[Long]): String =
    id.fold(dataName)(n => s"part_${n}_$dataName")

  /** Starts to write the pages of a segment, or of a range of it.
    *
    * @param id of the range, which no other has; none: the segment has one range only
    */
  def writer(
      field: Field,
      parameters: IndexParameters,
      id: Option[Long],
      into: NewSegment
  ): BTreeWriter = new BTreeWriter(field.logicalType, parameters.count(pageSize), id, into)

  /** Writes the file that says where the pages are, the last of a segment.
    *
    * @param ranges all files of pages, ascending by their keys: one without an id, or any number with one
    */
  def writeLookup(
      field: Field,
      parameters: IndexParameters,
      ranges: Seq[BTreePages],
      into: NewSegment
  ): Unit = {
    val t = field.logicalType
    val fields = IndexedSeq(
      Field(0, "min", t, nullable = true),
      Field(0, "max", t, nullable = true),
      NewSegment.unsigned("null_count", 32),
      NewSegment.unsigned("page_idx", 32)
    )
    Using.resource(into.create(lookupName, fields)) { file =>
      val keyType = KeyType.of(t).get
      ranges.flatMap(_.pages).zipWithIndex.grouped(lookupBatchRows).foreach { pages =>
        val (mins, maxs) = (new KeyColumn(t, keyType), new KeyColumn(t, keyType))
        val (nulls, numbers) = (new IntValues, new IntValues)
        pages.foreach { case (page, number) =>
          mins.append(page.min)
          maxs.append(page.max)
          nulls.append(page.nullCount)
          numbers.append(number)
        }
        val counts = IndexedSeq(nulls, numbers).map(LeafColumn(_, null))
        file.write(IndexedSeq(mins.column, maxs.column) ++ counts, pages.length)
      }
      file.describe("batch_size", parameters.text(pageSize))
      val isRanged = ranges.exists(_.id.isDefined)
      file.describe("range_partitioned", isRanged.toString)
      if (isRanged) {
        val numPages = ranges.flatMap(r => r.id.map(id => s"[$id,${r.pages.length}]"))
        file.describe("page_num_per_range_partition", numPages.mkString("[", ",", "]"))
      }
      into.finish(lookupName, file)
    }
  }

  private val lookupBatchRows = 4096

  def merge(
      sources: Seq[SegmentSource],
      field: Field,
      parameters: IndexParameters,
      into: NewSegment
  ): Unit = {
    val pages = mergeRange(sources, field, parameters, None, KeyWindow.all, into)
    writeLookup(field, parameters, Seq(pages), into)
  }

  /** Writes the pages of a range of keys with the rows of several segments.
    *
    * @param id as for [[writer]]
    */
  def mergeRange(
      sources: Seq[SegmentSource],
      field: Field,
      parameters: IndexParameters,
      id: Option[Long],
      window: KeyWindow,
      into: NewSegment
  ): BTreePages = {
    val keyType = KeyType.of(field.logicalType).get
    val inputs = sources.map { source =>
      val pages = segment(source.files).pagesIn(window)
      new BTreeEntries(source, keyType, pages, window)
    }
    Using.resource(SortedEntries.merged(inputs.toIndexedSeq, keyType.isNumber)) { entries =>
      Using.resource(writer(field, parameters, id, into))(_.write(entries))
    }
  }

  /** Returns ascending keys that cut the entries of several segments into ranges of about equal size.
    *
    * @param rowsPerRange rows of a range, about
    */
  def cuts(sources: Seq[SegmentSource], rowsPerRange: Long): IndexedSeq[Key] = {
    // each page has about as many rows as another of its segment, but for the last
    val pages = sources.flatMap(s => segment(s.files).maxima).sortBy(_._1)
    val found = IndexedSeq.newBuilder[Key]
    var rows = 0L
    pages.foreach { case (max, numRows) =>
      if (rows >= rowsPerRange) {
        found += max
        rows = 0L
      }
      rows += numRows
    }
    found.result().distinct
  }

  /** @param min none: unknown
    * @param max none: there are nulls alone
    * @param rows in its file
    */
  final private class Page(
      val min: Option[Key],
      val max: Option[Key],
      val nullCount: Long,
      val file: String,
      val rows: RowRange
  )

  private def prefixOf(files: IndexFiles): String =
    if (files.names(lookupName)) ""
    else files.names.find(_.endsWith("_" + lookupName)).fold("")(_.stripSuffix(lookupName))

  def open(files: IndexFiles): ScalarSegment = segment(files)

  private def segment(files: IndexFiles): Segment = {
    val prefix = prefixOf(files)
    files.use(prefix + lookupName) { lookup =>
      val batchRows = IndexFiles.number(lookup, "batch_size").getOrElse(
        throw new CorruptFileException("no batch_size", Place(path = Some(lookup.path)))
      )
      CorruptFileException.check(batchRows > 0, s"pages of $batchRows rows")
      val fileOf = dataFiles(lookup, prefix + dataName)
      val field = lookup.schema.field("max").getOrElse(
        throw new CorruptFileException("no column max", Place(path = Some(lookup.path)))
      )
      val keyType = KeyType.of(field.logicalType).getOrElse(
        throw new UnsupportedFeatureException(
          s"a BTREE index on ${LogicalType.text(field.logicalType)}"
        )
      )
      val pages = IndexedSeq.newBuilder[Page]
      IndexFiles.foreachBatch(lookup, "min", "max", "null_count", "page_idx") { columns =>
        val (mins, maxs) = (keyType.keys(columns(0)), keyType.keys(columns(1)))
        val (nulls, numbers) = (Numbers.of(columns(2)), Numbers.of(columns(3)))
        (0 until mins.numRows).foreach { i =>
          val (file, page) = fileOf(numbers(i))
          pages += new Page(
            Optional.unless(mins.isNull(i))(mins(i)),
            Optional.unless(maxs.isNull(i))(maxs(i)),
            nulls(i),
            file,
            RowRange(page * batchRows, (page + 1) * batchRows)
          )
        }
      }
      new Segment(field.logicalType, keyType, pages.result())
    }
  }

  /** The file of a page and its number in there. */
  private def dataFiles(lookup: DescribedFile, plain: String): Long => (String, Long) =
    if (!lookup.schema.metadata.get("range_partitioned").contains("true")) page => (plain, page)
    else {
      val text = lookup.schema.metadata.getOrElse("page_num_per_range_partition", "[]")
      val parts = Numbers.pairs(text)
      val ends = parts.scanLeft(0L)(_ + _._2).tail
      page => {
        val i = ends.indexWhere(page < _)
        CorruptFileException.check(i >= 0, s"page $page of ${ends.lastOption.getOrElse(0L)}")
        (s"part_${parts(i)._1}_$dataName", page - (ends(i) - parts(i)._2))
      }
    }

  final private class Segment(
      logicalType: LogicalType,
      keyType: KeyType,
      pages: IndexedSeq[Page]
  ) extends ScalarSegment {
    def valueType: Option[LogicalType] = Some(logicalType)

    /** Where the pages with keys of a window are, ascending. */
    def pagesIn(window: KeyWindow): Iterator[(String, RowRange)] = pages.iterator.filter { p =>
      val isBelow = window.from.exists(from => p.max.forall(_.compare(from) < 0))
      val isAbove = window.until.exists(end => p.nullCount == 0 && p.min.exists(_.compare(end) >= 0))
      !isBelow && !isAbove
    }.map(p => p.file -> p.rows)

    /** The greatest key of each page, and its rows, without pages that have nulls alone. */
    def maxima: IndexedSeq[(Key, Long)] = pages.flatMap(p => p.max.map(_ -> p.rows.numRows))

    private def nulls(files: IndexFiles): RowSet =
      rows(files, pages.filter(_.nullCount > 0))((_, keys, row) => keys.isNull(row))

    def answer(files: IndexFiles, predicate: IndexPredicate): Option[SegmentAnswer] =
      predicate match {
        case IndexPredicate.IsNull => Some(new SegmentAnswer.Exact(nulls(files), RowSet.empty))
        case IndexPredicate.Within(ranges, _) =>
          val touched = pages.filter(p => p.max.nonEmpty && ranges.overlaps(p.min, p.max))
          val whole = touched.filter { p =>
            p.nullCount == 0 && p.min.exists(min => p.max.exists(ranges.covers(min, _)))
          }.toSet
          val trues = rows(files, touched) { (page, keys, row) =>
            whole(page) || !keys.isNull(row) && ranges.contains(keys, row)
          }
          Some(new SegmentAnswer.Exact(trues, nulls(files)))
        case _ => None
      }

    /** The rows of pages that a test accepts. */
    private def rows(files: IndexFiles, pages: IndexedSeq[Page])(
        accepts: (Page, Keys, Int) => Boolean
    ): RowSet = {
      val found = new LongValues
      pages.groupBy(_.file).foreach { case (name, its) =>
        files.use(name)(file => its.foreach(read(file, _, found)(accepts)))
      }
      RowSet.of(java.util.Arrays.copyOf(found.array, found.numItems))
    }

    private def read(file: DescribedFile, page: Page, found: LongValues)(
        accepts: (Page, Keys, Int) => Boolean
    ): Unit = {
      CorruptFileException.check(
        page.rows.from < file.numRows,
        s"a page at row ${page.rows.from} of a file of ${file.numRows} rows"
      )
      val rows = RowRange(page.rows.from, math.min(page.rows.until, file.numRows))
      IndexFiles.foreachBatch(file, rows, "values", "ids") { columns =>
        val keys = keyType.keys(columns(0))
        val ids = Numbers.of(columns(1))
        var row = 0
        while (row < keys.numRows) {
          if (accepts(page, keys, row)) found.append(ids(row))
          row += 1
        }
      }
    }

    def sizeInBytes: Long = pages.length * 200L
  }
}
