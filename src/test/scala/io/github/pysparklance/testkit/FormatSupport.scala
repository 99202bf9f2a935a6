// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.collection.immutable.ListMap

/** Generates the page `docs/format-support.md` from the interoperability fixtures that a run has
  * read: features by file version, and tables by release of pylance.
  */
object FormatSupport {
  private val versions = IndexedSeq("0.1", "2.0", "2.1", "2.2", "2.3")

  private val sections = ListMap(
    "types" -> "Column types, with nulls in every position",
    "sizes" -> "Row counts",
    "shapes" -> "Data that lead to each encoding",
    "encodings" -> "Encodings selected by field metadata",
    "blobs" -> "Blobs",
    "tables" -> "Table features",
    "damaged" -> "Damaged tables, and valid tables that look damaged"
  )

  /** A case, parsed from its name: `types/v2.1/int32`, `tables/v2.0/tags@first`, `old/0.30.0/…`. */
  final private case class Entry(group: String, release: String, row: String, c: FixtureCase)

  /** Returns the page for the passed cases. */
  def page(passed: IndexedSeq[FixtureCase]): String = {
    val entries = passed.map { c =>
      val parts = c.name.split('/')
      val row = parts.drop(2).mkString("/").takeWhile(_ != '@').stripSuffix(".partial")
      Entry(parts(0), parts(1), row, c)
    }
    val byGroup = entries.groupBy(_.group)
    val tables = sections.toSeq.flatMap { case (group, title) =>
      byGroup.get(group).map(matrix(title, _))
    }
    (Seq(head) ++ tables ++ byGroup.get("old").map(releases) ++
      byGroup.get("historical").map(historical)).mkString("\n")
  }

  private val head =
    """# Format support
      |
      |This page lists the tables that the connector reads, by file version. For each cell, the tests read
      |tables written by pylance through Spark and compare every value. `FixturesSuite` generates this page
      |and fails if it is out of date.
      |
      || cell | meaning |
      ||---|---|
      || yes | read exactly |
      || partly | the file version cannot store all values; those that it stores are read exactly |
      || rejected | an error before any row; a column without a Spark type likewise, see [Types](types.md#read) |
      || (empty) | pylance writes no such table |
      |""".stripMargin

  private def matrix(title: String, entries: IndexedSeq[Entry]): String = {
    val byRow = entries.groupBy(_.row)
    val rows = entries.map(_.row).distinct.map(r => r -> byRow(r))
    val used = versions.filter(v => entries.exists(_.release == s"v$v"))
    val lines = rows.map { case (name, cases) =>
      s"| `$name` | " + used.map(v => cell(cases.filter(_.release == s"v$v"))).mkString(
        " | "
      ) + " |"
    }
    s"## $title\n\n| case | ${used.mkString(" | ")} |\n|---|${"---|" * used.length}\n${lines.mkString("\n")}\n"
  }

  private def cell(cases: IndexedSeq[Entry]): String =
    if (cases.isEmpty) ""
    else if (cases.forall(_.c.error.isDefined)) "rejected"
    else if (cases.exists(_.c.name.endsWith(".partial"))) "partly"
    else "yes"

  private def releases(entries: IndexedSeq[Entry]): String = {
    def order(release: String): String =
      release.split('.').map(n => f"${n.toInt}%06d").mkString(".")
    val rows = entries.groupBy(_.release).toSeq
      .sortBy(r => order(r._1))
      .map { case (release, cases) =>
        val counts = versions.map { v =>
          val n = cases.count(_.c.fileVersion == v)
          if (n == 0) "" else n.toString
        }
        s"| $release | ${counts.mkString(" | ")} |"
      }
    val head =
      s"""## Tables of earlier pylance releases
         |
         |Number of tables by file version. All of them are read, or rejected if the latest pylance release
         |rejects them as well.
         |
         || pylance | ${versions.mkString(" | ")} |
         ||---|${"---|" * versions.length}
         |""".stripMargin
    head + rows.mkString("", "\n", "\n")
  }

  private def historical(entries: IndexedSeq[Entry]): String = {
    val rows = entries.map { e =>
      s"| `${e.c.name.stripPrefix("historical/")}` | ${if (e.c.error.isDefined) "rejected"
        else "yes"} |"
    }
    val head =
      """## Tables that earlier releases wrote with bugs
        |
        |The rejected tables lack a data file. pylance rejects them as well.
        |
        || table | read |
        ||---|---|
        |""".stripMargin
    head + rows.mkString("", "\n", "\n")
  }
}
