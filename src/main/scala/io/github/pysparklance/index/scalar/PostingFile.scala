// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.collection.mutable

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.file.spi.RowReader
import io.github.pysparklance.index.postings.{RowBitmap, RowBitmaps}
import io.github.pysparklance.index.spi._

/** The layout of a posting file, which has the rows of each key in ascending order of the keys,
  * null first. Bitmap, label list, and n-gram indices use such files.
  *
  * @param name name of the file
  * @param keys column of the keys
  * @param rows column of the rows
  * @param isTreemap whether the rows of a key are a treemap; otherwise they are a row address map
  */
final private[scalar] case class PostingFile(
    name: String,
    keys: Field,
    rows: Field,
    isTreemap: Boolean
) {
  val keyType: KeyType = KeyType.of(keys.logicalType).getOrElse(
    throw new UnsupportedFeatureException(s"an index on ${LogicalType.text(keys.logicalType)}")
  )

  /** The format of the rows. */
  def form: RowBitmaps = if (isTreemap) RowBitmaps.Treemap else RowBitmaps.AddressMap

  def parse(bytes: Buffer): RowSet =
    if (isTreemap) RowSet.parseTreemap(bytes) else RowSet.parse(bytes)
}

/** Iterates over distinct keys in ascending order, with their rows. */
private[scalar] trait Postings extends AutoCloseable {

  /** Moves to the next key. Returns `false` at the end. */
  def next(): Boolean

  /** The key; `None` for null. */
  def key: Option[Key]

  /** The rows, ascending by upper half. Valid until the next call of [[next]]. */
  def rows: IndexedSeq[RowBitmap]
}

/** Reads and merges postings. */
private[scalar] object Postings {

  /** The order of keys, null first. */
  val order: Ordering[Option[Key]] = (a: Option[Key], b: Option[Key]) =>
    (a, b) match {
      case (Some(x), Some(y)) => x.compare(y)
      case (x, y) => java.lang.Boolean.compare(x.isDefined, y.isDefined)
    }

  /** Reads a file.
    *
    * @param files folder of the file
    * @param transfer maps the rows
    */
  def read(file: PostingFile, files: IndexFiles, transfer: RowTransfer): Postings =
    new FilePostings(file, files.open(file.name), transfer)

  /** Merges postings. Each key has the union of its rows. */
  def merged(inputs: IndexedSeq[Postings]): Postings = new MergedPostings(inputs)

  private val batchRows = 64

  final private class FilePostings(
      layout: PostingFile,
      file: DescribedFile,
      transfer: RowTransfer
  ) extends Postings {
    private val reader: RowReader =
      try
        file.read(
          IndexedSeq(layout.keys.name, layout.rows.name),
          if (file.numRows == 0) IndexedSeq.empty else IndexedSeq(RowRange(0, file.numRows))
        )
      catch {
        case e: Exception =>
          file.close()
          throw e
      }
    private var keys: Keys = null
    private var sets = IndexedSeq.empty[Buffer]
    private var at = -1

    def next(): Boolean = {
      at += 1
      at < sets.length || readBatch()
    }

    private def readBatch(): Boolean = {
      val available = if (file.numRows == 0) 0 else reader.rowsAvailable
      available > 0 && {
        val columns = reader.read(math.min(available, batchRows))
        keys = layout.keyType.keys(columns(0))
        sets = Binaries.of(columns(1), layout.rows.name)
        at = 0
        true
      }
    }

    def key: Option[Key] = Optional.unless(keys.isNull(at))(keys(at))

    def rows: IndexedSeq[RowBitmap] =
      if (transfer eq RowTransfer.All) layout.form.read(sets(at))
      else RowBitmaps.of(transfer(layout.parse(sets(at))))

    def close(): Unit =
      try reader.close()
      finally file.close()
  }

  final private class MergedPostings(inputs: IndexedSeq[Postings]) extends Postings {
    private val heads = mutable.PriorityQueue.empty[Postings](
      order.on[Postings](_.key).reverse
    )
    private val sameKey = mutable.ArrayBuffer.empty[Postings]
    private var current = Option.empty[Key]
    inputs.foreach(advance)

    private def advance(input: Postings): Unit = if (input.next()) heads.enqueue(input)

    def next(): Boolean = {
      sameKey.foreach(advance)
      sameKey.clear()
      heads.nonEmpty && {
        current = heads.head.key
        while (heads.nonEmpty && order.equiv(heads.head.key, current)) sameKey += heads.dequeue()
        true
      }
    }

    def key: Option[Key] = current
    def rows: IndexedSeq[RowBitmap] = RowBitmaps.union(sameKey.map(_.rows).toIndexedSeq)
    def close(): Unit = inputs.foreach(_.close())
  }
}
