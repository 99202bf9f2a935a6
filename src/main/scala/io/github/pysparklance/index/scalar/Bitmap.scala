// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.collection.mutable
import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.index.postings.{KeyedLists, RowList}
import io.github.pysparklance.index.spi._

/** The rows of each distinct value of a column.
  *
  * {{{
  *   bitmap_page_lookup.lance   keys: T?, bitmaps: binary    ascending, null first; a row address map for each key
  * }}}
  * A file without a null key has no null.
  *
  * Source: format page of indices, "Bitmap and label list".
  */
object Bitmap extends GatheredIndexKind {
  def name: String = "BITMAP"
  def detailsType: String = "lance.table.BitmapIndexDetails"
  def newestVersion: Int = 0
  def parameters: Seq[IndexParameter] = Nil
  def parametersOf(files: IndexFiles): Map[String, String] = Map.empty
  def supports(field: Field): Boolean = KeyType.of(field.logicalType).isDefined

  def builder(field: Field, parameters: IndexParameters, into: NewSegment): SegmentBuilder =
    new Builder(KeyedRows.file(field.logicalType), into)

  def merge(
      sources: Seq[SegmentSource],
      field: Field,
      parameters: IndexParameters,
      into: NewSegment
  ): Unit = KeyedRows.merge(sources, KeyedRows.file(field.logicalType), into)(_ => ())

  final private class Builder(file: PostingFile, into: NewSegment) extends SegmentBuilder {
    private val lists = KeyedLists(file.keyType.isNumber)
    private val runs = new PostingRuns(file, lists, into)
    private val slot = new KeySlot

    def add(batch: IndexBatch): Unit = {
      batch.values match {
        case LeafColumn(DictionaryValues(indices, items), _)
            if items.numItems <= maxDictionaryItems =>
          addIndices(batch, indices.array, items)
        case values =>
          val keys = file.keyType.keys(values)
          batch.foreachLive { row =>
            listOf(batch, row) {
              keys.read(row, slot)
              lists.of(slot)
            }.add(batch.ids(row))
          }
      }
      runs.spillIfFull()
    }

    /** Looks each item of a dictionary up once. */
    private def addIndices(batch: IndexBatch, indices: Array[Int], items: Values): Unit = {
      val keys = file.keyType.keys(LeafColumn(items, null))
      val found = new Array[RowList](items.numItems)
      batch.foreachLive { row =>
        listOf(batch, row) {
          val item = indices(row)
          if (found(item) == null) {
            keys.read(item, slot)
            found(item) = lists.of(slot)
          }
          found(item)
        }.add(batch.ids(row))
      }
    }

    @inline private def listOf(batch: IndexBatch, row: Int)(ofValue: => RowList): RowList =
      if (batch.isNull(row)) lists.ofNull else ofValue

    def finish(): Unit = runs.finish()
    def close(): Unit = runs.close()
  }

  private val maxDictionaryItems = 16384

  def open(files: IndexFiles): ScalarSegment = new Segment(KeyedRows.open(files))

  /** Runs `f` on each value of a segment, null among them, and the rows with it as the segment knows them.
    *
    * @return `false`, before any, if the values are of another type, or more than `maxKeys`
    */
  private[index] def foreachKey(files: IndexFiles, valueType: LogicalType, maxKeys: Int)(
      f: (Option[Key], RowSet) => Unit
  ): Boolean = KeyedRows.foreachKey(files, valueType, maxKeys)(f)

  final private class Segment(rows: KeyedRows) extends ScalarSegment {
    def valueType: Option[LogicalType] = Some(rows.logicalType)

    def answer(files: IndexFiles, predicate: IndexPredicate): Option[SegmentAnswer] =
      predicate match {
        case IndexPredicate.IsNull =>
          Some(new SegmentAnswer.Exact(rows.ofNull(files), RowSet.empty))
        case IndexPredicate.Within(ranges, _) =>
          Some(new SegmentAnswer.Exact(rows.of(files, ranges), rows.ofNull(files)))
        case _ => None
      }

    override def size(files: IndexFiles, predicate: IndexPredicate): AnswerSize =
      predicate match {
        case IndexPredicate.Within(ranges, _) => rows.size(files, ranges)
        case _ => AnswerSize.small
      }

    override def prewarm(files: IndexFiles): Unit = rows.prewarm(files)

    def sizeInBytes: Long = rows.sizeInBytes
  }
}

/** The file of bitmap and label list indices: its keys in memory, its bitmaps where they are.
  *
  * @param logicalType of the keys
  * @param keys of each row of the file; none: null
  */
