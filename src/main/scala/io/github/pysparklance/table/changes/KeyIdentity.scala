// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import java.nio.ByteBuffer
import java.util.{HashMap, IdentityHashMap}

import scala.util.Using

import io.github.pysparklance.core.{
  Column,
  ColumnBuffer,
  Field,
  InvalidRequestException,
  Workers
}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.scan.FragmentReader

/** Identifies rows by the values of some columns, which are read. Equal values have the same
  * number; null is equal to null, NaN to NaN, and -0.0 to 0.0. Not thread-safe.
  *
  * @param keys columns of the last version, each cut down to one leaf
  * @param maxRows maximum number of rows whose keys are in memory
  */
final private[changes] class KeyIdentity(
    store: FileStore,
    fields: FieldHistory,
    keys: IndexedSeq[Field],
    maxRows: Long
) extends RowIdentity {
  private val rowIds = new RowIdentity.RowIds(store)
  private val bytesOf = keys.map(KeyBytes(_))
  private val numbers = new HashMap[ByteBuffer, java.lang.Long]
  private val known = new IdentityHashMap[ChangedRows, Array[Long]]

  private var numRows = 0L

  override def mayRepeat: Boolean = true

  override def places(rows: ChangedRows): Array[Long] =
    if (rows.hasStableRowIds) rowIds.ids(rows) else super.places(rows)

  override def release(): Unit = {
    numbers.clear()
    known.clear()
    numRows = 0L
  }

  private def checkSize(missing: IndexedSeq[ChangedRows]): Unit = {
    numRows += missing.iterator.map(_.numRows).sum
    if (missing.nonEmpty && numRows > maxRows) {
      val versions = missing.map(_.change.version)
      throw new InvalidRequestException(
        s"the changes of versions ${versions.min} to ${versions.max} need the keys of $numRows changed rows in the " +
          s"memory of the driver, of at most $maxRows: read fewer versions at a time, or without net changes, " +
          "or use stable row ids"
      )
    }
  }

  override def prepare(rows: IndexedSeq[ChangedRows]): Unit = {
    val missing = rows.filterNot(known.containsKey(_))
    checkSize(missing)
    missing.foreach(r => fields.checkReadable(keys, r.readVersion))
    // Numbers are given in order, so that the keys of a few fragments are in memory at a time.
    missing.grouped(KeyIdentity.fragmentsAhead).foreach { some =>
      val found = Workers.map(some, KeyIdentity.fragmentsAhead)(read)
      some.zip(found).foreach { case (r, values) => known.put(r, values.map(number)) }
    }
  }

  def ids(rows: ChangedRows): Array[Long] = {
    prepare(IndexedSeq(rows))
    known.get(rows)
  }

  private def number(key: ByteBuffer): Long = {
    val next = numbers.size.toLong
    val found = numbers.putIfAbsent(key, next)
    if (found == null) next else found.longValue
  }

  /** The keys of rows, in row order. */
  private def read(rows: ChangedRows): Array[ByteBuffer] = {
    val scan = rows.scan(fields, keepsLineage = false)
    val found = Array.newBuilder[ByteBuffer]
    Using.resource(
      FragmentReader.open(store, scan, keys, batchRows = KeyIdentity.batchRows)
    ) { reader =>
      while (reader.next()) {
        val columns = keys.indices.map(i => plain(keys(i), reader.columns(i)))
        var i = 0
        while (i < reader.numLive) {
          val row = if (reader.live == null) i else reader.live(i)
          found += key(columns, row)
          i += 1
        }
      }
    }
    found.result()
  }

  private def plain(field: Field, column: Column): Column = {
    val buffer = ColumnBuffer(field)
    buffer.append(column, 0, column.numRows)
    buffer.column
  }

  private def key(columns: IndexedSeq[Column], row: Int): ByteBuffer = {
    val out = new KeyBytes.Output
    columns.indices.foreach(i => bytesOf(i).write(columns(i), row, out))
    out.result()
  }
}

private object KeyIdentity {
  private val fragmentsAhead = 8
  private val batchRows = 4096
}
