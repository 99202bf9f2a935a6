// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.query

import io.github.pysparklance.index.text.analysis.Granularity

/** A full-text query. Computes a score for each matching row. Higher scores are better.
  *
  * Queries have the same names and meaning as in pylance.
  */
sealed trait TextQuery extends Serializable {

  /** The queries without parts, in order. */
  def leaves: IndexedSeq[LeafQuery]

  /** Returns the query with columns for the leaves that have none. A leaf with several columns has
    * the highest of their scores.
    *
    * @param columns at least one column name
    */
  def onColumns(columns: IndexedSeq[String]): TextQuery

  /** Computes the score of a row.
    *
    * @param leafScores scores of [[leaves]]; NaN if the leaf does not match the row
    * @return the score, or NaN if the query does not match the row
    */
  final def score(leafScores: Array[Float]): Float = score(leafScores, 0)

  /** @param first number of the first leaf of this query */
  private[query] def score(leafScores: Array[Float], first: Int): Float

  /** Whether the query, or a part of it, searches several columns at the same time. */
  private[text] def hasMultiMatch: Boolean = false

  /** Returns the queries of combined fields in this query, with the number of their first leaf.
    *
    * @param first number of the first leaf of this query
    */
  private[text] def combined(first: Int = 0): IndexedSeq[(Int, CombinedFieldsQuery)]
}

/** A query of one column. */
sealed trait LeafQuery extends TextQuery {
  override private[text] def combined(first: Int): IndexedSeq[(Int, CombinedFieldsQuery)] =
    IndexedSeq.empty

  /** Words to search for. */
  def text: String

  /** Dotted name of the column; `None` for all columns with a full-text index. */
  def column: Option[String]

  /** Whether similar terms match. */
  def isFuzzy: Boolean = false

  /** Documents to search; `None` for the documents of the column's index. */
  def granularity: Option[Granularity]

  /** Returns the query with another column. */
  def on(column: String): LeafQuery

  final def leaves: IndexedSeq[LeafQuery] = IndexedSeq(this)

  final def onColumns(columns: IndexedSeq[String]): TextQuery = onEach(columns) match {
    case IndexedSeq(one) => one
    case several => MultiMatchQuery(several)
  }

  private[query] def onEach(columns: IndexedSeq[String]): IndexedSeq[LeafQuery] =
    if (column.isDefined) IndexedSeq(this) else columns.map(on)

  private[query] def score(leafScores: Array[Float], first: Int): Float = leafScores(first)
}

/** Whether a row must have any term of a query, or all terms. */
sealed abstract class Operator(val name: String) extends Serializable {
  override def toString: String = name
}

object Operator {
  case object And extends Operator("AND")
  case object Or extends Operator("OR")
}

/** Matches rows with the terms of a text.
  *
  * @param boost factor of the score
  * @param fuzziness maximum number of edits by which terms may differ; `None` to choose it by the
  *   length of the term
  * @param maxExpansions maximum number of similar terms to search
  * @param prefixLength number of characters at the start of a term that must be equal
  */
final case class MatchQuery(
    text: String,
    column: Option[String] = None,
    boost: Float = 1f,
    fuzziness: Option[Int] = Some(0),
    maxExpansions: Int = 50,
    operator: Operator = Operator.Or,
    prefixLength: Int = 0,
    granularity: Option[Granularity] = None
) extends LeafQuery {
  def on(column: String): MatchQuery = copy(column = Some(column))

  /** Returns the maximum number of edits of a term. */
  def maxEdits(term: String): Int = fuzziness.getOrElse {
    val length = term.codePointCount(0, term.length)
    if (length <= 2) 0 else if (length <= 5) 1 else 2
  }

  override def isFuzzy: Boolean = !fuzziness.contains(0)
}

/** Matches rows with the terms of a text in this order.
  *
  * @param slop maximum number of other terms between two terms
  */
final case class PhraseQuery(
    text: String,
    column: Option[String] = None,
    slop: Int = 0,
    granularity: Option[Granularity] = None
) extends LeafQuery {
  def on(column: String): PhraseQuery = copy(column = Some(column))
}

