// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{InvalidRequestException, NotFoundException}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{GoldenTables, TemporaryFolder}

class BranchesSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local

  private def table(): Path = GoldenTables.copy("history_v2_names.lance", folder)

  private def branches(t: Path): Branches = LanceTable.branches(store, t.toString)

  /** A branch as early releases left it, with a file of its own. */
  private def early(t: Path, name: String, parent: String = "null"): Unit = {
    Files.createDirectories(t.resolve(s"tree/$name/data"))
    Files.write(t.resolve(s"tree/$name/data/x.lance"), Array[Byte](1))
    Files.createDirectories(t.resolve("_refs/branches"))
    Files.writeString(
      t.resolve(s"_refs/branches/${name.replace("/", "%2F")}.json"),
      s"""{"parentBranch": $parent, "parentVersion": 3, "createAt": 1795242088}"""
    ): Unit
  }

  test("which folder goes with a branch") {
    def folderOf(name: String, others: String*) = Branches.folderToDelete(name, others)
    assert(folderOf("a").contains("a"))
    assert(folderOf("a/b/c").contains("a"))
    assert(folderOf("a/b/c", "x", "ab").contains("a"))
    assert(folderOf("a/b/c", "a").contains("a/b"))
    assert(folderOf("a/b/c", "a/b", "a").contains("a/b/c"))
    assert(folderOf("a/b/c", "a/x").contains("a/b"))
    assert(folderOf("a/b", "a/b/c").isEmpty)
    assert(folderOf("a", "a/b/c").isEmpty)
    assert(folderOf("a/data/x", "a").contains("a/data/x"))
  }

  test("ids tell which branch began at which") {
    val a = BranchId.main.child(1)
    val b = a.child(7)
    assert(b.path.map(_._1) == Seq(1, 7) && b.path.forall(_._2.matches("[0-9a-f]{32}")))
    assert(b.isBelow(a) && b.isBelow(BranchId.main) && !a.isBelow(b) && !a.isBelow(a))
    assert(!BranchId.main.child(1).child(7).isBelow(a))
  }

  test("delete") {
    val t = table()
    early(t, "team/fix")
    early(t, "team/other")
    branches(t).delete("team/fix")
    assert(branches(t).list().map(_.name) == Seq("team/other"))
    assert(!Files.exists(t.resolve("tree/team/fix")))
    assert(Files.exists(t.resolve("tree/team/other/data/x.lance")))
    val e = intercept[NotFoundException](branches(t).delete("team/fix"))
    assert(e.getMessage.contains("not found: branch team/fix"))
    // Files without a name, as an interrupted creation leaves them.
    Files.delete(t.resolve("_refs/branches/team%2Fother.json"))
    intercept[NotFoundException](branches(t).delete("team/other"))
    branches(t).delete("team/other", force = true)
    assert(!Files.exists(t.resolve("tree/team")))
    branches(t).delete("never", force = true)
    Seq("main", "", "../data").foreach(n =>
      intercept[InvalidRequestException](branches(t).delete(n, force = true))
    )
    assert(LanceTable.open(store, t.toString).rowCount.contains(7L))
  }

  test("a branch with branches or tags stays, forced or not") {
    val t = table()
    early(t, "dev")
    early(t, "sub", "\"dev\"")
    early(t, "dev2")
    Files.createDirectories(t.resolve("_refs/tags"))
    Files.writeString(t.resolve("_refs/tags/v1.json"), """{"branch": "dev2", "version": 1}""")
    Seq(false, true).foreach { force =>
      val e = intercept[InvalidRequestException](branches(t).delete("dev", force))
      assert(e.getMessage.contains("branch sub began at its version 3"))
      val tagged = intercept[InvalidRequestException](branches(t).delete("dev2", force))
      assert(tagged.getMessage.contains("tag v1 names its version 1"))
    }
    assert(branches(t).list().map(_.name) == Seq("dev", "dev2", "sub"))
    branches(t).delete("sub")
    branches(t).delete("dev")
    assert(branches(t).list().map(_.name) == Seq("dev2"))
  }

  test("notes of a branch") {
    val t = table()
    early(t, "dev")
    branches(t).replaceMetadata("dev", Map("why" -> "because"))
    val b = branches(t)("dev")
    assert(b.metadata == Map("why" -> "because") && b.parentVersion == 3)
    intercept[NotFoundException](branches(t).replaceMetadata("nope", Map.empty))
  }
}
