// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan, MetadataColumn}
import io.github.pysparklance.table.{FragmentWriter, LanceTable}

/** Rows of tables as plain Scala values, and tables with two numbers per row: `id` and `value`. */
object TableRows {

  /** `id` and `value`, both `int64`. */
  val schema: Schema = Schema(
    IndexedSeq("id", "value").map(Field(-1, _, LogicalType.parse("int64"), nullable = true))
  ).withFreshIds

  /** Writes a data file of rows of [[schema]], which no version references yet.
    *
    * @param path path of the table
    * @param rows pairs of `id` and `value`
    */
  def write(
      store: FileStore,
      path: String,
      rows: Seq[(Long, Long)],
      version: FileVersion = FileVersion.default
  ): Fragment = {
    val out = FragmentWriter.open(store, path, schema, version)
    out.write(IndexedSeq(longs(rows.map(_._1)), longs(rows.map(_._2))), rows.length)
    out.finish()
  }

  /** Writes a data file of one column of `int64`.
    *
    * @param field field with its id
    */
  def writeColumn(
      store: FileStore,
      path: String,
      field: Field,
      values: Seq[Long],
      version: FileVersion = FileVersion.default
  ): Fragment = {
    val out = FragmentWriter.open(store, path, Schema(IndexedSeq(field)), version)
    out.write(IndexedSeq(longs(values)), values.length)
    out.finish()
  }

  private def longs(values: Seq[Long]): Column = {
    val v = new LongValues
    values.foreach(v.append)
    LeafColumn(v, null)
  }

  /** Returns all live rows in scan order, with a value for each column.
    *
    * @param metadata additional columns after the stored ones
    */
  def apply(
      store: FileStore,
      table: LanceTable,
      metadata: IndexedSeq[MetadataColumn] = IndexedSeq.empty
  ): IndexedSeq[Seq[Any]] =
    table.fragments.indices.flatMap(i => of(store, table, i, metadata).map(_._2))

  /** The rows of one fragment with their offsets.
    *
    * @param index index of the fragment
    */
  def of(
      store: FileStore,
      table: LanceTable,
      index: Int,
      metadata: IndexedSeq[MetadataColumn] = IndexedSeq.empty
  ): IndexedSeq[(Int, Seq[Any])] = {
    val fragment = table.fragments(index)
    val all = RowRange(0, table.physicalRows(fragment))
    val deleted = table.deletionVector(fragment)
    val offsets = (0 until all.until.toInt).filterNot(o => deleted.isDeleted(o.toLong))
    val scan = FragmentScan(table, index, all, None, FragmentScan.defaultGapRows, metadata)
    val rows = IndexedSeq.newBuilder[Seq[Any]]
    Using.resource(
      FragmentReader.open(store, scan, table.schema.fields, metadata, batchRows = 1024)
    ) { r =>
      while (r.next()) {
        val values = r.columns.map(ColumnRows(_))
        Option(r.live).fold(0 until r.numRows: Seq[Int])(_.toSeq.take(r.numLive)).foreach(i =>
          rows += values.map(_(i))
        )
      }
    }
    offsets.zip(rows.result())
  }

  /** Returns the positions of rows that match a condition, in the form of [[LanceTable.delete]]. */
  def where(store: FileStore, table: LanceTable)(
      condition: Seq[Any] => Boolean
  ): Map[Long, DeletionVector] =
    table.fragments.indices.flatMap { i =>
      val offsets = of(store, table, i).collect { case (o, row) if condition(row) => o }
      if (offsets.isEmpty) None
      else Some(table.fragments(i).id -> DeletionVector.of(offsets.toArray))
    }.toMap
}
