// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.json.JsonReadFeature
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.search.{ApproxMode, VectorQuery}
import io.github.pysparklance.spark.common.LanceOptions

/** Reads the arguments of searches. They have the names of pylance or lance-spark, in any case and with or without
  * underscores.
  *
  * @param where they are, for errors: `option nearest`
  * @param values numbers, texts, booleans, sequences of these, or null, by the name of the argument
  * @param needsVectors whether the query vectors are among them. If not, they come from the rows of a join
  */
final private[spark] class NearestArguments(
    where: String,
    values: Seq[(String, Any)],
    needsVectors: Boolean = true
) {
  import NearestArguments._

  private val known: Map[String, Any] = {
    val named = values.map { case (name, value) =>
      val key = canonical.getOrElse(
        LanceOptions.canonical(name),
        fail(s"there is no argument $name; there are ${shown.mkString(", ")}")
      )
      (key, name, value)
    }
    named.groupBy(_._1).collectFirst { case (_, same) if same.length > 1 => same }.foreach { same =>
      fail(s"${same.map(_._2).mkString(" and ")} are one argument, which is given twice")
    }
    named.collect { case (key, _, value) if value != null => key -> value }.toMap
  }

  /** The search.
    *
    * @throws InvalidRequestException if an argument is missing or wrong
    */
  def query: NearestQuery = {
    val index = boolean("useindex")
    val bypass = boolean("bypassvectorindex")
    if (index.isDefined && bypass.contains(index.get))
      fail("use_index and bypass_vector_index contradict each other")
    val refineFactor = int("refinefactor", 0)
    val (lower, upper) = range
    int("queryparallelism", Int.MinValue): Unit // does not change the result
    NearestQuery(
      text("column"),
      vectors,
      int("offset", 0).getOrElse(0),
      text("filter"),
      boolean("prefilter").getOrElse(true),
      VectorQuery(
        k = int("k", 1).getOrElse(defaultK),
        metric = text("metric").map(Metric.parse),
        nprobes = int("nprobes", 1),
        minimumNprobes = int("minimumnprobes", 1),
        maximumNprobes = int("maximumnprobes", 1),
        searchEffort = number("searcheffort"),
        refineFactor = refineFactor.filter(_ > 0),
        ef = int("ef", 1),
        lowerBound = lower,
        upperBound = upper,
        useIndex = index.getOrElse(!bypass.contains(true)),
        fastSearch = boolean("fastsearch").getOrElse(false),
        approxMode = text("approxmode").fold[ApproxMode](ApproxMode.Normal)(ApproxMode.parse)
      ),
      refineFactor.isDefined,
      boolean("withrowid").getOrElse(false)
    )
  }

  private def vectors: QueryVectors = known.get("q") match {
    case None =>
      if (needsVectors) fail("the query vector is missing or null") else QueryVectors.none
    case Some(_) if !needsVectors => fail("the query vector is given twice")
    case Some(json: String) => vectors(parse(json))
    case Some(other) => vectors(other)
  }

  private def vectors(value: Any): QueryVectors = {
    val queries = value match {
      case Rows(queries) =>
        queries.zipWithIndex.map {
          case (Rows(several), i) =>
            several.zipWithIndex.map {
              case (one: scala.collection.Seq[_], j) => vector(one, s"vector $j of query $i")
              case (_, j) => fail(s"vector $j of query $i is not an array of numbers")
            }
          case (one: scala.collection.Seq[_], i) => IndexedSeq(vector(one, s"query vector $i"))
          case (_, i) => fail(s"query vector $i is not an array of numbers")
        }
      case one: scala.collection.Seq[_] => IndexedSeq(IndexedSeq(vector(one, "the query vector")))
      case other => fail(s"the query vector is '$other'; an array of numbers is expected")
    }
    val isBatch = Rows.unapply(value).isDefined
    val isNested = Rows.unapply(value).exists(_.exists(Rows.unapply(_).isDefined))
    val all = queries.flatten
    all.find(_.length != all.head.length).foreach { other =>
      fail(s"query vectors have different dimensions, ${all.head.length} and ${other.length}")
    }
    new QueryVectors(queries, isBatch, isNested)
  }

  private def vector(elements: scala.collection.Seq[_], name: String): Array[Double] = {
    if (elements.isEmpty) fail(s"$name has no elements")
    val out = new Array[Double](elements.length)
    elements.iterator.zipWithIndex.foreach { case (element, i) =>
      out(i) = asNumber(element).getOrElse {
        if (element == null) fail(s"$name has a null at position $i")
        else fail(s"$name has '$element' at position $i, which is not a number")
      }
      if (out(i).isNaN || out(i).isInfinite)
        fail(s"$name has ${out(i)} at position $i; elements must be finite numbers")
    }
    out
  }

  private def range: (Option[Float], Option[Float]) = {
    val both = known.get("distancerange").map {
      case Seq(lower, upper) => (bound(lower), bound(upper))
      case other => fail(s"distance_range is '$other'; an array of two numbers is expected")
    }
    val (lower, upper) = (number("lowerbound"), number("upperbound"))
    if (both.isDefined && (lower.isDefined || upper.isDefined))
      fail("distance_range and lower_bound or upper_bound say the same twice")
    both.getOrElse((lower.map(_.toFloat), upper.map(_.toFloat)))
  }

  private def bound(value: Any): Option[Float] =
    if (value == null) None
    else
      Some(
        asNumber(
          value
        ).getOrElse(fail(s"distance_range has '$value', which is not a number")).toFloat
      )

  private def text(key: String): Option[String] = known.get(key).map(_.toString)

  private def number(key: String): Option[Double] = known.get(key).map { v =>
    asNumber(v).orElse(asText(v).flatMap(t => scala.util.Try(t.toDouble).toOption)).getOrElse(
      fail(s"${display(key)} is '$v'; a number is expected")
    )
  }

  private def int(key: String, least: Int): Option[Int] = number(key).map { v =>
    if (v != math.rint(v) || v < least || v > Int.MaxValue)
      fail(s"${display(key)} must be a whole number of at least $least, not ${known(key)}")
    v.toInt
  }

  private def boolean(key: String): Option[Boolean] = known.get(key).map {
    case b: Boolean => b
    case other =>
      other.toString.trim.toLowerCase(java.util.Locale.ROOT) match {
        case "true" => true
        case "false" => false
        case _ => fail(s"${display(key)} is '$other'; true or false is expected")
      }
  }

  private def asText(v: Any): Option[String] = v match {
    case s: String => Some(s)
    case _ => None
  }

  private def parse(json: String): Any =
    try plain(mapper.readTree(json))
    catch {
      case NonFatal(e) => fail(s"the query vector is not a JSON array: ${e.getMessage}")
    }

  private def fail(problem: String): Nothing =
    throw new InvalidRequestException(s"$where: $problem")
}

