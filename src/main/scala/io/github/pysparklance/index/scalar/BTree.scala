// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.index.sorting.SortedEntries
import io.github.pysparklance.index.spi._

/** A B-tree index: all values of a column in ascending order with their rows, split into pages.
  *
  * {{{
  *   page_data.lance     values: T?, ids: u64            ascending, nulls first; page k = rows [k * batch_size, ...)
  *   page_lookup.lance   min: T?, max: T?, null_count: u32, page_idx: u32      a row for each page, ascending
  *
  *   {min: null, max: 4035, null_count: 104, page_idx: 0}   nulls, then values: the smallest is not known
  *   {min: 4036, max: 8166, null_count: 0,   page_idx: 1}
  * }}}
  * A page whose max is null has only nulls. With `range_partitioned`, the pages are in several
  * files `part_<id>_page_data.lance`. `page_num_per_range_partition` has their order and their
  * numbers of pages.
  *
  * Source: format page of indices, "BTree".
  */
object BTree extends ScalarIndexKind {
  def name: String = "BTREE"
  def detailsType: String = "lance.table.BTreeIndexDetails"
  def latestVersion: Int = 1

  private val lookupName = "page_lookup.lance"
  private val dataName = "page_data.lance"
  private val pageSize = "zone_size"

  def parameters: Seq[IndexParameter] = Seq(IndexParameter.count(pageSize, 4096))

  def parametersOf(files: IndexFiles): Map[String, String] =
    files.use(prefixOf(files) + lookupName) {
      _.schema.metadata.get("batch_size").map(pageSize -> _).toMap
    }

  override def versionOf(hasAddresses: Boolean, parameters: IndexParameters): Int =
    if (hasAddresses) 1 else 0

  def supports(field: Field): Boolean = KeyType.of(field.logicalType).isDefined

  private[scalar] def dataFields(values: LogicalType): IndexedSeq[Field] =
    IndexedSeq(Field(0, "values", values, nullable = true), NewSegment.unsigned("ids", 64))

  private[scalar] def dataFile(id: Option[Long]): String =
    id.fold(dataName)(n => s"part_${n}_$dataName")

  /** Returns a writer of the pages of a segment, or of a range of it.
    *
    * @param id unique id of the range; `None` if the segment has one range
    */
  def writer(
      field: Field,
      parameters: IndexParameters,
      id: Option[Long],
      into: NewSegment
  ): BTreeWriter = new BTreeWriter(field.logicalType, parameters.count(pageSize), id, into)

  /** Writes the lookup file with the locations of the pages. It is the last file of a segment.
    *
    * @param ranges all files of pages, ascending by key: a single file without an id, or any number
    *   of files with ids
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
      into.describe(file)
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

  /** Writes the pages of a key range from the rows of several segments.
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
      new BTreeEntries(source, keyType, segment(source.files), window)
    }
    Using.resource(SortedEntries.merged(inputs.toIndexedSeq, keyType.isNumber)) { entries =>
      Using.resource(writer(field, parameters, id, into))(_.write(entries))
    }
  }

  /** Returns ascending keys that split the entries of several segments into ranges of about equal
    * size.
    *
    * @param rowsPerRange approximate rows per range
    */
  def cuts(sources: Seq[SegmentSource], rowsPerRange: Long): IndexedSeq[Key] = {
    // All pages of a segment but the last have about the same number of rows.
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

  private def prefixOf(files: IndexFiles): String =
    if (files.names(lookupName)) ""
    else files.names.find(_.endsWith("_" + lookupName)).fold("")(_.stripSuffix(lookupName))

  def open(files: IndexFiles): ScalarSegment = segment(files)

  private def segment(files: IndexFiles): BTreeSegment = {
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
      val pages = IndexedSeq.newBuilder[LookupPage]
      IndexFiles.foreachBatch(lookup, "min", "max", "null_count", "page_idx") { columns =>
        val (mins, maxs) = (keyType.keys(columns(0)), keyType.keys(columns(1)))
        val (nulls, numbers) = (Numbers.of(columns(2)), Numbers.of(columns(3)))
        (0 until mins.numRows).foreach { i =>
          val (file, page) = fileOf(numbers(i))
          val from = Checked.multiply(page, batchRows, "the first row of a page")
          pages += new LookupPage(
            Optional.unless(mins.isNull(i))(mins(i)),
            Optional.unless(maxs.isNull(i))(maxs(i)),
            nulls(i),
            file,
            RowRange(from, Checked.add(from, batchRows, "the rows of a page"))
          )
        }
      }
      Place.in(Place(path = Some(lookup.path))) {
        new BTreeSegment(
          field.logicalType,
          keyType,
          pages.result(),
          batchRows,
          IndexFiles.exactSegment(lookup)
        )
      }
    }
  }

  /** Maps a page to its file and its number in that file. */
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
}
