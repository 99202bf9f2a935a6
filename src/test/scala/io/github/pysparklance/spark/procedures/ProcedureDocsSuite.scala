// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import java.nio.file.{Files, Paths}

import org.scalatest.funsuite.AnyFunSuite

/** The part of `docs/sql.md` that lists the procedures with their arguments. It is made from the code. */
class ProcedureDocsSuite extends AnyFunSuite {
  private val file = Paths.get("docs", "sql.md")
  private val begin = "<!-- made from the code: UPDATE_DOCS=1 with ProcedureDocsSuite -->\n"
  private val end = "<!-- end of what is made from the code -->\n"

  private def section(p: LanceProcedure): String = {
    val rows = p.arguments.map { a =>
      val default = a.default.filter(_ != "NULL").fold("")(d => s"`$d`")
      val value = if (a.default.isEmpty) "required" else default
      s"| `${a.name}` | `${a.dataType.sql}` | $value | ${a.meaning} |"
    }
    val head = Seq("| argument | type | default | |", "|---|---|---|---|")
    (Seq(s"### ${p.name}", "", p.description, "") ++ head ++ rows).mkString("", "\n", "\n")
  }

  test("docs/sql.md lists the procedures as they are") {
    val page = Files.readString(file)
    val (from, to) = (page.indexOf(begin) + begin.length, page.indexOf(end))
    assert(from >= begin.length && to >= from, s"$file has no place for the procedures")
    val listed = Procedures.all.map(section).mkString("\n", "\n", "\n")
    val made = page.substring(0, from) + listed + page.substring(to)
    if (sys.env.get("UPDATE_DOCS").contains("1")) Files.writeString(file, made): Unit
    assert(
      sys.env.get("UPDATE_DOCS").contains("1") || page == made,
      s"$file is stale: run this suite with UPDATE_DOCS=1"
    )
  }

  test("required arguments come first, and names are those of one procedure") {
    assert(Procedures.all.map(_.name).distinct.length == Procedures.all.length)
    Procedures.all.foreach { p =>
      assert(!p.arguments.dropWhile(_.default.isEmpty).exists(_.default.isEmpty), p.name)
      assert(p.arguments.map(_.name).distinct.length == p.arguments.length, p.name)
    }
  }
}
