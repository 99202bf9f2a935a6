// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.io.File
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.SparkLine

/** The error conditions in the sources of this line. Spark reports an internal error for a
  * condition that it does not define, or that lacks a parameter.
  */
class ErrorConditionsSuite extends AnyFunSuite {
  import ErrorConditionsSuite._

  test("Spark or the shim defines every condition in the sources, with its parameters") {
    val found = sys.props("pysparklance.sources").split(File.pathSeparator).toSeq
      .map(Paths.get(_)).filter(Files.isDirectory(_)).flatMap(sources).flatMap(raised)
    for (expected <- Seq("FIELD_ALREADY_EXISTS", "ROUTINE_NOT_FOUND", "CONSTRAINT_DOES_NOT_EXIST"))
      assert(found.exists(_.condition == expected), found)
    found.foreach { raised =>
      val e = raised.error
      assert(e.getMessage.startsWith(s"[${e.condition}] "), raised)
      assert(e.getMessageParameters.asScala == raised.parameters, raised)
      assert("<\\w+>".r.findFirstIn(e.getMessage).isEmpty, e.getMessage)
    }
  }

  test("renamed conditions have the name of the Spark version") {
    val parameters = Map("op" -> "add", "fieldNames" -> "`a`", "struct" -> "STRUCT<a: INT>")
    val e = SparkShim.analysisException("FIELD_ALREADY_EXISTS", parameters, null)
    assert(e.condition == SparkLine.fieldExists)
    assert(e.getMessage.contains("Cannot add column, because `a` already exists"))
  }
}

private object ErrorConditionsSuite {

  /** A call that builds an error.
    *
    * @param builder function that is called
    */
  final case class Raised(builder: String, condition: String, parameters: Map[String, String]) {
    def error: AnalysisException = builder match {
      case "SparkShim.analysisException" =>
        SparkShim.analysisException(condition, parameters, null)
      case _ => Constraints.error(condition, parameters)
    }
  }

  private val Call =
    """(SparkShim\.analysisException|Constraints\.error)\(\s*"([A-Z0-9_.]+)",\s*Map\(""".r
  private val Parameter = """"(\w+)"\s*->""".r

  /** The calls with literals in a source file. */
  def raised(source: String): Seq[Raised] = Call.findAllMatchIn(source).map { call =>
    val names = Parameter.findAllMatchIn(arguments(source, call.end)).map(_.group(1))
    Raised(call.group(1), call.group(2), names.map(name => name -> s"its $name").toMap)
  }.toSeq

  /** The text up to the parenthesis that closes the one before it. */
  private def arguments(source: String, start: Int): String = {
    val open = source.substring(start).scanLeft(1) { (depth, c) =>
      if (c == '(') depth + 1 else if (c == ')') depth - 1 else depth
    }
    source.substring(start, start + open.indexOf(0))
  }

  /** The texts of the Scala files in a folder. */
  def sources(folder: Path): Seq[String] = Using.resource(Files.walk(folder)) {
    _.iterator().asScala.filter(_.toString.endsWith(".scala"))
      .map(file => new String(Files.readAllBytes(file), UTF_8)).toList
  }
}
