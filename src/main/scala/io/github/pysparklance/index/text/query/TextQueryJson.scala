// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.query

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.github.pysparklance.core.{InvalidRequestException, Printable}
import io.github.pysparklance.index.text.analysis.Granularity

/** Reads full-text queries from JSON, in the form that pylance uses:
  *
  * {{{
  *   {"match": {"terms": "quick fox", "column": "text", "operator": "AND", "fuzziness": 1}}
  *   {"phrase": {"terms": "quick fox", "column": "text", "slop": 2}}
  *   {"boost": {"positive": {...}, "negative": {...}, "negative_boost": 0.5}}
  *   {"multi_match": {"match_queries": [{"terms": "quick fox", "column": "text"}]}}
  *   {"multi_match": {"query": "quick fox", "columns": ["title", "text"], "boost": [2, 1]}}
  *   {"boolean": {"must": [{...}], "should": [{...}], "must_not": [{...}]}}
  *   {"combined_fields": {"query": "quick fox", "columns": ["title", "text"], "boost": [2, 1], "operator": "OR"}}
  * }}}
  *
  * pylance 14 writes both forms of `multi_match` in one object. `match_queries` have more details,
  * so they are used then.
  */
object TextQueryJson {
  private val json = new ObjectMapper

  /** The keys of queries. */
  val kinds: Seq[String] =
    Seq("match", "phrase", "boost", "multi_match", "boolean", "combined_fields")

  /** Parses a query.
    *
    * @throws InvalidRequestException if the text is not a query
    */
  def parse(text: String): TextQuery = {
    val node =
      try json.readTree(text)
      catch {
        case e: JsonProcessingException =>
          throw new InvalidRequestException(
            s"the full-text query is not valid JSON: ${Printable.line(e.getOriginalMessage)}"
          )
      }
    query(node, "the full-text query")
  }

  private def query(node: JsonNode, what: String): TextQuery = {
    if (node == null || !node.isObject || node.size != 1)
      fail(s"$what must be an object with one key, such as match")
    val kind = node.fieldNames.next()
    val value = new Part(kind, node.get(kind))
    kind match {
      case "match" => matching(value)
      case "phrase" =>
        value.allow("terms", "column", "slop", Granularity.option)
        PhraseQuery(
          value.needed("terms"),
          value.text("column"),
          value.int("slop").getOrElse(0),
          value.granularity
        )
      case "boost" =>
        value.allow("positive", "negative", "negative_boost")
        BoostQuery(
          query(value.get("positive"), "positive"),
          query(value.get("negative"), "negative"),
          value.factor("negative_boost").getOrElse(0.5f)
        )
      case "multi_match" =>
        value.allow("match_queries", "query", "columns", "boost")
        val parts = value.list("match_queries").map(n => matching(new Part("match_queries", n)))
        MultiMatchQuery(if (parts.isEmpty) ofColumns(value) else parts)
      case "boolean" =>
        value.allow("must", "should", "must_not")
        def parts(key: String) = value.list(key).map(query(_, key))
        val found = BooleanQuery(parts("must"), parts("should"), parts("must_not"))
        if (found.must.isEmpty && found.should.isEmpty)
          fail("a boolean query needs a query under must or should")
        found
      case "combined_fields" => combinedFields(value)
      case other => fail(s"there is no query of the kind ${Printable.line(other.take(40))}")
    }
  }

  /** The queries of a `multi_match` in the form of early releases of pylance. */
  private def ofColumns(value: Part): IndexedSeq[MatchQuery] = {
    val columns = names(value)
    if (columns.isEmpty) fail("multi_match needs match_queries, or a query and columns")
    val boosts = value.factors("boost")
    if (boosts.nonEmpty && boosts.length != columns.length)
      fail("boost must have a number for each column")
    columns.zip(if (boosts.isEmpty) columns.map(_ => 1f) else boosts).map { case (column, boost) =>
      MatchQuery(value.needed("query"), Some(column), boost)
    }
  }