/** Matches the rows of `positive`. Subtracts the score of `negative` times a factor. */
final case class BoostQuery(positive: TextQuery, negative: TextQuery, negativeBoost: Float = 0.5f)
    extends TextQuery {
  val leaves: IndexedSeq[LeafQuery] = positive.leaves ++ negative.leaves

  def onColumns(columns: IndexedSeq[String]): BoostQuery =
    copy(positive.onColumns(columns), negative.onColumns(columns))

  override private[text] def hasMultiMatch: Boolean =
    positive.hasMultiMatch || negative.hasMultiMatch

  override private[text] def combined(first: Int): IndexedSeq[(Int, CombinedFieldsQuery)] =
    positive.combined(first) ++ negative.combined(first + positive.leaves.length)

  private[query] def score(leafScores: Array[Float], first: Int): Float = {
    val found = positive.score(leafScores, first)
    val other = negative.score(leafScores, first + positive.leaves.length)
    if (found.isNaN || other.isNaN) found else found - negativeBoost * other
  }
}

/** Matches the rows of any query, with the highest of the scores. */
final case class MultiMatchQuery(queries: IndexedSeq[LeafQuery]) extends TextQuery {
  override private[text] def combined(first: Int): IndexedSeq[(Int, CombinedFieldsQuery)] =
    IndexedSeq.empty

  def leaves: IndexedSeq[LeafQuery] = queries

  override private[text] def hasMultiMatch: Boolean = true

  def onColumns(columns: IndexedSeq[String]): MultiMatchQuery =
    MultiMatchQuery(queries.flatMap(_.onEach(columns)))

  private[query] def score(leafScores: Array[Float], first: Int): Float = {
    var best = Float.NaN
    queries.indices.foreach { i =>
      val score = leafScores(first + i)
      if (!score.isNaN && !(best >= score)) best = score
    }
    best
  }
}

/** Matches rows that match all of `must` and none of `mustNot`. Without `must`, rows must match one
  * of `should`. The score is the sum of the scores of `must` and `should`.
  */
final case class BooleanQuery(
    must: IndexedSeq[TextQuery],
    should: IndexedSeq[TextQuery],
    mustNot: IndexedSeq[TextQuery]
) extends TextQuery {
  val leaves: IndexedSeq[LeafQuery] = (must ++ should ++ mustNot).flatMap(_.leaves)

  def onColumns(columns: IndexedSeq[String]): BooleanQuery = BooleanQuery(
    must.map(_.onColumns(columns)),
    should.map(_.onColumns(columns)),
    mustNot.map(_.onColumns(columns))
  )

  override private[text] def hasMultiMatch: Boolean =
    (must ++ should ++ mustNot).exists(_.hasMultiMatch)

  override private[text] def combined(first: Int): IndexedSeq[(Int, CombinedFieldsQuery)] = {
    val parts = must ++ should ++ mustNot
    parts.zip(parts.scanLeft(first)((at, query) => at + query.leaves.length))
      .flatMap { case (query, at) => query.combined(at) }
  }

  private[query] def score(leafScores: Array[Float], first: Int): Float = {
    var at = first
    def next(query: TextQuery): Float = {
      val score = query.score(leafScores, at)
      at += query.leaves.length
      score
    }
    var sum = 0f
    var isFound = must.nonEmpty
    must.foreach { query =>
      val score = next(query)
      if (score.isNaN) isFound = false else sum += score
    }
    should.foreach { query =>
      val score = next(query)
      if (!score.isNaN) {
        sum += score
        if (must.isEmpty) isFound = true
      }
    }
    mustNot.foreach(query => if (!next(query).isNaN) isFound = false)
    if (isFound) sum else Float.NaN
  }
}

/** Matches rows with the terms of a text in several columns, as if they were one column. Documents
  * are rows.
  *
  * @param fields distinct column names, with the weight of the column's terms, which is at least 1
  */
final case class CombinedFieldsQuery(
    text: String,
    fields: IndexedSeq[(String, Float)],
    operator: Operator = Operator.Or
) extends TextQuery {
  val leaves: IndexedSeq[LeafQuery] =
    fields.map(f => MatchQuery(text, Some(f._1), granularity = Some(Granularity.Row)))

  def onColumns(columns: IndexedSeq[String]): CombinedFieldsQuery = this

  override private[text] def combined(first: Int): IndexedSeq[(Int, CombinedFieldsQuery)] =
    IndexedSeq(first -> this)

  /** The score of the query is stored as the score of its first leaf. */
  private[query] def score(leafScores: Array[Float], first: Int): Float = leafScores(first)
}
