// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.testkit.{Fixtures, TemporaryFolder}

/** Appends to tables of old releases. Either the table needs no repair and stays consistent, or the
  * append is rejected with a reason and changes nothing.
  */
class RepairsSuite extends AnyFunSuite with TemporaryFolder {

  private def copy(from: Path): Path = {
    val to = Files.createTempDirectory(folder, "t")
    Using.resource(Files.walk(from)) { files =>
      files.iterator.asScala.filter(_ != from).foreach { f =>
        Files.copy(f, to.resolve(from.relativize(f).toString))
      }
    }
    to
  }

  private def files(table: Path): Set[String] =
    Using.resource(Files.walk(table)) { all =>
      all.iterator.asScala.filter(Files.isRegularFile(_)).map(table.relativize(_).toString).toSet -
        "_versions/latest_version_hint.json"
    }

  private def append(path: Path): Either[UnsupportedFeatureException, Unit] = {
    val table = LanceTable.open(Storage.local, path.toString)
    val column = DataFile("x.lance", IndexedSeq(0), IndexedSeq(0), table.fileVersion, 99)
    val before = files(path)
    try {
      val after = table.append(IndexedSeq(Fragment.unassigned(Seq(column), 5)))
      assert(after.rowCount == table.rowCount.map(_ + 5))
      assert(after.fragments.length == table.fragments.length + 1)
      assert(after.fileVersion == table.fileVersion && after.schema == table.schema)
      assert(files(path).size == before.size + 2)
      Right(())
    } catch {
      case e: UnsupportedFeatureException =>
        assert(files(path) == before)
        Left(e)
    }
  }

  private def results(prefix: String): Map[String, Either[UnsupportedFeatureException, Unit]] =
    Fixtures.cases
      .filter(c => c.name.startsWith(prefix) && c.error.isEmpty && c.options.isEmpty)
      .map(c => withClue(s"${c.name}: ")(c.name -> append(copy(c.path))))
      .toMap

  test("tables of releases with complete manifests can be written") {
    Fixtures.assumePresent(): Unit
    Seq("old/0.30.0/", "old/0.39.0/").foreach { prefix =>
      val found = results(prefix)
      assert(found.nonEmpty)
      found.collect {
        case (name, Left(e)) if !e.getMessage.contains("stable row ids") => fail(name, e)
      }
    }
  }

  test("tables that need a repair are rejected with advice") {
    Fixtures.assumePresent(): Unit
    val rejected = (results("old/0.1") ++ results("historical/")).collect { case (name, Left(e)) =>
      assert(e.getMessage.contains("pylance") || e.getMessage.contains("feature flag"), name)
      e.getMessage
    }
    Seq("row count", "sizes of the files").foreach { reason =>
      assert(rejected.exists(_.contains(reason)), reason)
    }
  }
}
