// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

/** The share of types with Scaladoc or Javadoc among the top-level types that other files can use.
  * A class and its companion object count once.
  */
class DocumentedTypesSuite extends AnyFunSuite {
  import DocumentedTypesSuite._

  test("at least 95 % of the types in src/main have documentation") {
    val found = sources(Paths.get("src/main")).flatMap(types)
    assert(found.length > 1000, "src/main was not read")
    val missing = found.filterNot(_.isDocumented)
    assert(missing.length <= found.length * (1 - Share), missing.mkString("\n", "\n", "\n"))
  }

  test("modifiers, annotations, and companions are recognized") {
    val text =
      """/** Documented. */
        |final case class A(b: Int) {
        |  class Inner
        |}
        |object A
        |
        |sealed private[spark] trait B
        |
        |/** Documented. */
        |@SerialVersionUID(1L)
        |final private[file] class C
        |
        |// a comment
        |public final class D {
        |}
        |private class E
        |""".stripMargin
    val found = typesIn(Paths.get("A.scala"), text)
    assert(found.map(_.name) == Seq("A", "B", "C", "D"))
    assert(found.filter(_.isDocumented).map(_.name) == Seq("A", "C"))
  }
}

private object DocumentedTypesSuite {

  /** The smallest accepted share of documented types. */
  val Share = 0.95

  /** A top-level type.
    *
    * @param isDocumented whether the type or its companion has documentation
    */
  final case class Type(file: Path, name: String, isDocumented: Boolean) {
    override def toString: String = s"$file: $name has no documentation"
  }

  private val Modifier =
    """(?:private\[\w+\]|protected|public|final|sealed|abstract|implicit|case)"""
  private val Keyword = """(?:package object|class|object|trait|interface|@interface|enum)"""
  private val Declaration = s"""(?:@[\\w.]+(?:\\([^)]*\\))? )*(?:$Modifier )*$Keyword (\\w+).*""".r

  /** Returns the Scala and Java files below a folder. */
  def sources(folder: Path): Seq[Path] = Using.resource(Files.walk(folder)) { files =>
    files.iterator.asScala.filter(f => f.toString.matches(".*\\.(scala|java)")).toVector.sorted
  }

  /** Returns the types of a file that other files can use, in order. */
  def types(file: Path): Seq[Type] = typesIn(file, new String(Files.readAllBytes(file), UTF_8))

  /** Returns the types in the text of a file. */
  def typesIn(file: Path, text: String): Seq[Type] = {
    val lines = text.linesIterator.toVector
    val found = lines.zipWithIndex.collect { case (Declaration(name), i) =>
      val above = lines.take(i).reverseIterator.dropWhile(_.startsWith("@"))
      name -> (above.hasNext && above.next().endsWith("*/"))
    }
    found.map(_._1).distinct.map(name => Type(file, name, found.contains(name -> true)))
  }
}
