// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import java.nio.file.{Files, Paths}

import org.scalatest.funsuite.AnyFunSuite

/** The page `docs/metadata-tables.md` is generated from the code. `UPDATE_DOCS=1` in the
  * environment writes it.
  */
class MetadataDocsSuite extends AnyFunSuite {
  private val file = Paths.get("docs/metadata-tables.md")

  private val head =
    """# Metadata tables
      |
      |Metadata tables describe the versions, files, and columns of a table. Append their name to the name
      |of the table:
      |
      |```sql
      |CREATE TABLE lance.people AS SELECT 1 AS id, 'Ada' AS name;
      |SELECT version, operation, rows_added FROM lance.people.history;
      |SELECT path, bytes FROM lance.people.files VERSION AS OF 1
      |```
      |
      |- By path, use `` lance.`/data/people.lance`.history `` or
      |  `spark.read.format("lance").load("/data/people.lance#history")`.
      |- They are available in all Lance catalogs, and for branches (`t.branch_dev.files`), tags
      |  (`t.tag_v1.files`), and versions (`t.files VERSION AS OF 3`, option `version`). `history`,
      |  `versions`, and `transactions` then end at that version.
      |- They are read-only. A table that has such a name takes precedence.
      |- A query computes only the selected columns. With `LIMIT`, it computes only the first rows.
      |
      |[SQL](sql.md#metadata-tables) has more examples. This page is generated from the code.
      |""".stripMargin

  private def section(view: MetadataView): String = {
    val travel = if (view.isVersioned) "" else " It does not depend on the version."
    val rows = view.columns.map { c =>
      val required = if (c.nullable) "" else ", never null"
      s"| `${c.name}` | `${c.dataType.sql}`$required | ${c.meaning} |"
    }
    s"## ${view.name}\n\nEach row is ${view.meaning}.$travel\n\n| column | type | meaning |\n|---|---|---|\n" +
      rows.mkString("", "\n", "\n")
  }

  test("the page matches the code") {
    val made = (head +: MetadataViews.all.map(section)).mkString("\n")
    if (sys.env.get("UPDATE_DOCS").contains("1")) Files.writeString(file, made): Unit
    assert(Files.readString(file) == made, s"$file is stale: run this suite with UPDATE_DOCS=1")
  }

  test("names and columns are unique words in lower case") {
    val names = MetadataViews.all.map(_.name)
    assert(names.distinct == names && names.forall(_.matches("[a-z_]+")))
    for (view <- MetadataViews.all) {
      val columns = view.columns.map(_.name)
      assert(columns.distinct == columns && columns.forall(_.matches("[a-z_]+")), view.name)
    }
  }
}