final private[scalar] class KeyedRows private (
    val logicalType: LogicalType,
    keys: IndexedSeq[Option[Key]]
) {

  /** The rows whose value is in one of some ranges. */
  def of(files: IndexFiles, ranges: KeyRanges): RowSet =
    read(files, key => key.exists(ranges.contains))

  /** The size of [[of]], as if all values had as many rows. */
  def size(files: IndexFiles, ranges: KeyRanges): AnswerSize =
    files.sizeOf(KeyedRows.fileName) match {
      case Some(bytes) if keys.nonEmpty =>
        val share = keys.count(_.exists(ranges.contains)).toDouble / keys.length
        AnswerSize((bytes * share).toLong / KeyedRows.rowBytes, 0L, 0L)
      case _ => AnswerSize.small
    }

  /** The rows whose value is null. */
  def ofNull(files: IndexFiles): RowSet = read(files, _.isEmpty)

  private def read(files: IndexFiles, accepts: Option[Key] => Boolean): RowSet = {
    val (known, others) =
      keys.indices.filter(i => accepts(keys(i))).partition(i => files.isCached(i))
    RowSet.union(
      known.iterator.map(i => files.cache(i)(load(files, IndexedSeq(i)).next()._2)) ++
        load(files, others).map(_._2)
    )
  }

  /** Reads bitmaps, and caches them. */
  def prewarm(files: IndexFiles): Unit = load(files, keys.indices).foreach(_ => ())

  private def load(files: IndexFiles, wanted: IndexedSeq[Int]): Iterator[(Int, RowSet)] =
    if (wanted.isEmpty) Iterator.empty
    else
      files.use(KeyedRows.fileName) { file =>
        val found = mutable.ArrayBuffer.empty[(Int, RowSet)]
        val ranges = RowRange.merged(wanted.iterator.map(i => RowRange(i.toLong, i + 1L)), 0L)
        IndexFiles.foreachBatch(file, ranges, IndexFiles.batchRows, Seq("bitmaps")) { columns =>
          KeyedRows.sets(columns(0)).foreach { set =>
            val i = wanted(found.length)
            found += i -> (if (set.sizeInBytes <= files.cacheBytes / 16) files.cache(i)(set)
                           else set)
          }
        }
        found.iterator
      }

  def sizeInBytes: Long = keys.iterator.map {
    case Some(key: BytesKey) => 64L + key.bytes.length
    case _ => 48L
  }.sum
}

private[scalar] object KeyedRows {
  val fileName: String = "bitmap_page_lookup.lance"

  /** Bytes of a row in the bitmaps of a value, about. */
  val rowBytes: Long = 2L

  /** The layout of the file.
    *
    * @param keys their type
    */
  def file(keys: LogicalType): PostingFile = PostingFile(
    fileName,
    Field(0, "keys", keys, nullable = true),
    Field(0, "bitmaps", LogicalType.Binary(large = false), nullable = true),
    isTreemap = false
  )

  /** Writes one file with the rows of several. */
  def merge(sources: Seq[SegmentSource], file: PostingFile, into: NewSegment)(
      describe: PostingWriter => Unit
  ): Unit = {
    val inputs = mutable.ArrayBuffer.empty[Postings]
    try {
      sources.foreach(s => inputs += Postings.read(file, s.files, s.rows))
      Using.resource(new PostingWriter(file, into)) { writer =>
        writer.append(Postings.merged(inputs.toIndexedSeq))
        describe(writer)
        writer.finish()
      }
    } finally inputs.foreach(_.close())
  }

  /** Reads the keys. */
  def open(files: IndexFiles): KeyedRows = files.use(fileName) { file =>
    val field = file.schema.field("keys").getOrElse(
      throw new CorruptFileException("no column keys", Place(path = Some(file.path)))
    )
    val keyType = KeyType.of(field.logicalType).getOrElse(
      throw new UnsupportedFeatureException(
        s"a bitmap index on ${LogicalType.text(field.logicalType)}"
      )
    )
    val found = IndexedSeq.newBuilder[Option[Key]]
    IndexFiles.foreachBatch(file, "keys") { columns =>
      val keys = keyType.keys(columns(0))
      found ++= (0 until keys.numRows).map(i => Optional.unless(keys.isNull(i))(keys(i)))
    }
    new KeyedRows(field.logicalType, found.result())
  }

  /** See [[Bitmap.foreachKey]]. */
  def foreachKey(files: IndexFiles, valueType: LogicalType, maxKeys: Int)(
      f: (Option[Key], RowSet) => Unit
  ): Boolean = files.use(fileName) { file =>
    val isUsable = file.numRows <= maxKeys &&
      file.schema.field("keys").exists(_.logicalType == valueType)
    KeyType.of(valueType).filter(_ => isUsable).exists { keyType =>
      IndexFiles.foreachBatch(file, "keys", "bitmaps") { columns =>
        val keys = keyType.keys(columns(0))
        sets(columns(1)).zipWithIndex.foreach { case (rows, i) =>
          f(Optional.unless(keys.isNull(i))(keys(i)), rows)
        }
      }
      true
    }
  }

  private def sets(column: Column): IndexedSeq[RowSet] =
    Binaries.of(column, "bitmaps").map(RowSet.parse)
}

/** Binaries of index files. */
private[scalar] object Binaries {

  /** The values of a column without nulls; valid as long as the column is. */
  def of(column: Column, name: String): IndexedSeq[Buffer] = {
    val rows = LeafRows.of(column)
    rows.values match {
      case v: BinaryValues if !rows.hasNulls =>
        (0 until rows.numRows).map(i => buffer(v, rows.at(i)))
      case other =>
        throw new CorruptFileException(
          s"the column $name of an index has nulls, or no binaries: ${other.getClass.getSimpleName}"
        )
    }
  }

  private def buffer(v: BinaryValues, i: Int): Buffer =
    new Buffer(v.bytes, v.offsets(i), v.offsets(i + 1) - v.offsets(i))
}
