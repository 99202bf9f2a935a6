// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.collection.mutable
import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi._

/** The file of bitmap and label list indices. Its keys are in memory; bitmaps are read on demand.
  *
  * @param logicalType type of the keys
  * @param keys key of each row of the file; `None` for null
  * @param exactSegment see [[IndexFiles.exactSegment]]
  */
final private[scalar] class KeyedRows private (
    val logicalType: LogicalType,
    keys: IndexedSeq[Option[Key]],
    val exactSegment: Option[String]
) {

  /** Returns the rows with a value within the ranges. */
  def of(files: IndexFiles, ranges: KeyRanges): RowSet =
    read(files, key => key.exists(ranges.contains))

  /** Estimates the size of [[of]] from the rows of a few values, which it reads. */
  def size(files: IndexFiles, ranges: KeyRanges): ResultSize = {
    val matching = keys.indices.filter(keys(_).exists(ranges.contains))
    files.sizeOf(KeyedRows.fileName) match {
      case Some(bytes) if matching.nonEmpty =>
        val entries = bytes.toDouble * matching.length / keys.length / KeyedRows.rowBytes
        val sample = KeyedRows.sample(matching)
        val sets = rowsOf(files, sample).toIndexedSeq
        val values = matching.length.toDouble / sample.length
        ResultSize(
          entries.toLong,
          (sets.iterator.map(_.numRows).sum * values).toLong,
          (sets.iterator.map(KeyedRows.estimatedRuns).sum * values).toLong
        )
      case _ => ResultSize.small
    }
  }

  /** Iterates over the keys in their order, each with its rows. */
  def inOrder(files: IndexFiles, isAscending: Boolean): Iterator[(Key, RowSet)] = {
    val ascending = keys.indices.filter(keys(_).isDefined).sortBy(keys(_).get)
    val ordered = if (isAscending) ascending.iterator else ascending.reverseIterator
    ordered.map(i => keys(i).get -> rowsOf(files, IndexedSeq(i)).next())
  }

  private def load(files: IndexFiles, key: Int): RowSet = load(files, IndexedSeq(key)).next()._2

  /** Returns the rows with a null value. */
  def ofNull(files: IndexFiles): RowSet = read(files, _.isEmpty)

  private def read(files: IndexFiles, accepts: Option[Key] => Boolean): RowSet =
    RowSet.union(rowsOf(files, keys.indices.filter(i => accepts(keys(i)))))

  /** Returns the rows of keys in any order. Reads those that are not cached together. */
  private def rowsOf(files: IndexFiles, wanted: IndexedSeq[Int]): Iterator[RowSet] = {
    val (known, others) = wanted.partition(i => files.isCached(i))
    known.iterator.map(i => files.cache(i)(load(files, i))) ++ load(files, others).map(_._2)
  }

  /** Reads the bitmaps into the cache. */
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

/** Reads and writes the files of bitmap and label list indices. */
private[scalar] object KeyedRows {
  val fileName: String = "bitmap_page_lookup.lance"

  /** Approximate bytes of a row in a bitmap. */
  val rowBytes: Long = 2L

  /** Number of values whose rows are read to estimate the size of a result. */
  private val sampleSize = 8

  /** Number of rows from which the runs of consecutive rows are estimated. */
  private val countedRows = 1 << 16

  /** Returns a few evenly spaced positions. */
  private def sample(positions: IndexedSeq[Int]): IndexedSeq[Int] =
    if (positions.length <= sampleSize) positions
    else
      IndexedSeq.tabulate(sampleSize)(i =>
        positions(((i + 0.5) * positions.length / sampleSize).toInt)
      )

  /** Estimates the number of runs of consecutive rows from the first rows. */
  private def estimatedRuns(rows: RowSet): Double = {
    var counted = 0
    var runs = 0L
    val uppers = rows.uppers
    while (uppers.hasNext && counted < countedRows) {
      val it = rows.part(uppers.next()).getIntIterator
      var next = -1L
      while (it.hasNext && counted < countedRows) {
        val row = it.next() & 0xffffffffL
        if (row != next) runs += 1
        next = row + 1
        counted += 1
      }
    }
    if (counted == 0) 0.0 else runs.toDouble * rows.numRows / counted
  }

  /** Returns the layout of the file.
    *
    * @param keys type of the keys
    */
  def file(keys: LogicalType): PostingFile = PostingFile(
    fileName,
    Field(0, "keys", keys, nullable = true),
    Field(0, "bitmaps", LogicalType.Binary(large = false), nullable = true),
    isTreemap = false
  )

  /** Merges the rows of several files into one file. */
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

  /** Reads the keys of a file. */
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
    new KeyedRows(field.logicalType, found.result(), IndexFiles.exactSegment(file))
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

/** Binary columns of index files. */
private[scalar] object Binaries {

  /** Returns the values of a column without nulls. They are valid as long as the column. */
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