  private def names(value: Part): IndexedSeq[String] = value.list("columns").map { c =>
    if (c.isTextual) c.asText else fail("columns must be a list of strings")
  }

  private def combinedFields(value: Part): CombinedFieldsQuery = {
    value.allow("query", "columns", "boost", "operator")
    val columns = names(value)
    val weights = value.list("boost").map { b =>
      if (b.isNumber && b.asDouble >= 1 && b.asDouble <= maxWeight) b.floatValue
      else fail(s"boost must be a list of numbers from 1 to $maxWeight")
    }
    if (columns.isEmpty || columns.distinct.length < columns.length)
      fail("combined_fields needs columns, each once")
    if (weights.nonEmpty && weights.length != columns.length)
      fail("boost must have a number for each column")
    CombinedFieldsQuery(
      value.needed("query"),
      columns.zip(if (weights.isEmpty) columns.map(_ => 1f) else weights),
      value.text("operator").fold[Operator](Operator.Or)(operator)
    )
  }

  /** Maximum weight of a column. */
  private val maxWeight = 1 << 20

  private def matching(value: Part): MatchQuery = {
    value.allow(
      "terms",
      "column",
      "boost",
      "fuzziness",
      "max_expansions",
      "operator",
      "prefix_length",
      Granularity.option
    )
    val isAuto = value.get("fuzziness") match {
      case n if n != null && n.isTextual =>
        if (n.asText != "auto") fail("fuzziness must be a number or auto")
        true
      case _ => false
    }
    MatchQuery(
      value.needed("terms"),
      value.text("column"),
      value.factor("boost").getOrElse(1f),
      if (isAuto) None else Some(value.int("fuzziness").getOrElse(0)),
      value.int("max_expansions").getOrElse(50),
      value.text("operator").fold[Operator](Operator.Or)(operator),
      value.int("prefix_length").getOrElse(0),
      value.granularity
    )
  }

  /** Returns the operator with a name, ignoring case. */
  def operator(name: String): Operator = name.toUpperCase(Locale.ROOT) match {
    case "AND" => Operator.And
    case "OR" => Operator.Or
    case _ => fail(s"the operator is '${Printable.line(name.take(40))}'; AND or OR is expected")
  }

  private def fail(problem: String): Nothing = throw new InvalidRequestException(problem)

  /** The value of a key of a query. */
  final private class Part(name: String, node: JsonNode) {
    if (node == null || !node.isObject) fail(s"$name must be an object")

    def allow(keys: String*): Unit =
      node.fieldNames.asScala.find(!keys.contains(_)).foreach { key =>
        fail(s"$name has no key ${Printable.line(key.take(40))}; there are ${keys.mkString(", ")}")
      }

    def granularity: Option[Granularity] = text(Granularity.option).map(Granularity.named)

    def get(key: String): JsonNode = {
      val value = node.get(key)
      if (value == null || value.isNull) null else value
    }

    def text(key: String): Option[String] = Option(get(key)).map { v =>
      if (v.isTextual) v.asText else fail(s"$key must be a string")
    }

    def needed(key: String): String = text(key).getOrElse(fail(s"$name lacks $key"))

    def int(key: String): Option[Int] = Option(get(key)).map { v =>
      if (v.isIntegralNumber && v.canConvertToInt && v.asInt >= 0) v.asInt
      else fail(s"$key must be a number from 0 on")
    }

    def factor(key: String): Option[Float] = Option(get(key)).map(factorOf(_, key))

    def factors(key: String): IndexedSeq[Float] = list(key).map(factorOf(_, key))

    private def factorOf(node: JsonNode, key: String): Float = {
      val value = if (node.isNumber) node.floatValue else Float.NaN
      if (value >= 0 && !value.isInfinite) value
      else fail(s"$key must be a finite number that is not negative")
    }

    def list(key: String): IndexedSeq[JsonNode] = Option(get(key)) match {
      case None => IndexedSeq.empty
      case Some(v) if v.isArray => v.elements.asScala.toIndexedSeq
      case Some(_) => fail(s"$key must be a list")
    }
  }
}
