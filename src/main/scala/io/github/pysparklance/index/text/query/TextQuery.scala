// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.query

/** A full-text query. It finds rows and gives each a score, the higher the better.
  *
  * Queries have the same names and meaning as in pylance.
  */
sealed trait TextQuery extends Serializable {

  /** The queries without parts, from left to right. */
  def leaves: IndexedSeq[LeafQuery]

  /** Returns the query with columns for the leaves that have none. A leaf of several columns takes the
    * highest of their scores.
    *
    * @param columns at least one
    */
  def onColumns(columns: IndexedSeq[String]): TextQuery

  /** Computes the score of a row.
    *
    * @param leafScores scores of [[leaves]] in their order; NaN where a leaf does not find the row
    * @return NaN if this query does not find the row
    */
  final def score(leafScores: Array[Float]): Float = score(leafScores, 0)

  /** @param first number of the first leaf of this query */
  private[query] def score(leafScores: Array[Float], first: Int): Float

  /** The queries of combined fields within this query, each with the number of its first leaf.
    *
    * @param first number of the first leaf of this query
    */
  private[text] def combined(first: Int = 0): IndexedSeq[(Int, CombinedFieldsQuery)] =
    IndexedSeq.empty
}

/** A query of one column. */
sealed trait LeafQuery extends TextQuery {

  /** Words to find. */
  def text: String

  /** Dotted name of the column; `None`: all columns with an index. */
  def column: Option[String]

  /** The same query of another column. */
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

/** How many terms of a query a row needs. */
sealed abstract class Operator(val name: String) extends Serializable {
  override def toString: String = name
}

object Operator {
  case object And extends Operator("AND")
  case object Or extends Operator("OR")
}

/** Finds rows with the terms of a text.
  *
  * @param boost factor of the score
  * @param fuzziness number of edits by which terms may differ, at most; `None`: depends on the
  *   length of the term
  * @param maxExpansions maximum number of similar terms to search
  * @param prefixLength number of characters at the start of a term that have to be equal
  */
final case class MatchQuery(
    text: String,
    column: Option[String] = None,
    boost: Float = 1f,
    fuzziness: Option[Int] = Some(0),
    maxExpansions: Int = 50,
    operator: Operator = Operator.Or,
    prefixLength: Int = 0
) extends LeafQuery {
  def on(column: String): MatchQuery = copy(column = Some(column))

  /** Number of edits by which a term may differ. */
  def maxEdits(term: String): Int = fuzziness.getOrElse {
    val length = term.codePointCount(0, term.length)
    if (length <= 2) 0 else if (length <= 5) 1 else 2
  }

  /** Whether terms may differ. */
  def isFuzzy: Boolean = !fuzziness.contains(0)
}

/** Finds rows with the terms of a text in their order.
  *
  * @param slop number of terms that may be between two terms
  */
final case class PhraseQuery(text: String, column: Option[String] = None, slop: Int = 0)
    extends LeafQuery {
  def on(column: String): PhraseQuery = copy(column = Some(column))
}

/** Finds what `positive` finds. Subtracts the score of `negative` times a factor. */
final case class BoostQuery(positive: TextQuery, negative: TextQuery, negativeBoost: Float = 0.5f)
    extends TextQuery {
  val leaves: IndexedSeq[LeafQuery] = positive.leaves ++ negative.leaves

  def onColumns(columns: IndexedSeq[String]): BoostQuery =
    copy(positive.onColumns(columns), negative.onColumns(columns))

  override private[text] def combined(first: Int): IndexedSeq[(Int, CombinedFieldsQuery)] =
    positive.combined(first) ++ negative.combined(first + positive.leaves.length)

  private[query] def score(leafScores: Array[Float], first: Int): Float = {
    val found = positive.score(leafScores, first)
    val other = negative.score(leafScores, first + positive.leaves.length)
    if (found.isNaN || other.isNaN) found else found - negativeBoost * other
  }
}

/** Finds what any of the queries finds, with the highest of their scores. */
final case class MultiMatchQuery(queries: IndexedSeq[LeafQuery]) extends TextQuery {
  def leaves: IndexedSeq[LeafQuery] = queries

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

/** Finds what all of `must` find and none of `mustNot`; without `must`, what any of `should` finds.
  * Adds the scores of `must` and `should`.
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

/** Finds rows with the terms of a text in several columns together, as if they were one column.
  *
  * @param fields names of columns, each once, with the weight of the terms of the column, at least 1
  */
final case class CombinedFieldsQuery(
    text: String,
    fields: IndexedSeq[(String, Float)],
    operator: Operator = Operator.Or
) extends TextQuery {
  val leaves: IndexedSeq[LeafQuery] = fields.map(f => MatchQuery(text, Some(f._1)))

  def onColumns(columns: IndexedSeq[String]): CombinedFieldsQuery = this

  override private[text] def combined(first: Int): IndexedSeq[(Int, CombinedFieldsQuery)] =
    IndexedSeq(first -> this)

  /** The score of the whole query takes the place of the score of its first leaf. */
  private[query] def score(leafScores: Array[Float], first: Int): Float = leafScores(first)
}
