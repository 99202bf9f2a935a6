// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder}

/** Clean-up by this library and by pylance deletes the same files of a table. */
class CleanupPylanceSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local

  private def files(root: Path): Set[String] = Using.resource(Files.walk(root)) { all =>
    all.iterator.asScala.filter(Files.isRegularFile(_)).map(root.relativize(_).toString).toSet
  }

  /** Compares clean-ups of the same table. If both sides created the table, file names would
    * differ, so it is created once and copied. Manifests of branches and clones contain the path of
    * the original, so the copy is moved back to it.
    *
    * @param make Python code that creates a table at `path`
    * @param theirs arguments of `cleanup_old_versions`
    * @param origins versions that are kept because branches start there; ours keeps their
    *   transactions as well
    */
  private def compare(
      make: String,
      theirs: String,
      ours: CleanupPolicy,
      branch: String = "",
      origins: Int = 0
  ): CleanupStats = {
    val path = folder.resolve("t")
    Pylance.run(make, "path" -> path.toString)
    val saved = folder.resolve("saved")
    copy(path, saved)
    val answer = Pylance.run(
      s"""
      ds = dataset(path, branch=branch or None)
      s = ds.cleanup_old_versions($theirs)
      result = {k: getattr(s, k) for k in ["bytes_removed", "old_versions", "data_files_removed",
                "transaction_files_removed", "index_files_removed", "deletion_files_removed"]}
      """,
      "path" -> path.toString,
      "branch" -> branch
    )
    val left = files(path)
    remove(path)
    copy(saved, path)
    val root = if (branch.isEmpty) path else path.resolve(s"tree/$branch")
    val stats = LanceTable.open(store, root.toString).planCleanup(ours).run(store)
    val more = files(path) -- left
    assert(more.size == origins && more.forall(_.startsWith("_transactions/")))
    assert((left -- files(path)).isEmpty)
    val moreBytes = more.toSeq.map(f => Files.size(path.resolve(f))).sum
    assert(
      Seq(
        "bytes_removed" -> (stats.bytesRemoved + moreBytes),
        "old_versions" -> stats.oldVersions,
        "data_files_removed" -> stats.dataFilesRemoved,
        "transaction_files_removed" -> (stats.transactionFilesRemoved + origins),
        "index_files_removed" -> stats.indexFilesRemoved,
        "deletion_files_removed" -> stats.deletionFilesRemoved
      ).forall { case (k, v) => answer.get(k).asLong == v },
      s"$stats, pylance $answer"
    )
    stats
  }

  private def copy(from: Path, to: Path): Unit = Using.resource(Files.walk(from)) { all =>
    all.iterator.asScala.foreach { f =>
      Files.copy(
        f,
        to.resolve(from.relativize(f).toString),
        java.nio.file.StandardCopyOption.COPY_ATTRIBUTES
      )
    }
  }

  private def remove(path: Path): Unit = { store.deleteFolder(path.toString); () }

  private val history = """
    write([{"id": i} for i in range(20)], path, max_rows_per_file=5)
    dataset(path).create_scalar_index("id", "BTREE")
    dataset(path).delete("id in (1, 7)")
    write([{"id": 20 + i} for i in range(5)], path, mode="append")
    dataset(path).optimize.compact_files()
    dataset(path).delete("id = 3")
    write([{"id": 30}], path, mode="append")
    """

  private val all = "older_than=datetime.timedelta(0), error_if_tagged_old_versions=False"
  private val ours = CleanupPolicy(
    beforeTimestamp = Some(java.time.Instant.MAX),
    errorIfTaggedOldVersions = false
  )

  test("a history with an index, deletions, and a compaction") {
    val stats = compare(history, all, ours)
    assert(stats.oldVersions > 5 && stats.dataFilesRemoved >= 4 && stats.indexFilesRemoved > 0)
    val path = folder.resolve("t").toString
    assert(Pylance.validate(path) == 23)
  }

  test("the latest versions are retained") {
    val make = history
    val path = folder.resolve("t")
    Pylance.run(make, "path" -> path.toString)
    val present = LanceTable.versions(store, path.toString)
    remove(path)
    // The same history again, at another address in pylance's memory.
    val stats = compare(
      make,
      "retain_versions=3, error_if_tagged_old_versions=False",
      CleanupPolicy.retaining(3, present)
    )
    assert(stats.oldVersions == present.length - 3)
    assert(Pylance.versions(path.toString).length == 3)
  }

  test("tags") {
    compare(
      history + """
    dataset(path).tags.create("old", 2)
    dataset(path).tags.create("older", 1)
    """,
      all,
      ours
    )
    assert(Pylance.validate(folder.resolve("t").toString, Some(2L)) == 20)
  }

  test("branches of the main branch, and of another branch") {
    val branched = history + """
    ds = dataset(path)
    dev = ds.create_branch("dev", 4)
    dev.insert(pa.table({"id": [100]}))
    sub = dev.create_branch("team/sub", ("dev", 5))
    sub.delete("id = 100")
    dataset(path).tags.create("on_dev", ("dev", 4))
    """
    val stats = compare(branched, all, ours, origins = 1)
    assert(stats.oldVersions > 3)
    val path = folder.resolve("t").toString
    assert(Pylance.validate(path, branch = Some("dev")) > 0)
    assert(Pylance.validate(path, branch = Some("team/sub")) > 0)
  }

  test("an unknown clone in a subfolder of the table") {
    val path = folder.resolve("t")
    Pylance.run(
      history + """
    dataset(path).shallow_clone(path + "/copies/of/t", 4)
    """,
      "path" -> path.toString
    )
    val clone = path.resolve("copies/of/t").toString
    assert(LanceTable.open(store, path.toString).planCleanup(ours).run(store).oldVersions > 3)
    assert(Pylance.validate(clone) == 23 && Pylance.validate(path.toString) == 23)
  }

  test("a branch is cleaned up separately") {
    val stats = compare(
      history + """
    ds = dataset(path)
    dev = ds.create_branch("dev", 4)
    dev.insert(pa.table({"id": [100]}))
    dev.insert(pa.table({"id": [101]}))
    dev.delete("id = 100")
    """,
      all,
      ours,
      "dev"
    )
    assert(stats.oldVersions == 3)
    assert(Pylance.validate(folder.resolve("t").toString, branch = Some("dev")) > 0)
  }

  test("clean-up after commits, with the configuration of a pylance table") {
    val path = folder.resolve("t").toString
    Pylance.run(
      """
      write([{"id": 0}], path)
      dataset(path).update_config({"lance.auto_cleanup.interval": "3", "lance.auto_cleanup.retain_versions": "2"})
      """,
      "path" -> path
    )
    def replace(): LanceTable = LanceTable.open(store, path).overwrite(
      IndexedSeq.empty,
      LanceTable.open(store, path).schema
    )
    def replaceAndCleanUp(): Unit = replace().cleanUpAfterCommit(): Unit
    replaceAndCleanUp()
    assert(LanceTable.versions(store, path) == Seq(2, 3))
    replaceAndCleanUp()
    replaceAndCleanUp()
    assert(LanceTable.versions(store, path) == Seq(2, 3, 4, 5))
    Pylance.run("write([{'id': 1}], path, mode='append')", "path" -> path)
    assert(LanceTable.versions(store, path) == Seq(5, 6), "pylance's turn")
    (7 to 9).foreach(_ => replace())
    assert(LanceTable.versions(store, path) == Seq(5, 6, 7, 8, 9))
  }
}
