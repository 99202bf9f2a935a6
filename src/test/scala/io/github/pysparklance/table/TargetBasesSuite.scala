// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.cloning.ShallowClone
import io.github.pysparklance.table.manifest.BasePath
import io.github.pysparklance.table.metadata.MetadataChanges
import io.github.pysparklance.testkit.{NumberTables, Pylance, TemporaryFolder}

class TargetBasesSuite extends AnyFunSuite with TemporaryFolder {
  import NumberTables._

  private val store = Storage.local

  private def path(name: String): String = folder.resolve(name).toString

  private def count(name: String): Long =
    if (Files.exists(folder.resolve(name))) Files.list(folder.resolve(name)).count() else 0L

  private val bases = Seq("fast" -> false, "big" -> true)

  private def basePaths: IndexedSeq[BasePath] = TargetBases.numbered(bases.map {
    case (name, root) =>
      BasePath(0, Some(name), root, path(name))
  })

  test("files of a new table and of appends on several base paths") {
    val targets = TargetBases.of(Seq("fast", path("big"), TargetBases.root), basePaths)
    val added = (0L until 6L).map(i => fragment(path("t"), Seq(i), targets.next()))
    assert(added.map(_.files.head.baseId) == Seq(Some(1), Some(2), None, Some(1), Some(2), None))
    val t = LanceTable.create(store, path("t"), schema, added, initialBases = basePaths)
    assert(ids(t) == (0L until 6L) && pylanceIds(path("t")) == (0L until 6L))
    assert(count("fast") == 2 && count("big/data") == 2 && count("t/data") == 2)
    assert(Pylance.validate(path("t")) == 6)

    val more = t.append(IndexedSeq(fragment(path("t"), Seq(6L), Some(t.manifest.basePaths(2)))))
    val deleted = delete(more, 0, 0)
    assert(ids(deleted) == (1L to 6L) && pylanceIds(path("t")) == (1L to 6L))
    delete(deleted, 5, 0)
    assert(count("t/_deletions") == 0 && count("big/_deletions") == 0)
    Pylance.run(
      "write({'id': [7, 8]}, path, mode='append', target_bases=['fast'])",
      "path" -> path("t")
    )
    val theirs = LanceTable.open(store, path("t"))
    assert(ids(theirs).takeRight(2) == Seq(7, 8))
    assert(theirs.fragments.last.files.head.baseId.contains(1))
  }

  test("a deletion file is written to the root of the table, regardless of its rows") {
    val t = LanceTable.create(store, path("t"), schema, initialBases = basePaths)
    val two = t.append(IndexedSeq(fragment(path("t"), Seq(1L, 2L), Some(basePaths(1)))))
    assert(ids(delete(two, 0, 0)) == Seq(2))
    assert(count("t/_deletions") == 1 && count("big/_deletions") == 0)
    assert(Pylance.validate(path("t")) == 1)
  }

  test("pylance tables on several base paths") {
    Pylance.run(
      """
      from lance import DatasetBasePath
      bases = [DatasetBasePath(fast, 'fast'), DatasetBasePath(big, 'big', True)]
      write({'id': range(6)}, path, initial_bases=bases, target_bases=['fast', 'big'],
            max_rows_per_file=2, max_rows_per_group=2)
      """,
      "path" -> path("t"),
      "fast" -> path("fast"),
      "big" -> path("big")
    )
    val t = LanceTable.open(store, path("t"))
    assert(ids(t) == (0L until 6L) && t.manifest.basePaths.keySet == Set(1, 2))
    val targets = TargetBases.of(Seq("big", "fast"), t.manifest.basePaths.values)
    val more = t.append(IndexedSeq(fragment(path("t"), Seq(6L), targets.next())))
    assert(more.fragments.last.files.head.baseId.contains(2))
    assert(pylanceIds(path("t")) == (0L to 6L))
  }

  test("base paths that are added later") {
    val t = new MetadataChanges(create(path("t"), Seq(1L))).addBases(
      Seq(BasePath(0, Some("late"), isDatasetRoot = false, path("late")))
    )
    val base = TargetBases.of(Seq("late"), t.manifest.basePaths.values).next()
    t.append(IndexedSeq(fragment(path("t"), Seq(2L), base)))
    assert(pylanceIds(path("t")) == Seq(1, 2) && count("late") == 1)
  }

  test("files are not added to the folder of another table") {
    val t = LanceTable.create(store, path("t"), schema, initialBases = basePaths)
    val clone = new ShallowClone(t)(path("c"))
    assert(TargetBases.of(Seq("fast", TargetBases.root), clone).places.length == 2)
    val data = new MetadataChanges(clone).addBases(
      Seq(BasePath(0, Some("data"), isDatasetRoot = false, path("t/data")))
    )
    Seq("0", path("t"), "data").foreach { wanted =>
      val e = intercept[InvalidRequestException](TargetBases.of(Seq(wanted), data))
      assert(e.getMessage.contains(s"${path("t")} is a table"), wanted)
    }
  }

  test("invalid target bases") {
    Seq(Seq.empty, Seq("slow"), Seq("fast", "3")).foreach { wanted =>
      intercept[InvalidRequestException](TargetBases.of(wanted, basePaths))
    }
    val e = intercept[InvalidRequestException](TargetBases.of(Seq("slow"), basePaths))
    assert(e.getMessage == "slow is not a base path of the table; its base paths are: fast, big")
    assert(TargetBases.of(Seq("2"), basePaths).next().contains(basePaths(1)))
    assert(TargetBases.primary.next().isEmpty)
    assert(TargetBases.numbered(Seq(2, 0, 0).map(BasePath(_, None, isDatasetRoot = false, "/x")))
      .map(_.id) == Seq(2, 1, 3))
  }
}
