// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.nio.file.{Files, Paths}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.LanceException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.testkit.{FixtureCase, Fixtures}

/** Reads the metadata of all interoperability fixtures of every file version and release: schema,
  * fragments, deletions, and row counts. Values are tested in another suite.
  */
class TableFixturesSuite extends AnyFunSuite {

  private def open(c: FixtureCase): LanceTable = {
    val version = c.options.get("version").map(_.toLong)
    val revision = (c.options.get("tag"), c.options.get("branch"), version) match {
      case (Some(tag), _, _) => Revision.Tagged(tag)
      case (_, Some(branch), v) => Revision.OnBranch(branch, v)
      case (_, _, Some(v)) => Revision.Version(v)
      case _ => Revision.Latest
    }
    LanceTable.open(Storage.local, c.path.toString, revision)
  }

  Fixtures.cases.filter(_.error.isEmpty).groupBy(_.name.split('/').take(2).mkString("/")).toSeq
    .sortBy(_._1)
    .foreach { case (group, cases) =>
      test(s"$group: ${cases.length} tables") {
        cases.foreach { c =>
          withClue(s"${c.name} ${c.options}: ") {
            c.ensureAlias()
            val t = open(c)
            t.rowCount.foreach(n => assert(n == c.rows))
            t.fragments.foreach { f =>
              val deleted = t.deletionVector(f).numDeletedRows
              f.liveRows.foreach(n => assert(n == f.physicalRows.get - deleted))
              f.files.foreach(file => assert(Files.exists(Paths.get(t.pathOf(file)))))
              f.columns(t.schema.flatten.map(_.id)).values.foreach { case (file, column) =>
                assert(column >= 0 && file.fields.length > 0)
              }
            }
          }
        }
      }
    }

  test("tables with an unreadable manifest or deletion file") {
    Fixtures.assumePresent(): Unit
    val damaged = Fixtures.cases.filter { c =>
      c.error.isDefined &&
      Seq("manifest-", "deletion-", "unknown-reader-flag", "no-such-").exists(c.name.contains)
    }
    assert(damaged.nonEmpty)
    damaged.foreach { c =>
      withClue(s"${c.name}: ") {
        val result =
          try {
            val t = open(c)
            t.fragments.foreach(t.deletionVector)
            None
          } catch { case e: LanceException => Some(e) }
        result match {
          case None => assert(c.mayRead)
          case Some(e) =>
            val kinds = c.error.get.split('|').map {
              case "notfound" => "not found"
              case kind => kind
            }
            assert(kinds.exists(e.getMessage.toLowerCase.contains), e.getMessage)
        }
      }
    }
  }
}
