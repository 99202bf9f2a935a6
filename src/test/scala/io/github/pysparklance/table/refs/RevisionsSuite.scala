// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.nio.file.{Files, Path}
import java.time.Instant

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  CorruptFileException,
  InvalidRequestException,
  LanceException,
  NotFoundException
}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{CountingStorage, GoldenTables, TemporaryFolder}

class RevisionsSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local

  /** Creates four versions on the main branch. The branch team/fix has the versions 1 to 4 of
    * another table.
    */
  private def table(): Path = {
    val t = GoldenTables.copy("history_v2_names.lance", folder)
    val branch = GoldenTables.copy("deletions.lance", folder)
    Files.createDirectories(t.resolve("tree/team"))
    Files.move(branch, t.resolve("tree/team/fix"))
    json(
      t,
      "branches/team%2Ffix",
      """{"parentBranch": null, "parentVersion": 1, "createAt": 1795242088}"""
    )
    json(
      t,
      "tags/first",
      """{"branch":null,"version":1,"createdAt":"2026-11-21T06:21:28.557006241Z","manifestSize":564}"""
    )
    json(
      t,
      "tags/on-branch",
      """{"branch": "team/fix", "version": 2, "metadata": {"why": "because"}}"""
    )
    json(t, "tags/gone", """{"version": 9}""")
    t
  }

  private def json(t: Path, name: String, text: String): Unit = {
    val file = t.resolve(s"_refs/$name.json")
    Files.createDirectories(file.getParent)
    Files.writeString(file, text): Unit
  }

  private def rows(t: Path, revision: Revision): Long =
    LanceTable.open(store, t.toString, revision).rowCount.get

  test("versions, tags, and branches") {
    val t = table()
    assert(rows(t, Revision.Latest) == 7)
    assert(rows(t, Revision.Version(2)) == 150)
    assert(rows(t, Revision.Tagged("first")) == 100)
    assert(rows(t, Revision.Tagged("on-branch")) == 16000)
    assert(rows(t, Revision.OnBranch("team/fix")) == 9998)
    assert(rows(t, Revision.OnBranch("team/fix", Some(1))) == 8000)
    assert(rows(t, Revision.OnBranch("main", Some(3))) == 139)
    val branch = LanceTable.open(store, t.toString, Revision.OnBranch("team/fix"))
    assert(branch.path == t.resolve("tree/team/fix").toString)
    branch.fragments.foreach(f => assert(branch.deletionVector(f).numDeletedRows > 0))
  }

  test("a name refers to a tag, otherwise to a branch") {
    val t = table()
    json(t, "branches/first", """{"parentBranch": null, "parentVersion": 1}""")
    assert(rows(t, Revision.Named("first")) == 100)
    assert(rows(t, Revision.Named("team/fix")) == 9998)
    assert(rows(t, Revision.Named("main")) == 7)
    val e = intercept[NotFoundException](rows(t, Revision.Named("nope")))
    assert(e.getMessage.contains("not found: tag or branch nope"))
    intercept[InvalidRequestException](rows(t, Revision.Named("../x")))
  }

  test("a missing revision is reported by kind and name") {
    val t = table()
    def missing(revision: Revision): String =
      intercept[NotFoundException](LanceTable.open(store, t.toString, revision)).getMessage
    assert(missing(Revision.Tagged("nope")).contains("not found: tag nope"))
    assert(missing(Revision.Tagged("gone")).contains("not found: version 9"))
    assert(missing(Revision.OnBranch("nope")).contains("not found: branch nope"))
    assert(missing(Revision.OnBranch("team")).contains("not found: branch team"))
    assert(missing(Revision.OnBranch("team/fix", Some(5))).contains("not found: version 5"))
    intercept[InvalidRequestException](LanceTable.open(
      store,
      t.toString,
      Revision.Tagged("../../x")
    ))
    intercept[InvalidRequestException](LanceTable.open(
      store,
      t.toString,
      Revision.OnBranch("../x")
    ))
  }

  test("listings") {
    val t = table()
    val tags = LanceTable.tags(store, t.toString)
    assert(tags.list().map(x => (x.name, x.branch, x.version)) ==
      Seq(("first", None, 1), ("gone", None, 9), ("on-branch", Some("team/fix"), 2)))
    assert(tags("first").createdAt.contains(Instant.parse("2026-11-21T06:21:28.557006241Z")))
    assert(tags("first").manifestSizeBytes.contains(564L) && tags("first").metadata.isEmpty)
    assert(tags("on-branch").metadata == Map("why" -> "because"))
    val branches = LanceTable.branches(store, t.toString).list()
    assert(branches.map(b => (b.name, b.parentBranch, b.parentVersion)) == Seq((
      "team/fix",
      None,
      1
    )))
    assert(branches.head.createdAt.contains(Instant.ofEpochSecond(1795242088L)))
    val none = GoldenTables.path("columns.lance").toString
    assert(LanceTable.tags(store, none).list().isEmpty && LanceTable.branches(
      store,
      none
    ).list().isEmpty)
  }

  test("a time refers to the latest version at or before it") {
    val t = table()
    val times = (1L to 4L).map(v => LanceTable.open(store, t.toString, Some(v)).manifest.timestamp)
    assert(times == times.sorted.distinct)
    times.zipWithIndex.foreach { case (time, i) =>
      def at(instant: Instant) =
        LanceTable.open(store, t.toString, Revision.AsOf(instant)).version
      assert(at(time) == i + 1 && at(time.plusNanos(1)) == i + 1)
      if (i > 0) assert(at(time.minusNanos(1)) == i)
    }
    val e = intercept[NotFoundException](
      LanceTable.open(store, t.toString, Revision.AsOf(times.head.minusNanos(1)))
    )
    assert(e.getMessage.contains("at or before"))
    val counting = new CountingStorage
    LanceTable.open(counting, t.toString, Revision.AsOf(Instant.now()))
    assert(counting.opens.get == 1)
    val onBranch =
      LanceTable.open(store, t.toString, Revision.AsOf(Instant.now(), Some("team/fix")))
    assert(onBranch.rowCount.contains(9998L))
  }

  test("the history with operations, rows, and commit properties") {
    val history = LanceTable.history(store, table().toString).toSeq
    assert(history.map(_.version) == (1L to 4L))
    assert(history.map(_.operation.get) == Seq("Overwrite", "Append", "Delete", "Overwrite"))
    assert(history.map(_.rowCount.get) == Seq(100, 150, 139, 7))
    assert(history.map(_.readVersion.get) == Seq(0, 1, 2, 3))
    assert(history.map(_.rowsAdded.get) == Seq(100, 50, 0, 7))
    assert(history.map(_.rowsDeleted.get) == Seq(0, 0, 11, 139))
    assert(history.map(_.numFragments) == Seq(1, 2, 2, 1))
    assert(history.forall(_.writer.exists(_.library == "lance")))
    val onBranch =
      LanceTable.history(store, folder.resolve("history_v2_names.lance").toString, Some("team/fix"))
    assert(onBranch.map(_.version).toSeq == (1L to 4L))
  }

  test("corrupt tag and branch files") {
    val t = table()
    Seq(
      "" -> "reference",
      "{" -> "not valid JSON",
      // UTF-32 with a number that is not a character.
      s"${"\u0000" * 3}{${"\u007f" * 4}" -> "not valid JSON",
      "[1]" -> "not a JSON object",
      "{}" -> "version is missing",
      """{"version": "1"}""" -> "version is not a number",
      """{"version": -1}""" -> "version is not a number",
      """{"version": 1, "branch": 7}""" -> "branch is not a string",
      """{"version": 1, "createdAt": "yesterday"}""" -> "yesterday, which is not a valid time",
      """{"version": 1, "metadata": {"a": 1}}""" -> "metadata is not a map of texts"
    ).foreach { case (text, problem) =>
      json(t, "tags/bad", text)
      val e =
        intercept[CorruptFileException](LanceTable.open(store, t.toString, Revision.Tagged("bad")))
      assert(e.getMessage.contains(problem) && e.getMessage.contains("corrupt reference"), text)
      assert(e.place.path.exists(_.endsWith("tags/bad.json")))
    }
    json(t, "branches/bad", s"""{"parentVersion": 1, "createAt": ${Long.MaxValue}}""")
    intercept[CorruptFileException](LanceTable.branches(store, t.toString)("bad"))
    // A tag cannot escape the table by the name of its branch.
    json(t, "tags/bad", """{"version": 1, "branch": "../../other"}""")
    intercept[LanceException](LanceTable.open(store, t.toString, Revision.Tagged("bad")))
  }
}
