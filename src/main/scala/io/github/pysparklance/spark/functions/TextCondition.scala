// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction
import org.apache.spark.sql.types.{BooleanType, DataType, StringType}

import io.github.pysparklance.index.text.TextMatcher
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, Granularity, TextColumn}
import io.github.pysparklance.index.text.query.TextQuery
import io.github.pysparklance.index.text.search.TextPredicate

/** Whether a full-text query finds a row by the texts in some columns. Null if all texts are null.
  * Each thread has its own buffers, because Spark may evaluate one expression in several threads.
  *
  * @param function name of the function
  * @param query query whose leaves have argument numbers as columns
  * @param types types of the arguments: strings, or arrays of strings
  * @param parameters parameters of the analyzer of each argument; `None` as long as the indices of
  *   the columns are unknown
  */
final private[spark] case class TextCondition(
    function: String,
    query: TextQuery,
    types: IndexedSeq[DataType],
    parameters: Option[IndexedSeq[AnalyzerParameters]]
) extends ScalarFunction[java.lang.Boolean] {

  @transient private lazy val matchers: ThreadLocal[TextMatcher] = {
    val analyzers = parameters.getOrElse(types.map(_ => AnalyzerParameters.default))
    ThreadLocal.withInitial[TextMatcher](() => new TextMatcher(query, analyzers))
  }

  /** Granularity of the documents that the condition selects, the same for all columns. */
  def granularity: Option[Granularity] = query.leaves.head.granularity

  /** Predicates for indices, with the number of the argument. The condition is true if any
    * predicate is true. Empty until the indices of the columns are resolved.
    */
  def predicates: Seq[(Int, TextPredicate)] = parameters.toSeq.flatMap { analyzers =>
    query.leaves.map { leaf =>
      val column = leaf.column.get.toInt
      column -> TextPredicate(leaf, analyzers(column))
    }
  }

  override def inputTypes(): Array[DataType] = types.toArray

  override def resultType(): DataType = BooleanType

  override def name(): String = function

  /** Calls are equal if the queries are. */
  override def canonicalName(): String =
    s"io.github.pysparklance.$function(${query.hashCode}, ${parameters.hashCode})"

  override def produceResult(row: InternalRow): java.lang.Boolean =
    if (types.indices.forall(row.isNullAt)) null
    else
      matchers.get()(
        i => TextCondition.text(row, i, types(i)),
        i => TextCondition.elements(row, i)
      )

  override def toString: String = s"$function($query)"
}

private[spark] object TextCondition {

  /** Returns the text in a column of a row, or null.
    *
    * @param t type of the column: string, or array of strings
    */
  private[functions] def text(row: InternalRow, i: Int, t: DataType): String =
    if (row.isNullAt(i)) null
    else if (t.isInstanceOf[StringType]) row.getUTF8String(i).toString
    else joined(row.getArray(i))

  /** Returns the elements of a list in a column of a row. */
  private[functions] def elements(row: InternalRow, i: Int): Iterator[String] =
    if (row.isNullAt(i)) Iterator.empty else strings(row.getArray(i)).map(TextColumn.element)

  private def joined(texts: ArrayData): String = TextColumn.joined(strings(texts))

  private def strings(texts: ArrayData): Iterator[String] =
    (0 until texts.numElements()).iterator.map { i =>
      if (texts.isNullAt(i)) null else texts.getUTF8String(i).toString
    }
}
