// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark

import java.lang.ref.SoftReference
import java.nio.ByteBuffer
import java.nio.file.{Files, Path, Paths}

import scala.collection.mutable.{ArrayBuffer, HashMap}
import scala.io.Source
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.spark.sql.types._
import org.scalatest.exceptions.{TestCanceledException, TestFailedException}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{
  ExactRows,
  FixtureCase,
  Fixtures,
  FormatSupport,
  SharedSpark,
  TestRun
}

/** Reads every case of the fixtures, of every pylance release and file version, or a third of them
  * in a short run, with damaged tables with a message. Unsupported cases are in
  * `fixtures-skipped.txt`: by name, or by a common beginning (`types/v0.1/` and a star). Cases with
  * a common beginning are not run. A named case that passes fails the suite until it is removed
  * from the list.
  */
class FixturesSuite extends AnyFunSuite {
  import FixturesSuite._

  private lazy val spark = SharedSpark.interpreted

  private val skipped: Map[String, String] =
    Using.resource(Source.fromResource("fixtures-skipped.txt")) { in =>
      in.getLines()
        .map(_.trim)
        .filterNot(l => l.isEmpty || l.startsWith("#"))
        .map { line =>
          val name = line.takeWhile(!_.isWhitespace)
          name -> line.drop(name.length).trim
        }
        .toMap
    }

  test("without the folder of the fixtures, tests are canceled, and fail in long runs") {
    def missing(isLong: Boolean) = Fixtures.assumePresent(isPresent = false, isLong)
    intercept[TestCanceledException](missing(isLong = false))
    intercept[TestFailedException](missing(isLong = true))
  }

  private val passed = ArrayBuffer.empty[FixtureCase]

  private val notBuilt = skipped.keySet.filter(_.endsWith("*")).map(_.dropRight(1))

  private val selected =
    Fixtures.cases.filterNot(c => notBuilt.exists(prefix => c.name.startsWith(prefix)))

  if (Fixtures.folder.isEmpty)
    test("interoperability fixtures")(Fixtures.assumePresent())
  else {
    test("every name on the list of skipped cases is a case, with a reason") {
      val names = selected.map(_.name).toSet
      assert((skipped.keySet.filterNot(_.endsWith("*")) -- names).isEmpty)
      assert(skipped.filter(_._2.isEmpty).isEmpty)
    }

    TestRun.sample(selected.length / 3, selected).foreach { c =>
      skipped.get(c.name) match {
        case None =>
          test(c.name) {
            check(c)
            passed += c
          }
        case Some(reason) =>
          test(s"${c.name} (skipped: $reason)") {
            val passes =
              try {
                check(c)
                true
              } catch {
                case NonFatal(_) => false
              }
            assert(!passes, "the case passes: take it off fixtures-skipped.txt")
          }
      }
    }
  }

  /** Only a complete run covers everything that is supported; `UPDATE_DOCS=1` in the environment
    * writes the page.
    */
  if (Fixtures.folder.isDefined)
    test("docs/format-support.md matches the results") {
      val toPass = selected.count(c => !skipped.contains(c.name))
      if (passed.length < toPass) cancel("not all cases were run and passed")
      val file = Paths.get("docs/format-support.md")
      val page = FormatSupport.page(passed.toIndexedSeq)
      if (sys.env.get("UPDATE_DOCS").contains("1")) Files.writeString(file, page): Unit
      expect(
        Files.exists(file) && Files.readString(file) == page,
        s"$file is stale: run this suite with UPDATE_DOCS=1"
      )
    }

  private def check(c: FixtureCase): Unit = {
    c.ensureAlias()
    val answer =
      try Right(read(c))
      catch { case NonFatal(e) if c.error.isDefined => Left(e) }
    answer match {
      case Left(e) => checkError(e, c.error.get)
      case Right(_) if c.error.isDefined && !c.mayRead =>
        fail(s"it reads, but the error ${c.error.get} is expected")
      case Right((columns, rows)) =>
        val (schema, wanted) = expected(c.expected.get)
        same("schema", shape(columns), shape(schema))
        same("rows", rows.length, wanted.length)
        rows.indices.foreach(i => same(s"row $i", rows(i), wanted(i)))
    }
  }

  /** Rows by the bytes of the Parquet file that contains them: several cases share most of them. */
  private val known = HashMap.empty[ByteBuffer, SoftReference[(StructType, Seq[String])]]

  private def expected(file: Path): (StructType, Seq[String]) = {
    val bytes = ByteBuffer.wrap(Files.readAllBytes(file))
    known.get(bytes).flatMap(r => Option(r.get)).getOrElse {
      val frame = spark.read.parquet(file.toString)
      val rows = (frame.schema, ExactRows(frame))
      known(bytes) = new SoftReference(rows)
      rows
    }
  }

  /** The error, or what caused it, has to name its kind in words. */
  private def checkError(error: Throwable, kinds: String): Unit = {
    val text = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).mkString("\n").toLowerCase
    expect(kinds.split('|').exists(kind => text.contains(words(kind))), s"$kinds expected: $text")
  }

  private def same(what: String, found: Any, wanted: Any): Unit =
    expect(found == wanted, s"$what: $found\nexpected: $wanted")

  private def expect(condition: Boolean, clue: => String): Unit = if (!condition) fail(clue)

  private def read(c: FixtureCase): (StructType, Seq[String]) = {
    val frame = spark.read.format("lance").options(c.options).load(c.path.toString)
    (frame.schema, ExactRows(frame))
  }
}

private object FixturesSuite {
  private def words(kind: String): String = if (kind == "notfound") "not found" else kind

  /** Names and types, without what Parquet does not keep. */
  private def shape(t: DataType): String = t match {
    case s: StructType =>
      s.fields.map(f => s"${f.name}: ${shape(f.dataType)}").mkString("(", ", ", ")")
    case ArrayType(item, _) => s"array ${shape(item)}"
    case MapType(k, v, _) => s"map ${shape(k)} ${shape(v)}"
    case NullType => shape(StringType) // the expected file has nulls of some type
    case other => other.catalogString
  }
}
