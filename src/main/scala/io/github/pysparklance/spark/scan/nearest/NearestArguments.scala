// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import scala.util.control.NonFatal

import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.search.{ApproxMode, VectorQuery}
import io.github.pysparklance.spark.scan.search.{ArgumentNames, SearchArguments}

/** Parses the arguments of vector searches. Accepts the names of pylance and lance-spark, and
  * ignores case and underscores.
  *
  * @param where place of the arguments in errors, such as `option nearest`
  * @param values numbers, strings, booleans, sequences of these, or null, by argument name
  * @param needsVectors whether the arguments contain the query vectors; otherwise, the rows of a
  *   join do
  */
final private[spark] class NearestArguments(
    where: String,
    values: Seq[(String, Any)],
    needsVectors: Boolean = true
) {
  import NearestArguments._

  private val arguments = new SearchArguments(where, names, values)
  import arguments.{boolean, fail, get, int, number, text}

  /** Returns the query.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException if an argument is missing or wrong
    */
  def query: NearestQuery = {
    val index = boolean("use_index")
    val bypass = boolean("bypass_vector_index")
    if (index.isDefined && bypass.contains(index.get))
      fail("use_index and bypass_vector_index contradict each other")
    val refineFactor = int("refine_factor", 0)
    val (lower, upper) = range
    int("query_parallelism", Int.MinValue): Unit // does not change the result
    NearestQuery(
      text("column"),
      vectors,
      int("offset", 0).getOrElse(0),
      text("filter"),
      boolean("prefilter").getOrElse(true),
      VectorQuery(
        k = int("k", 1).getOrElse(SearchArguments.defaultK),
        metric = text("metric").map(Metric.parse),
        nprobes = int("nprobes", 1),
        minimumNprobes = int("minimum_nprobes", 1),
        maximumNprobes = int("maximum_nprobes", 1),
        searchEffort = number("search_effort"),
        refineFactor = refineFactor.filter(_ > 0),
        ef = int("ef", 1),
        lowerBound = lower,
        upperBound = upper,
        useIndex = index.getOrElse(!bypass.contains(true)),
        fastSearch = boolean("fast_search").getOrElse(false),
        approxMode = text("approx_mode").fold[ApproxMode](ApproxMode.Normal)(ApproxMode.parse)
      ),
      refineFactor.isDefined,
      boolean("with_row_id").getOrElse(false)
    )
  }

  private def vectors: QueryVectors = get("q") match {
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
      out(i) = SearchArguments.asNumber(element).getOrElse {
        if (element == null) fail(s"$name has a null at position $i")
        else fail(s"$name has '$element' at position $i, which is not a number")
      }
      if (out(i).isNaN || out(i).isInfinite)
        fail(s"$name has ${out(i)} at position $i; elements must be finite numbers")
    }
    out
  }

  private def range: (Option[Float], Option[Float]) = {
    val both = get("distance_range").map {
      case Seq(lower, upper) => (bound(lower), bound(upper))
      case other => fail(s"distance_range is '$other'; an array of two numbers is expected")
    }
    val (lower, upper) = (number("lower_bound"), number("upper_bound"))
    if (both.isDefined && (lower.isDefined || upper.isDefined))
      fail("distance_range and lower_bound or upper_bound say the same twice")
    both.getOrElse((lower.map(_.toFloat), upper.map(_.toFloat)))
  }

  private def bound(value: Any): Option[Float] =
    if (value == null) None
    else
      Some(
        SearchArguments.asNumber(
          value
        ).getOrElse(fail(s"distance_range has '$value', which is not a number")).toFloat
      )

  private def parse(json: String): Any =
    try SearchArguments.parse(json)
    catch {
      case NonFatal(e) => fail(s"the query vector is not a JSON array: ${e.getMessage}")
    }
}

private[spark] object NearestArguments {

  /** Arguments of vector searches only. */
  private[scan] val own: Seq[(String, Seq[String])] = Seq(
    "column" -> Seq("vector_column"),
    "q" -> Seq("query_vector", "key", "query"),
    "metric" -> Seq("distance_type", "metric_type"),
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
    "bypass_vector_index" -> Nil,
    "query_parallelism" -> Nil
  )

  private val names = new ArgumentNames(own ++ SearchArguments.ofAll)

  /** Whether an argument name means the query vectors. */
  private[spark] def isVectors(name: String): Boolean = names.find(name).contains("q")

  /** Parses a JSON object.
    *
    * @param where place of the arguments in errors
    * @throws io.github.pysparklance.core.InvalidRequestException if the text is not a JSON object
    */
  def ofJson(where: String, json: String): NearestArguments = {
    val example = """{"column": "vector", "q": [0.1, 0.2], "k": 10}"""
    new NearestArguments(where, SearchArguments.members(where, json, example))
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
}
