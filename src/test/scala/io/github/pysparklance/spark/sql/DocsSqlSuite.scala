// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import java.nio.file.{Files, Paths}

import scala.util.control.NonFatal

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.sql.statements.Statements
import io.github.pysparklance.testkit.{SharedSpark, SparkLine, TemporaryFolder}

/** Runs the examples of `docs/sql.md`, each section in a separate session with an empty catalog
  * `lance`.
  */
class DocsSqlSuite extends AnyFunSuite with TemporaryFolder {
  private val page = Files.readString(Paths.get("docs", "sql.md"))
  private val fence = "```"
  private val block = s"(?ms)^${fence}sql\\n(.*?)^$fence$$".r

  private val sections: Seq[(String, String)] = page.split("(?m)^## ").toSeq.tail.map { text =>
    text.linesIterator.next().trim -> block.findAllMatchIn(text).map(_.group(1)).mkString(";\n")
  }

  /** Statements are separated by semicolons at the end of a line. */
  private def statements(sql: String): Seq[String] =
    sql.split("(?m);\\s*$").toSeq.map(_.trim).filter(_.nonEmpty)

  /** Parts of the statements that Spark parses since 4.0, which the page lists. */
  private val since40 =
    Seq("WITH (`", "TYPE BIGINT, age COMMENT", "CLUSTER BY", "UNSET PROPERTIES")

  private def isKnown(statement: String): Boolean =
    SparkLine.isFrom("4.0") || !since40.exists(statement.contains)

  for ((title, sql) <- sections)
    test(title) {
      assert(statements(sql).nonEmpty, s"the section $title has no example")
      val session = SharedSpark.newInterpreted()
      session.conf.set("spark.sql.catalog.lance.root", folder.resolve("lance").toString)
      // Example paths are in the folder of the test.
      val placed = sql.replace("/data/", s"$folder/data/")
      statements(placed).filter(isKnown).foreach { statement =>
        try session.sql(statement).collect(): Unit
        catch { case NonFatal(e) => fail(s"$statement\n${e.getMessage}", e) }
      }
    }

  test("every statement of the extension has a section with its syntax") {
    val flat = page.replaceAll("\\s+", " ")
    Statements.all.foreach(s =>
      assert(flat.contains(s.usage), s"docs/sql.md does not show ${s.usage}")
    )
  }
}
