// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.history

import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{InvalidRequestException, UnsupportedFeatureException}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.metadata.MetadataChanges
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.table.transaction.operation.{Append, UpdateMap}
import io.github.pysparklance.testkit.{GoldenTables, NumberTables, Pylance, TemporaryFolder}

class HistorySuite extends AnyFunSuite with TemporaryFolder {
  import NumberTables._

  private val store = Storage.local

  private def path: String = folder.resolve("t").toString

  private def open(version: Long): LanceTable = LanceTable.open(store, path, Some(version))

  test("restore, by this connector and by pylance") {
    val first = create(path, Seq(1, 2, 3))
    val second =
      new MetadataChanges(append(first, Seq(4))).config(UpdateMap.upsert(Map("k" -> "v")))
    delete(second, 0, 1)
    val restored = new History(first).restore(Map("why" -> "because"))
    assert(restored.version == 5 && ids(restored) == Seq(1, 2, 3))
    assert(restored.manifest.config.isEmpty && restored.manifest.maxFragmentId.contains(1L))
    assert(pylanceIds(path) == Seq(1, 2, 3) && Pylance.validate(path) == 3)
    // Fragment ids are not reused.
    assert(append(restored, Seq(9)).fragments.map(_.id) == Seq(0, 2))

    Pylance.run("dataset(path, 4).restore()", "path" -> path)
    val theirs = LanceTable.open(store, path)
    assert(theirs.version == 7 && ids(theirs) == Seq(1, 3, 4))
    assert(theirs.manifest.config == Map("k" -> "v"))
    assert(append(theirs, Seq(10)).fragments.map(_.id) == Seq(0, 1, 3))
    assert(pylanceIds(path) == Seq(1, 3, 4, 10))

    val history = LanceTable.history(store, path).toSeq
    assert(history.map(_.operation.get) ==
      Seq(
        "Overwrite",
        "Append",
        "UpdateConfig",
        "Delete",
        "Restore",
        "Append",
        "Restore",
        "Append"
      ))
    assert(history(4).properties == Map("why" -> "because") && history(4).readVersion.contains(4L))
    assert(history.map(_.rowsAdded.get) == Seq(3, 1, 0, 0, 1, 1, 1, 1))
    assert(history.map(_.rowsDeleted.get) == Seq(0, 0, 0, 1, 1, 0, 2, 0))
    val pylance = Pylance.versions(path)
    assert(history.map(_.version) == pylance.map(_.get("version").asLong))
    assert(history.map(_.rowCount.get) == pylance.map(_.get("rows").asLong))
    assert(history.map(_.numFragments) == pylance.map(_.get("fragments").asInt))
  }

  test("a restore neither reuses nor disables stable row ids") {
    Pylance.write("{'id': range(3)}", path, "enable_stable_row_ids" -> true)
    Pylance.run("write({'id': [3]}, path, mode='append')", "path" -> path)
    val restored = new History(open(1)).restore()
    assert(restored.manifest.message.getNextRowId == 4)
    Pylance.run("write({'id': [4]}, path, mode='append')", "path" -> path)
    val rowIds = Pylance.fragments(path).flatMap(_.get("row_ids").elements.asScala.map(_.asLong))
    assert(rowIds == Seq(0, 1, 2, 4) && Pylance.validate(path) == 4)

    val other = folder.resolve("u").toString
    Pylance.write("{'id': range(3)}", other)
    Pylance.run(
      "write({'id': [3]}, path, mode='overwrite', enable_stable_row_ids=True)",
      "path" -> other
    )
    val now = LanceTable.open(store, other)
    if (now.hasStableRowIds) {
      val e = intercept[InvalidRequestException](
        new History(LanceTable.open(store, other, Some(1L))).restore()
      )
      assert(e.getMessage.contains("stable row ids"))
    }
  }

