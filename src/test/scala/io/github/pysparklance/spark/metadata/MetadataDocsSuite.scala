// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import java.nio.file.{Files, Paths}

import org.scalatest.funsuite.AnyFunSuite

/** The page `docs/metadata-tables.md` is made from the code; `UPDATE_DOCS=1` in the environment writes it. */
class MetadataDocsSuite extends AnyFunSuite {
  private val file = Paths.get("docs/metadata-tables.md")

  private val head =
    """# Metadata tables
      |
      |A name behind that of a table and a dot reads what there is to know about the table: `lance.db.t.history`, by path
      |`` lance.`/data/t.lance`.history `` or `spark.read.format("lance").load("/data/t.lance#history")`. They work in all catalogs of ours, of
      |branches (`t.branch_dev.files`), tags (`t.tag_v1.files`) and versions (`t.files VERSION AS OF 3`, option `version`); `history`,
      |`versions` and `transactions` then end with that version. A table that really has such a name goes before. They cannot be
      |written. A query reads no more than it takes: the columns it names, and with `LIMIT` the first rows. See
      |[SQL](sql.md#metadata-tables) for examples. This page is made from the code.
      |""".stripMargin

  private def section(view: MetadataView): String = {
    val travel = if (view.isVersioned) "" else " The same for all versions."
    val rows = view.columns.map { c =>
      val required = if (c.nullable) "" else ", never null"
      s"| `${c.name}` | `${c.dataType.sql}`$required | ${c.meaning} |"
    }
    s"## ${view.name}\n\nA row is ${view.meaning}.$travel\n\n| column | type | |\n|---|---|---|\n" +
      rows.mkString("", "\n", "\n")
  }

  test("the page says what the code has") {
    val made = (head +: MetadataViews.all.map(section)).mkString("\n")
    if (sys.env.get("UPDATE_DOCS").contains("1")) Files.writeString(file, made): Unit
    assert(Files.readString(file) == made, s"$file is stale: run this suite with UPDATE_DOCS=1")
  }

  test("names and columns are words in lower case, and no two are the same") {
    val names = MetadataViews.all.map(_.name)
    assert(names.distinct == names && names.forall(_.matches("[a-z_]+")))
    for (view <- MetadataViews.all) {
      val columns = view.columns.map(_.name)
      assert(columns.distinct == columns && columns.forall(_.matches("[a-z_]+")), view.name)
    }
  }
}
