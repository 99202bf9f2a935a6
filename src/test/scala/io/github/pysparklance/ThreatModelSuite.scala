// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.util.regex.Pattern

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

/** The page `docs/threat-model.md` names a class and a test for each attack, and they exist. */
class ThreatModelSuite extends AnyFunSuite {
  import ThreatModelSuite._

  private val entries = Files
    .readString(Paths.get("docs/threat-model.md"))
    .linesIterator
    .filter(_.startsWith("| "))
    .map(_.split('|').map(_.trim))
    .collect { case Array(_, attack, defense, shown) => Entry(attack, code(defense), code(shown)) }
    .filterNot(_.attack == "attack")
    .toVector

  test("each attack has a defense and a test") {
    assert(entries.length > 40)
    entries.foreach { e =>
      assert(e.defenses.nonEmpty && e.tests.nonEmpty && e.tests.forall(isReference), e.attack)
    }
  }

  test("the classes of the defenses exist") {
    val files = (sources("src/main") ++ sources("python/pyspark_lance")).map(_.getFileName.toString)
    val names = files.map(_.takeWhile(_ != '.')).toSet
    val missing = entries.flatMap(_.defenses).filter(_.head.isUpper).filterNot(names)
    assert(missing.isEmpty, missing.mkString(", "))
  }

  test("the tests exist") {
    val files = Seq("src/test", "storage-tests/src/test", "python/tests").flatMap(sources)
      .groupBy(_.getFileName.toString.replaceFirst("[.]scala$", ""))
    val missing = entries.flatMap(_.tests).distinct.filterNot {
      case reference(suite, name) =>
        val literal = Pattern.quote(name)
        val pattern =
          Pattern.compile(s"""test\\(\\s*"$literal"|^def $literal\\(""", Pattern.MULTILINE)
        files.getOrElse(suite, Nil).exists(f => pattern.matcher(text(f)).find())
      case _ => false
    }
    assert(missing.isEmpty, missing.mkString("\n", "\n", "\n"))
  }

  test("Java objects are deserialized only from messages between Spark's own processes") {
    val pattern = Pattern.compile("ObjectInputStream|readObject|[sS]erializer\\b|deserialize\\[")
    val found = sources("src/main").filter(f => pattern.matcher(text(f)).find())
    val allowed = Set(
      "HadoopConf.scala", // the configuration of a task
      "SparkTasks.scala", // broadcast values of a task
      "SortedBuild.scala" // blocks of a shuffle, as bytes
    )
    assert(found.map(_.getFileName.toString).toSet == allowed)
  }
}

private object ThreatModelSuite {

  /** An attack on the page.
    *
    * @param defenses classes
    * @param tests suites with names of tests
    */
  final private case class Entry(attack: String, defenses: Seq[String], tests: Seq[String])

  private val reference = """(\w+Suite|test_\w+\.py): (.+)""".r

  private def isReference(text: String): Boolean = reference.pattern.matcher(text).matches

  /** Returns the code spans of a cell. */
  private def code(cell: String): Seq[String] = cell.split('`').toSeq.sliding(2, 2).collect {
    case Seq(_, span) => span
  }.toSeq

  private def sources(folder: String): Seq[Path] =
    Using.resource(Files.walk(Paths.get(folder))) { files =>
      files.iterator.asScala.filter(_.toString.matches(".*\\.(scala|java|py)")).toVector
    }

  private def text(file: Path): String = new String(Files.readAllBytes(file), UTF_8)
}
