// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{BasePath, Fragment}
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan}
import io.github.pysparklance.table.{FragmentWriter, LanceTable}

/** Tables with one column of numbers, `id`, that is never null: enough to distinguish the rows of
  * versions.
  */
object NumberTables {
  private val store: FileStore = Storage.local

  val schema: Schema =
    Schema(IndexedSeq(Field(0, "id", LogicalType.parse("int64"), nullable = false)))

  /** Writes a data file that no version references yet. */
  def fragment(
      path: String,
      ids: Seq[Long],
      base: Option[BasePath] = None,
      version: FileVersion = FileVersion.default
  ): Fragment = {
    val values = new LongValues
    ids.foreach(values.append)
    val out = FragmentWriter.open(store, path, schema, version, base = base)
    out.write(IndexedSeq(LeafColumn(values, null)), ids.length)
    out.finish()
  }

  /** A table with a fragment for each sequence. */
  def create(path: String, ids: Seq[Long]*): LanceTable =
    LanceTable.create(store, path, schema, ids.map(fragment(path, _)).toIndexedSeq)

  def append(table: LanceTable, ids: Seq[Long]): LanceTable =
    table.append(IndexedSeq(fragment(table.path, ids)))

  /** Deletes the rows at these offsets of the fragment at this index. */
  def delete(table: LanceTable, index: Int, offsets: Int*): LanceTable =
    table.delete(Map(table.fragments(index).id -> DeletionVector.of(offsets.toArray)), "test")

  /** The live rows of a version in scan order. */
  def ids(table: LanceTable): IndexedSeq[Long] = table.fragments.indices.flatMap { i =>
    val all = RowRange(0, table.physicalRows(table.fragments(i)))
    val scan = FragmentScan(table, i, all, None, FragmentScan.defaultGapRows, IndexedSeq.empty)
    val found = IndexedSeq.newBuilder[Long]
    Using.resource(FragmentReader.open(store, scan, table.schema.fields.take(1), batchRows = 64)) {
      r =>
        while (r.next()) {
          val values = ColumnRows(r.columns.head)
          val live =
            if (r.live == null) 0 until r.numRows else r.live.toIndexedSeq.take(r.numLive)
          live.foreach(at => found += values(at).asInstanceOf[Long])
        }
    }
    found.result()
  }

  /** The rows that pylance reads. */
  def pylanceIds(
      path: String,
      version: Option[Long] = None,
      branch: Option[String] = None
  ): IndexedSeq[Long] = Pylance.rows(path, version, branch = branch).map(_.get("id").asLong)
}
