// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  CommitConflictException,
  InvalidRequestException,
  NotFoundException,
  Workers
}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.ForwardingFileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.TableFolders
import io.github.pysparklance.testkit.{
  GoldenTables,
  NumberTables,
  Pylance,
  PylanceError,
  TemporaryFolder
}

class BranchesSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local

  private def table(): Path = GoldenTables.copy("history_v2_names.lance", folder)

  private def branches(t: Path): Branches = LanceTable.branches(store, t.toString)

  /** Creates a branch as in early releases, with a file of its own. */
  private def early(t: Path, name: String, parent: String = "null"): Unit = {
    Files.createDirectories(t.resolve(s"tree/$name/data"))
    Files.write(t.resolve(s"tree/$name/data/x.lance"), Array[Byte](1))
    Files.createDirectories(t.resolve("_refs/branches"))
    Files.writeString(
      t.resolve(s"_refs/branches/${name.replace("/", "%2F")}.json"),
      s"""{"parentBranch": $parent, "parentVersion": 3, "createAt": 1795242088}"""
    ): Unit
  }

  test("the folders of a branch") {
    assert(Branches.foldersOf("a", Seq("b", "a/b", "ab/data")) == TableFolders.all)
    assert(Branches.foldersOf("a/data", Seq("a")) == TableFolders.all)
    val others = Seq("a/data", "a/_indices/x", "a/treeline", "tree")
    assert(Branches.foldersOf("a", others) == TableFolders.all.diff(Seq("data", "_indices")))
    assert(Branches.parents("a/b/c").toSeq == Seq("a/b/c", "a/b", "a"))
    assert(Branches.parents("a/data").isEmpty)
    assert(Branches.parents("a/data/x").toSeq == Seq("a/data/x"))
  }

  test("branch ids identify their parents") {
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
    // Files without a name, as left by an interrupted creation.
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

  test("branches whose names begin alike keep their files") {
    val t = table()
    Seq("a", "a/b", "a/data", "a/data/x").foreach(early(t, _))
    def left =
      Seq("a", "a/b", "a/data/x").filter(n => Files.exists(t.resolve(s"tree/$n/data/x.lance")))
    branches(t).delete("a/data")
    assert(left == Seq("a", "a/b", "a/data/x") && !Files.exists(t.resolve("tree/a/data/data")))
    branches(t).delete("a/data/x")
    assert(left == Seq("a", "a/b") && !Files.exists(t.resolve("tree/a/data/x")))
    branches(t).delete("a")
    assert(left == Seq("a/b") && !Files.exists(t.resolve("tree/a/data")))
    branches(t).delete("a/b")
    assert(!Files.exists(t.resolve("tree/a")))
  }

  test("a branch that is created while another is deleted keeps its files") {
    val t = folder.resolve("t").toString
    NumberTables.create(t, Seq(1))
    LanceTable.branches(store, t).create("team/fix1")
    // The other branches are listed, but no file is deleted yet.
    val racing = new ForwardingFileStore(store) {
      override def delete(path: String): Boolean = {
        Seq("team/fix2", "team/fix1/more").foreach(LanceTable.branches(store, t).create(_))
        super.delete(path)
      }
    }
    LanceTable.branches(racing, t).delete("team/fix1")
    assert(LanceTable.branches(store, t).list().map(_.name) == Seq("team/fix1/more", "team/fix2"))
    Seq("team/fix2", "team/fix1/more").foreach { b =>
      assert(numbers(t, Revision.OnBranch(b)) == Seq(1))
    }
    assert(!Files.exists(folder.resolve("t/tree/team/fix1/_versions")))
  }

  test("a branch with branches or tags is kept, even if forced") {
    val t = table()
    early(t, "dev")
    early(t, "sub", "\"dev\"")
    early(t, "dev2")
    Files.createDirectories(t.resolve("_refs/tags"))
    Files.writeString(t.resolve("_refs/tags/v1.json"), """{"branch": "dev2", "version": 1}""")
    Seq(false, true).foreach { force =>
      val e = intercept[InvalidRequestException](branches(t).delete("dev", force))
      assert(e.getMessage.contains("branch sub was created from its version 3"))
      val tagged = intercept[InvalidRequestException](branches(t).delete("dev2", force))
      assert(tagged.getMessage.contains("tag v1 references its version 1"))
    }
    assert(branches(t).list().map(_.name) == Seq("dev", "dev2", "sub"))
    branches(t).delete("sub")
    branches(t).delete("dev")
    assert(branches(t).list().map(_.name) == Seq("dev2"))
  }

  private def numbers(t: String, revision: Revision): Seq[Long] =
    NumberTables.ids(LanceTable.open(store, t, revision))

  test("create: version numbers continue, files stay in place") {
    val t = folder.resolve("t").toString
    NumberTables.append(NumberTables.create(t, Seq(1, 2)), Seq(3))
    val all = LanceTable.branches(store, t)
    val made = all.create("team/fix", Revision.Version(1))
    assert(made == all("team/fix") && made.parentBranch.isEmpty && made.parentVersion == 1)
    assert(made.id.path.map(_._1) == Seq(1) && made.manifestSizeBytes.exists(_ > 0))
    val fix = Revision.OnBranch("team/fix")
    val table = LanceTable.open(store, t, fix)
    assert(table.version == 1 && table.manifest.branch.contains("team/fix"))
    NumberTables.delete(NumberTables.append(table, Seq(10)), 0, 0)
    assert(numbers(t, fix) == Seq(2, 10) && numbers(t, Revision.Latest) == Seq(1, 2, 3))
    assert(LanceTable.history(store, t, Some("team/fix")).map(_.operation.get).toSeq ==
      Seq("Clone", "Append", "Delete"))
    assert(Files.readString(folder.resolve("t/tree/team/fix/_versions/latest_version_hint.json")) ==
      """{"version":3}""")
    // pylance continues there, then this library.
    assert(NumberTables.pylanceIds(t, branch = Some("team/fix")) == Seq(2, 10))
    Pylance.run(
      "lance.write_dataset(pa.table({'id': [11]}, schema=dataset(path).schema), " +
        "dataset(path, branch='team/fix'), mode='append')",
      "path" -> t
    )
    assert(numbers(t, fix) == Seq(2, 10, 11))

    val sub = all.create("sub", Revision.OnBranch("team/fix", Some(2)))
    assert(sub.id.isBelow(made.id) && sub.parentBranch.contains("team/fix"))
    assert(numbers(t, Revision.OnBranch("sub")) == Seq(1, 2, 10))
    LanceTable.tags(store, t).create("on-sub", Revision.OnBranch("sub"))
    all.create("from-tag", Revision.Tagged("on-sub"))
    NumberTables.append(LanceTable.open(store, t, Revision.OnBranch("from-tag")), Seq(12))
    assert(NumberTables.pylanceIds(t, branch = Some("from-tag")) == Seq(1, 2, 10, 12))
    assert(Pylance.validate(t, branch = Some("from-tag")) == 4)

    val theirs = Pylance.branches(t)
    all.list().foreach { b =>
      val p = theirs.get(b.name)
      assert(Option(p.get("parent_branch").textValue) == b.parentBranch)
      assert(p.get("parent_version").asLong == b.parentVersion)
      assert(p.get("create_at").asLong == b.createdAt.get.getEpochSecond)
      assert(p.get("manifest_size").asLong == b.manifestSizeBytes.get)
      val id = p.get("branch_identifier")
      assert(b.id.path.indices.map(i =>
        id.get(i).get(0).asLong -> id.get(i).get(1).asText
      ) == b.id.path)
    }
    assert(theirs.size == 3)
  }

  test("branches of pylance, and of both writers on top of each other") {
    val t = folder.resolve("t").toString
    NumberTables.create(t, Seq(1, 2))
    Pylance.run(
      """
      ds = dataset(path)
      dev = ds.create_branch('dev', 1)
      lance.write_dataset(pa.table({'id': [5]}, schema=ds.schema), dev, mode='append')
      """,
      "path" -> t
    )
    val all = LanceTable.branches(store, t)
    assert(numbers(t, Revision.OnBranch("dev")) == Seq(1, 2, 5))
    all.create("ours", Revision.OnBranch("dev"))
    NumberTables.append(LanceTable.open(store, t, Revision.OnBranch("ours")), Seq(6))
    Pylance.run("dataset(path, branch='ours').create_branch('theirs')", "path" -> t)
    assert(all("theirs").id.isBelow(all("ours").id) && all("ours").id.isBelow(all("dev").id))
    assert(numbers(t, Revision.OnBranch("theirs")) == Seq(1, 2, 5, 6))
    // Neither deletes files that the other's branch needs.
    assert(intercept[PylanceError](Pylance.run("dataset(path).branches.delete('dev')", "path" -> t))
      .getMessage.contains("referenced"))
    intercept[InvalidRequestException](all.delete("ours"))
    LanceTable.tags(store, t).create("v", Revision.OnBranch("theirs"))
    intercept[PylanceError](Pylance.run("dataset(path).branches.delete('theirs')", "path" -> t))
    LanceTable.tags(store, t).delete("v")
    Pylance.run("dataset(path).branches.delete('theirs')", "path" -> t)
    all.delete("ours")
    assert(Pylance.branches(t).size == 1)
    all.delete("dev", force = true)
    assert(Pylance.branches(t).size == 0 && !Files.exists(folder.resolve("t/tree/dev")))
    // A name may be reused.
    all.create("dev")
    assert(numbers(t, Revision.OnBranch("dev")) == Seq(1, 2))
  }

  test("a branch is not created over another, nor over remains of one") {
    val t = folder.resolve("t").toString
    NumberTables.create(t, Seq(1))
    val all = LanceTable.branches(store, t)
    all.create("dev")
    assert(intercept[InvalidRequestException](all.create("dev")).getMessage
      .contains("branch dev exists already"))
    Files.delete(folder.resolve("t/_refs/branches/dev.json"))
    val e = intercept[InvalidRequestException](all.create("dev"))
    assert(e.getMessage.contains(
      "interrupted creation or removal; delete it with force"
    ) && all.list().isEmpty)
    all.delete("dev", force = true)
    all.create("dev")
    Seq("main", "a/data", "tree", "a b").foreach(n =>
      intercept[InvalidRequestException](all.create(n))
    )
    intercept[NotFoundException](all.create("x", Revision.Version(7)))
    intercept[NotFoundException](all.create("x", Revision.OnBranch("nope")))
    assert(all.list().map(_.name) == Seq("dev") && !Files.exists(folder.resolve("t/tree/x")))
  }

  test("of many concurrent creations of a tag or branch, one succeeds") {
    val t = folder.resolve("t").toString
    NumberTables.create(t, Seq(1))
    def winners(create: () => Any): Int = {
      val outcomes = Workers.map(0 until 8, 8) { _ =>
        try { create(); 1 }
        catch { case _: InvalidRequestException | _: CommitConflictException => 0 }
      }
      outcomes.sum
    }
    (1 to 5).foreach { i =>
      assert(winners(() => LanceTable.tags(store, t).create(s"v$i")) == 1)
      assert(winners(() => LanceTable.branches(store, t).create(s"b$i")) == 1)
    }
    assert(LanceTable.tags(store, t).list().length == 5)
    assert(LanceTable.branches(store, t).list().length == 5 && Pylance.branches(t).size == 5)
  }

  test("non-ASCII letters in names, as written by pylance") {
    val t = folder.resolve("t").toString
    NumberTables.create(t, Seq(1))
    val all = LanceTable.branches(store, t)
    all.create("Ünx")
    Pylance.run("dataset(path).create_branch('Änx/ö', 1)", "path" -> t)
    assert(all.list().map(_.name) == Seq("Änx/ö", "Ünx"))
    assert(numbers(t, Revision.OnBranch("Änx/ö")) == Seq(1))
    assert(NumberTables.pylanceIds(t, branch = Some("Ünx")) == Seq(1))
    assert(Pylance.branches(t).fieldNames.asScala.toSet == Set("Änx/ö", "Ünx"))
    all.delete("Änx/ö")
    Pylance.run("dataset(path).branches.delete('Ünx')", "path" -> t)
    assert(all.list().isEmpty)
  }

  test("branches of early releases get the same ids as in pylance") {
    val t = table()
    early(t, "dev")
    early(t, "sub", "\"dev\"")
    // pylance requires the size of the manifest, which all releases recorded.
    Seq("dev", "sub").foreach { name =>
      val file = t.resolve(s"_refs/branches/$name.json")
      Files.writeString(file, Files.readString(file).replace("}", ", \"manifestSize\": 5}"))
    }
    val theirs = Pylance.branches(t.toString)
    branches(t).list().foreach { b =>
      val id = theirs.get(b.name).get("branch_identifier").get(0)
      assert((id.get(0).asLong, id.get(1).asText) == b.id.path.head, b.name)
    }
  }

  test("branch metadata") {
    val t = table()
    early(t, "dev")
    branches(t).replaceMetadata("dev", Map("why" -> "because"))
    val b = branches(t)("dev")
    assert(b.metadata == Map("why" -> "because") && b.parentVersion == 3)
    intercept[NotFoundException](branches(t).replaceMetadata("nope", Map.empty))
  }
}
