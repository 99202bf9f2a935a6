// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import java.util.Locale

import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  NamedArgumentExpression,
  RuntimeReplaceable
}

import io.github.pysparklance.core.InvalidRequestException

/** Binds the arguments of a table function to their names.
  *
  * @param function name of the function, for errors
  * @param positions names of the arguments that may be given by position
  * @throws InvalidRequestException if an argument is given twice, or by position after a named one
  */
final private[sql] class TableFunctionCall(
    function: String,
    positions: IndexedSeq[String],
    arguments: Seq[Expression]
) {

  /** Arguments by lower-case name, in the order of the call. */
  val expressions: Seq[(String, Expression)] = {
    val named = arguments.zipWithIndex.map {
      case (NamedArgumentExpression(name, value), _) => name.toLowerCase(Locale.ROOT) -> value
      case (value, i) =>
        if (arguments.take(i).exists(_.isInstanceOf[NamedArgumentExpression]))
          fail("arguments by position come before those by name")
        val name = positions.lift(i).getOrElse(
          fail(
            s"${positions.mkString(", ")} may be given by position, the others by name: name => value"
          )
        )
        name -> value
    }
    named.map(_._1).diff(named.map(_._1).distinct).headOption.foreach(n =>
      fail(s"$n is given twice")
    )
    named
  }

  /** Returns the values of arguments by lower-case name, in the order of the call: numbers,
    * strings, booleans, sequences of these, or null.
    *
    * @param except name of an argument that may not be constant
    * @throws InvalidRequestException if another argument is not constant
    */
  def values(except: Option[String] = None): Seq[(String, Any)] =
    expressions.filterNot(e => except.contains(e._1)).map { case (name, value) =>
      name -> constant(name, value)
    }

  private def constant(name: String, value: Expression): Any = {
    if (!value.foldable)
      fail(
        s"$name is ${value.sql.take(100)}, which is not constant: a search takes constants, such as array(0.1, 0.2)"
      )
    val evaluated = value.transform { case r: RuntimeReplaceable => r.replacement }
    CatalystTypeConverters.convertToScala(evaluated.eval(), value.dataType)
  }

  private def get(name: String): Option[Any] =
    expressions.collectFirst { case (`name`, value) => constant(name, value) }.filter(_ != null)

  def text(name: String): Option[String] = get(name).map(_.toString)

  /** @throws InvalidRequestException if it is missing or null */
  def needed(name: String): String = text(name).getOrElse(fail(s"$name is missing or null"))

  /** A list of texts: an array, or one text with commas between them. */
  def texts(name: String): Option[Seq[String]] = get(name).map {
    case several: scala.collection.Seq[_] => several.map(_.toString).toSeq
    case one => one.toString.split(",").map(_.trim).filter(_.nonEmpty).toSeq
  }

  private def fail(problem: String): Nothing =
    throw new InvalidRequestException(s"$function: $problem")
}
