// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import io.github.pysparklance.core.{
  Column,
  ColumnBuffer,
  Field,
  InvalidRequestException,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan}
import io.github.pysparklance.table.schema.ColumnCast

/** The values of a fragment's live rows before they are updated, in row order. */
sealed private[columns] trait BaseRows extends AutoCloseable {

  /** Buffers for columns in the form that [[append]] adds. */
  def buffers: IndexedSeq[ColumnBuffer]

  /** Appends some of the next live rows. May append fewer than requested to limit memory.
    *
    * @param numRows maximum number of rows
    * @return number of appended rows, at least 1
    */
  def append(numRows: Int): Int

  /** Skips the next live rows. */
  def skip(numRows: Int): Unit

  /** Converts the columns of the buffers to the columns to write. */
  def written(columns: IndexedSeq[Column]): IndexedSeq[Column] = columns
}

/** Nulls. Fails if a field does not allow them. */
final private[columns] class NullRows(fields: IndexedSeq[Field]) extends BaseRows {
  val buffers: IndexedSeq[ColumnBuffer] = fields.map(ColumnBuffer(_))

  def append(numRows: Int): Int = {
    fields.find(!_.nullable).foreach { f =>
      throw new InvalidRequestException(
        "rows without a value in a column that is not nullable",
        Place(column = Some(f.name))
      )
    }
    buffers.foreach(_.appendNulls(numRows))
    numRows
  }

  def skip(numRows: Int): Unit = ()
  def close(): Unit = ()
}

/** Adds columns with constant values to other columns.
  *
  * @param values for each field, a column of one row
  */
final private[columns] class ConstantRows(
    others: BaseRows,
    fields: IndexedSeq[Field],
    values: IndexedSeq[Column]
) extends BaseRows {
  private val own = fields.map(ColumnBuffer(_))

  val buffers: IndexedSeq[ColumnBuffer] = others.buffers ++ own

  def append(numRows: Int): Int = {
    val appended = others.append(numRows)
    own.indices.foreach { c =>
      var i = 0
      while (i < appended) {
        own(c).append(values(c), 0, 1)
        i += 1
      }
    }
    appended
  }

  def skip(numRows: Int): Unit = others.skip(numRows)

  override def written(columns: IndexedSeq[Column]): IndexedSeq[Column] = {
    val (ofOthers, constant) = columns.splitAt(others.buffers.length)
    others.written(ofOthers) ++ constant
  }

  def close(): Unit = others.close()
}

/** The values in the fragment's files.
  *
  * @param before the columns to read
  * @param after the columns to write, which can have other types
  */
final private[columns] class StoredRows(
    store: FileStore,
    scan: FragmentScan,
    before: IndexedSeq[Field],
    after: IndexedSeq[Field]
) extends BaseRows {
  private var reader: FragmentReader = null
  private var at = 0
  private val casts =
    if (before eq after) None
    else Some(before.zip(after).map { case (b, a) => new ColumnCast(b, a) })

  val buffers: IndexedSeq[ColumnBuffer] = before.map(ColumnBuffer(_))

  def append(numRows: Int): Int = take(numRows) { (from, n) =>
    buffers.indices.foreach(i => buffers(i).append(reader.columns(i), from, n))
  }

  def skip(numRows: Int): Unit = {
    var left = numRows
    while (left > 0) left -= take(left)((_, _) => ())
  }

  override def written(columns: IndexedSeq[Column]): IndexedSeq[Column] =
    casts.fold(columns)(c => c.indices.map(i => c(i)(columns(i))))

  /** Calls `f` with the first run of slots in the reader's batch that contains the next live rows.
    * Returns its length.
    */
  private def take(numRows: Int)(f: (Int, Int) => Unit): Int = {
    if (reader == null) reader = FragmentReader.open(store, scan, before, batchRows = batchRows)
    while (at >= reader.numLive) advance()
    val live = reader.live
    val n = math.min(numRows, if (live == null) reader.numLive - at else runAt(live))
    f(if (live == null) at else live(at), n)
    at += n
    n
  }

  private def runAt(live: Array[Int]): Int = {
    var end = at + 1
    while (end < reader.numLive && live(end) == live(end - 1) + 1) end += 1
    end - at
  }

  private def advance(): Unit = {
    if (!reader.next())
      throw new UnsupportedFeatureException(
        s"fragment ${scan.fragment.id}, whose files have fewer rows than the manifest declares"
      )
    at = 0
  }

  private def batchRows = 4096

  def close(): Unit = if (reader != null) reader.close()
}
