// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.time.Instant

import org.apache.spark.sql.connector.catalog.Identifier
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.metadata.MetadataViews
import io.github.pysparklance.table.refs.Revision

/** Names and paths followed by a selector, without tables. */
class TableSelectorSuite extends AnyFunSuite {
  private def readings(current: Option[String], parts: String*): Seq[(String, TableSelector)] =
    TableSelector
      .readings(Identifier.of(parts.init.toArray, parts.last), current.map(Array(_)))
      .map { case (ident, selector) => ident.toString -> selector }
      .toSeq

  private def of(revision: Revision): TableSelector = TableSelector(Some(revision))
  private val dev = of(Revision.OnBranch("dev", None))

  test("a name before a branch or tag") {
    assert(readings(None, "db", "t", "branch_dev") == Seq("db.t" -> dev))
    assert(readings(None, "t", "BRANCH_dev") == Seq("t" -> dev))
    assert(readings(None, "t", "Tag_V1") == Seq("t" -> of(Revision.Tagged("V1"))))
    assert(readings(None, "t", "branch_team/fix") ==
      Seq("t" -> of(Revision.OnBranch("team/fix", None))))
  }

  test("a table in the current namespace") {
    assert(readings(Some("now"), "t", "branch_dev") == Seq("t" -> dev, "now.t" -> dev))
    assert(readings(Some("now"), "db", "t", "branch_dev") == Seq("db.t" -> dev))
    assert(readings(Some("now"), "/a/t", "branch_dev").map(_._2) == Seq(dev))
  }

  test("metadata tables, also of a branch") {
    val files = MetadataViews.find("files")
    assert(readings(None, "t", "Files") == Seq("t" -> TableSelector(None, files)))
    assert(readings(None, "db", "t", "branch_dev", "files") ==
      Seq("db.t.branch_dev" -> TableSelector(None, files), "db.t" -> dev.copy(view = files)))
    assert(dev.copy(view = files).at(Some(Revision.Version(3))) ==
      TableSelector(Some(Revision.OnBranch("dev", Some(3))), files))
    def parsed(path: String) = PathSelector(path, _ == "/t")
    assert(parsed("/t#files") == ("/t" -> TableSelector(None, files)))
    assert(parsed("/t@v3#FILES") == ("/t" -> of(Revision.Version(3)).copy(view = files)))
    assert(parsed("/t#nothing") == ("/t#nothing" -> TableSelector.latest))
  }

  test("names without a selector") {
    assert(readings(Some("now"), "branch_dev").isEmpty)
    assert(readings(None, "t", "branchx").isEmpty)
    assert(readings(None, "t", "branch_").isEmpty)
    assert(readings(None, "t", "tag").isEmpty)
  }

  test("time travel on a branch") {
    val time = Instant.ofEpochSecond(1)
    assert(dev.at(None) == dev)
    assert(dev.at(Some(Revision.Version(3))) == of(Revision.OnBranch("dev", Some(3))))
    assert(dev.at(Some(Revision.OnBranch("dev", Some(3)))) == of(Revision.OnBranch("dev", Some(3))))
    assert(dev.at(Some(Revision.AsOf(time))) == of(Revision.AsOf(time, Some("dev"))))
    assert(TableSelector.latest.at(Some(Revision.Tagged("v"))) == of(Revision.Tagged("v")))
    val e = intercept[InvalidRequestException] {
      of(Revision.Tagged("v")).at(Some(Revision.Version(3)))
    }
    assert(e.getMessage.contains("tag v") && e.getMessage.contains("version 3"))
    intercept[InvalidRequestException](dev.at(Some(Revision.OnBranch("other", None))))
  }

  test("paths followed by a version or time") {
    def parsed(path: String, tables: String*) = PathSelector(path, tables.contains)
    assert(parsed("/t@v12", "/t") == ("/t" -> of(Revision.Version(12))))
    assert(parsed("/t@V2", "/t") == ("/t" -> of(Revision.Version(2))))
    assert(parsed("/a\nb@v2", "/a\nb") == ("/a\nb" -> of(Revision.Version(2))))
    assert(parsed("/t@v0", "/t")._2 == TableSelector.latest)
    assert(parsed("/t@v12", "/t", "/t@v12") == ("/t@v12" -> TableSelector.latest))
    assert(parsed("/t@v12") == ("/t@v12" -> TableSelector.latest))
    val (path, at) = parsed("/t@20261121063000250", "/t")
    val Some(Revision.AsOf(time, None)) = at.revision: @unchecked
    assert(path == "/t" && time.toEpochMilli % 60000 == 250)
    assert(parsed("/t@20269921063000250", "/t")._2 == TableSelector.latest)
  }
}
