// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder}

/** Updates of rows, from the versions that created and last updated them. */
class RowUpdatesSuite extends AnyFunSuite with TemporaryFolder {
  private def versions(its: Long*): RowDatasetVersionSequence =
    RowDatasetVersionSequence.of(its.toArray)

  test("the first update, and whether all rows were updated") {
    def of(createdAt: Long*)(lastUpdatedAt: Long*): RowUpdates =
      RowUpdates.of(Some(versions(createdAt: _*)), versions(lastUpdatedAt: _*))
    assert(of(1, 1, 2, 2)(1, 1, 2, 2) == RowUpdates.none)
    assert(of(1, 1, 2, 2)(1, 5, 4, 2) == RowUpdates(Some(4)))
    assert(of(1, 1, 2)(3, 3, 3) == RowUpdates(Some(3)))
    assert(of(1, 2, 3, 3)(6, 6, 3, 6) == RowUpdates(Some(6)))
    assert(of()() == RowUpdates.none)
    assert(RowUpdates.of(None, versions(1, 1, 4)) == RowUpdates(Some(4)))
    intercept[CorruptFileException](of(1, 1)(1, 1, 2))
  }

  test("updates of rows that pylance moved and did not move") {
    val path = folder.resolve("t").toString
    Pylance.run(
      """
      write([{"id": i, "n": i} for i in range(30)], path, max_rows_per_file=10,
            enable_stable_row_ids=True)
      dataset(path).update({"n": "-1"}, where="id >= 5 AND id < 15")
      dataset(path).update({"n": "-2"}, where="id < 3")
      write([{"id": 30, "n": 30}], path, mode="append")
      """,
      "path" -> path
    ): Unit
    val table = LanceTable.open(Storage.local, path)
    val none = RowUpdates.none
    def moved(version: Long) = RowUpdates(Some(version))
    assert(table.fragments.map(table.updates) == Seq(none, none, none, moved(2), moved(3), none))
  }
}
