// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  Field,
  InvalidRequestException,
  LogicalType,
  LongValues,
  RowRange,
  Schema
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{DataFile, FeatureFlags, Fragment}
import io.github.pysparklance.table.rowid.RowIdSequence
import io.github.pysparklance.table.scan.{MetadataColumn, MetadataColumns}
import io.github.pysparklance.testkit.{GoldenTables, TemporaryFolder}

/** Assignment of row ids and row versions. The files of the fragments do not exist. */
class StableRowIdsSuite extends AnyFunSuite with TemporaryFolder {
  import MetadataColumn._

  private val store = Storage.local

  private val schema = Schema(
    IndexedSeq(Field(0, "id", LogicalType.parse("int64"), nullable = true))
  )

  private def fragment(rows: Long, ids: Long*): Fragment = Fragment.unassigned(
    Seq(
      DataFile(
        s"${java.util.UUID.randomUUID}.lance",
        IndexedSeq(0),
        IndexedSeq(0),
        FileVersion.default,
        99
      )
    ),
    rows,
    if (ids.isEmpty) None else Some(RowIdSequence.of(ids.toArray).toBytes)
  )

  private def rows(offsets: Int*): DeletionVector = DeletionVector.of(offsets.toArray)

  private def values(t: LanceTable, index: Int, column: MetadataColumn): Seq[Long] = {
    val out = new LongValues
    MetadataColumns(t, index).fill(column, RowRange(0, t.fragments(index).physicalRows.get), out)
    out.array.take(out.numItems).toSeq
  }

  private def create(rows: Long*): LanceTable = LanceTable.create(
    store,
    folder.resolve("t").toString,
    schema,
    rows.map(fragment(_)).toIndexedSeq,
    enableStableRowIds = true
  )

  test("new rows get the next ids and the new version, regardless of removed rows") {
    val t = create(3, 2)
    assert(t.hasStableRowIds && t.manifest.flags.writes(FeatureFlags.stableRowIds))
    assert(values(t, 0, RowId) == Seq(0, 1, 2) && values(t, 1, RowId) == Seq(3, 4))
    assert(values(t, 1, RowCreatedAtVersion) == Seq(1, 1))
    val appended = t.delete(Map(1L -> rows(0, 1)), "").append(IndexedSeq(fragment(2), fragment(1)))
    assert(values(appended, 1, RowId) == Seq(5, 6) && values(appended, 2, RowId) == Seq(7))
    assert(values(appended, 1, RowLastUpdatedAtVersion) == Seq(3, 3))
    val overwritten = appended.overwrite(IndexedSeq(fragment(2)), schema)
    assert(overwritten.hasStableRowIds && values(overwritten, 0, RowId) == Seq(8, 9))
    assert(values(overwritten, 0, RowCreatedAtVersion) == Seq(4, 4))
    val empty = overwritten.overwrite(IndexedSeq.empty, schema)
    assert(empty.hasStableRowIds)
    assert(values(empty.append(IndexedSeq(fragment(1))), 0, RowId) == Seq(10))
  }

  test("updated rows keep their id and creation version, new rows among them do not") {
    val t = create(3).append(IndexedSeq(fragment(3)))
    val updated =
      t.update(Map(0L -> rows(1), 1L -> rows(0, 2)), IndexedSeq(fragment(4, 5, 1, 3)), Set(0))
    assert(updated.version == 3 && updated.rowCount.contains(7L))
    assert(values(updated, 2, RowId) == Seq(5, 1, 3, 6))
    assert(values(updated, 2, RowCreatedAtVersion) == Seq(2, 1, 2, 3))
    assert(values(updated, 2, RowLastUpdatedAtVersion) == Seq(3, 3, 3, 3))
    // The second time, the row is found in its first fragment, not where it moved to.
    val again = updated.update(Map(2L -> rows(1, 3)), IndexedSeq(fragment(2, 6, 1)), Set(0))
    assert(values(again, 3, RowId) == Seq(6, 1) && values(again, 3, RowCreatedAtVersion) == Seq(
      3,
      1
    ))
    assert(values(again.append(IndexedSeq(fragment(1))), 4, RowId) == Seq(7))
    val history = LanceTable.history(store, folder.resolve("t").toString).toSeq
    assert(history.map(_.operation.get) == Seq("Overwrite", "Append", "Update", "Update", "Append"))
  }

  test("ids and versions match the committed version") {
    val stale = create(3)
    stale.append(IndexedSeq(fragment(2)))
    val appended = stale.append(IndexedSeq(fragment(2)))
    assert(values(appended, 2, RowId) == Seq(5, 6))
    assert(values(appended, 2, RowCreatedAtVersion) == Seq(3, 3))
    val updated = stale.update(Map(0L -> rows(0)), IndexedSeq(fragment(2, 0)), Set(0))
    assert(values(updated, 3, RowId) == Seq(0, 7) && values(updated, 3, RowCreatedAtVersion) == Seq(
      1,
      4
    ))
  }

  test("an update of a pylance table, with its lineage in the manifest or in data files") {
    Seq("identity.lance", "identity_spilled.lance").foreach { name =>
      val copy = GoldenTables.copy(name, folder)
      val t = LanceTable.open(store, copy.toString)
      val moved = t.fragments.indices.map(i => values(t, i, RowAddr)).head
      assert(moved.nonEmpty)
      // Row 700 was created by an append after row 8, which came with the table and was updated
      // twice.
      val file = fragment(2, 8, 705)
      val updated = t.update(Map.empty, IndexedSeq(file), Set(0))
      val created = values(updated, updated.fragments.length - 1, RowCreatedAtVersion)
      val spilledMore = if (name == "identity.lance") 0 else 1
      assert(created == Seq(1L, 9L + spilledMore), name)
      assert(updated.manifest.flags.reads(FeatureFlags.spilledLineage) == (spilledMore == 1))
    }
  }

  test("mismatched ids are rejected") {
    val t = create(3)
    intercept[InvalidRequestException](t.append(IndexedSeq(fragment(2, 0))))
    val e =
      intercept[InvalidRequestException](t.update(Map.empty, IndexedSeq(fragment(1, 0, 1)), Set(0)))
    assert(e.getMessage.contains("2 row ids for 1 rows"))
    val without =
      LanceTable.create(store, folder.resolve("u").toString, schema, IndexedSeq(fragment(3)))
    val f = intercept[InvalidRequestException](
      without.update(Map(0L -> rows(0)), IndexedSeq(fragment(1, 0)), Set(0))
    )
    assert(f.getMessage.contains("does not have stable row ids"))
    val updated = without.update(Map(0L -> rows(0)), IndexedSeq(fragment(1)), Set(0))
    assert(updated.rowCount.contains(3L) && !updated.hasStableRowIds)
  }
}