  test("the history without cleaned-up versions") {
    append(delete(append(create(path, Seq(1, 2)), Seq(3)), 0, 0), Seq(4, 5))
    Seq(1L, 2L).foreach { v =>
      Files.delete(
        folder.resolve(s"t/_versions/${java.lang.Long.toUnsignedString(-1L - v)}.manifest")
      )
    }
    val history = LanceTable.history(store, path).toSeq
    assert(history.map(h => (h.version, h.operation.get, h.rowsAdded, h.rowsDeleted)) == Seq(
      (3, "Delete", Some(0L), None),
      (4, "Append", Some(2L), Some(0L))
    ))
    Files.delete(folder.resolve(s"t/_versions/${java.lang.Long.toUnsignedString(-4L)}.manifest"))
    val last = LanceTable.history(store, path).toSeq
    assert(last.map(h => (h.rowsAdded, h.rowsDeleted)) == Seq((Some(2L), Some(0L))))
  }

  test("effects of pylance compactions and updates on rows") {
    Pylance.write("{'id': range(6)}", path, "max_rows_per_file" -> 2)
    Pylance.run(
      """
      dataset(path).update({'id': '10'}, where='id = 1')
      dataset(path).delete('id < 1')
      dataset(path).optimize.compact_files()
      """,
      "path" -> path
    )
    val counts = LanceTable.history(store, path).map { h =>
      (h.operation.get, h.rowsAdded.get, h.rowsDeleted.get)
    }.toIndexedSeq
    assert(counts == Seq(
      ("Overwrite", 6, 0),
      ("Update", 1, 1),
      ("Delete", 0, 1),
      ("ReserveFragments", 0, 0),
      ("Rewrite", 0, 0)
    ))
  }

  test("detached versions are not part of the history") {
    val first = create(path, Seq(1, 2))
    val detached = new History(first).commitDetached(Append(IndexedSeq(fragment(path, Seq(3)))))
    assert(detached.version < 0 && ids(detached) == Seq(1, 2, 3))
    assert(LanceTable.open(store, path).version == 1)
    assert(LanceTable.versions(store, path) == Seq(1))
    append(first, Seq(4))
    val unsigned = java.lang.Long.toUnsignedString(detached.version)
    def pylance(version: String) = Pylance
      .run(
        "result = dataset(path, int(v)).to_table()['id'].to_pylist()",
        "path" -> path,
        "v" -> version
      )
      .elements.asScala.map(_.asLong).toSeq
    assert(pylance(unsigned) == Seq(1, 2, 3) && pylanceIds(path) == Seq(1, 2, 4))
    val again = new History(open(detached.version))
      .commitDetached(Append(IndexedSeq(fragment(path, Seq(5)))))
    assert(ids(again) == Seq(1, 2, 3, 5))

    val theirs = java.lang.Long.parseUnsignedLong(Pylance.run(
      """
      ds = dataset(path)
      data = pa.table({'id': pa.array([6, 7], pa.int64())}, schema=ds.schema)
      fragments = lance.fragment.write_fragments(data, path)
      made = lance.LanceDataset.commit(
          path, lance.LanceOperation.Append(fragments), read_version=ds.version, detached=True)
      result = str(made.version)
      """,
      "path" -> path
    ).asText)
    assert(ids(open(theirs)) == Seq(1, 2, 4, 6, 7))

    LanceTable.tags(store, path).create("kept", Revision.Version(theirs))
    assert(ids(LanceTable.open(store, path, Revision.Tagged("kept"))) == Seq(1, 2, 4, 6, 7))
    val restored = new History(open(theirs)).restore()
    assert(restored.version == 3 && ids(restored) == Seq(1, 2, 4, 6, 7))
    assert(Pylance.validate(path) == 5)
  }

  test("detached versions are rejected with old manifest names") {
    val old = GoldenTables.copy("history_v1_names.lance", folder).toString
    val before = Files.list(folder.resolve("history_v1_names.lance/_versions")).count()
    val e = intercept[UnsupportedFeatureException](
      new History(LanceTable.open(store, old)).commitDetached(Append(IndexedSeq.empty))
    )
    assert(e.getMessage.contains("detached") && e.place.path.contains(old))
    assert(Files.list(folder.resolve("history_v1_names.lance/_versions")).count() == before)
  }
}