private[spark] object NearestArguments {
  private val defaultK = 10

  /** The arguments, with their other names. */
  private val names: Seq[(String, Seq[String])] = Seq(
    "column" -> Seq("vector_column"),
    "q" -> Seq("query_vector", "key", "query"),
    "k" -> Seq("num_results", "limit"),
    "metric" -> Seq("distance_type", "metric_type"),
    "filter" -> Nil,
    "prefilter" -> Nil,
    "offset" -> Nil,
    "distance_range" -> Nil,
    "lower_bound" -> Nil,
    "upper_bound" -> Nil,
    "nprobes" -> Nil,
    "minimum_nprobes" -> Nil,
    "maximum_nprobes" -> Nil,
    "search_effort" -> Nil,
    "refine_factor" -> Nil,
    "ef" -> Nil,
    "approx_mode" -> Nil,
    "use_index" -> Nil,
    "bypass_vector_index" -> Nil,
    "fast_search" -> Nil,
    "with_row_id" -> Nil,
    "query_parallelism" -> Nil
  )

  /** Whether a name is that of the query vectors. */
  private[spark] def isVectors(name: String): Boolean =
    canonical.get(LanceOptions.canonical(name)).contains("q")

  private val shown: Seq[String] = names.map(_._1)

  private val canonical: Map[String, String] = names.flatMap { case (name, others) =>
    (name +: others).map(n => LanceOptions.canonical(n) -> LanceOptions.canonical(name))
  }.toMap

  private val displayed = shown.map(n => LanceOptions.canonical(n) -> n).toMap

  private def display(key: String): String = displayed(key)

  // NaN is read, to name it in errors
  private val mapper: ObjectMapper =
    JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build()

  /** The arguments of a JSON object.
    *
    * @param where as for the class
    * @throws InvalidRequestException if it is none
    */
  def ofJson(where: String, json: String): NearestArguments = {
    def fail(problem: String) =
      throw new InvalidRequestException(s"$where: $problem; a JSON object is expected, such as " +
        """{"column": "vector", "q": [0.1, 0.2], "k": 10}""")
    val node =
      try mapper.readTree(json)
      catch { case NonFatal(e) => fail(e.getMessage) }
    if (node == null || !node.isObject) fail(s"'$json' is not an object")
    new NearestArguments(
      where,
      node.fieldNames.asScala.map(name => name -> plain(node.get(name))).toSeq
    )
  }

  /** An array of arrays. */
  private object Rows {
    def unapply(value: Any): Option[IndexedSeq[Any]] = value match {
      case all: scala.collection.Seq[_]
          if all.headOption.exists(_.isInstanceOf[scala.collection.Seq[_]]) =>
        Some(all.toIndexedSeq)
      case _ => None
    }
  }

  private def plain(node: JsonNode): Any =
    if (node.isNull || node.isMissingNode) null
    else if (node.isArray) node.elements.asScala.map(plain).toIndexedSeq
    else if (node.isNumber) node.doubleValue
    else if (node.isBoolean) node.booleanValue
    else if (node.isTextual) node.textValue
    else node.toString

  private def asNumber(v: Any): Option[Double] = v match {
    case n: java.lang.Number => Some(n.doubleValue)
    case _ => None
  }
}
