// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.json.JsonReadFeature
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.common.LanceOptions

/** Names of the arguments of a search. Ignores case and underscores.
  *
  * @param names canonical names, which errors show, with their aliases
  */
final private[scan] class ArgumentNames(val names: Seq[(String, Seq[String])]) {
  private val shown: Seq[String] = names.map(_._1)

  private val canonical: Map[String, String] = names.flatMap { case (name, others) =>
    (name +: others).map(n => LanceOptions.canonical(n) -> name)
  }.toMap

  /** Returns the canonical name of an argument. */
  def find(name: String): Option[String] = canonical.get(LanceOptions.canonical(name))

  override def toString: String = shown.mkString(", ")
}

/** The arguments of a search, by canonical name.
  *
  * @param where place of the arguments in errors, such as `option nearest`
  * @param values numbers, strings, booleans, sequences of these, or null, by argument name
  * @throws InvalidRequestException if an argument is unknown or occurs twice
  */
final private[scan] class SearchArguments(
    where: String,
    names: ArgumentNames,
    values: Seq[(String, Any)]
) {
  private val known: Map[String, Any] = {
    val named = values.map { case (name, value) =>
      val shown = names.find(name).getOrElse(fail(s"there is no argument $name; there are $names"))
      (shown, name, value)
    }
    named.groupBy(_._1).collectFirst { case (_, same) if same.length > 1 => same }.foreach { same =>
      fail(s"${same.map(_._2).mkString(" and ")} are one argument, which is given twice")
    }
    named.collect { case (shown, _, value) if value != null => shown -> value }.toMap
  }

  def get(name: String): Option[Any] = known.get(name)

  def text(name: String): Option[String] = get(name).map(_.toString)

  /** Returns a list of strings, from an array or from a string with commas. */
  def texts(name: String): Option[IndexedSeq[String]] = get(name).map {
    case several: scala.collection.Seq[_] =>
      several.map(t => if (t == null) fail(s"$name has a null") else t.toString).toIndexedSeq
    case one => one.toString.split(",").map(_.trim).filter(_.nonEmpty).toIndexedSeq
  }

  def number(name: String): Option[Double] = get(name).map { v =>
    val parsed = v match {
      case s: String => Try(s.trim.toDouble).toOption
      case other => SearchArguments.asNumber(other)
    }
    parsed.getOrElse(fail(s"$name is '$v'; a number is expected"))
  }

  def int(name: String, least: Int): Option[Int] = number(name).map { v =>
    if (v != math.rint(v) || v < least || v > Int.MaxValue)
      fail(s"$name must be a whole number of at least $least, not ${known(name)}")
    v.toInt
  }

  def boolean(name: String): Option[Boolean] = get(name).map {
    case b: Boolean => b
    case other =>
      other.toString.trim.toLowerCase(Locale.ROOT) match {
        case "true" => true
        case "false" => false
        case _ => fail(s"$name is '$other'; true or false is expected")
      }
  }

  def fail(problem: String): Nothing =
    throw new InvalidRequestException(s"$where: $problem")
}

private[scan] object SearchArguments {

  /** Arguments of all searches. */
  val ofAll: Seq[(String, Seq[String])] = Seq(
    "k" -> Seq("num_results", "limit"),
    "filter" -> Nil,
    "prefilter" -> Nil,
    "offset" -> Nil,
    "use_index" -> Nil,
    "fast_search" -> Nil,
    "with_row_id" -> Nil
  )

  val defaultK: Int = 10

  // Accepts NaN, so that errors can name it.
  private val mapper: ObjectMapper =
    JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build()

  /** Returns the members of a JSON object.
    *
    * @param where place of the object in errors
    * @param example example of an object, for errors
    * @throws InvalidRequestException if the text is not a JSON object
    */
  def members(where: String, json: String, example: String): Seq[(String, Any)] = {
    def fail(problem: String) =
      throw new InvalidRequestException(
        s"$where: $problem; a JSON object is expected, such as $example"
      )
    val node =
      try mapper.readTree(json)
      catch { case NonFatal(e) => fail(e.getMessage) }
    if (node == null || !node.isObject) fail(s"'$json' is not an object")
    node.fieldNames.asScala.map(name => name -> plain(node.get(name))).toSeq
  }

  /** Parses JSON to numbers, strings, booleans, sequences of these, or null. Objects remain text.
    */
  def parse(json: String): Any = plain(mapper.readTree(json))

  private def plain(node: JsonNode): Any =
    if (node.isNull || node.isMissingNode) null
    else if (node.isArray) node.elements.asScala.map(plain).toIndexedSeq
    else if (node.isIntegralNumber && node.canConvertToLong) Long.box(node.longValue)
    else if (node.isNumber) Double.box(node.doubleValue)
    else if (node.isBoolean) node.booleanValue
    else if (node.isTextual) node.textValue
    else node.toString

  def asNumber(v: Any): Option[Double] = v match {
    case n: java.lang.Number => Some(n.doubleValue)
    case _ => None
  }
}
