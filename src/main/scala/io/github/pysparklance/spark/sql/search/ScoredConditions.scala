// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.search

import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  AttributeReference,
  Cast,
  ExprId,
  Expression,
  GetStructField,
  MetadataAttribute,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{
  CTERelationDef,
  Filter,
  Join,
  LogicalPlan,
  UnaryNode
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.FILTER
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.quoteNameParts
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.core.{InvalidRequestException, Optional, Place}
import io.github.pysparklance.index.text.TextIndices
import io.github.pysparklance.index.text.analysis.TextColumn
import io.github.pysparklance.index.text.query.{
  LeafQuery,
  MatchQuery,
  MultiMatchQuery,
  TextQuery
}
import io.github.pysparklance.spark.catalog.{LanceSparkTable, SearchedRows}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.functions.{TextCall, TextCondition}
import io.github.pysparklance.spark.scan.search.SearchTable
import io.github.pysparklance.spark.scan.text.TextRequest
import io.github.pysparklance.spark.types.MetadataFields

/** Reads tables by a full-text search if a query uses the metadata column `_score`:
  * {{{
  *   SELECT id, _score FROM t                           Project([id, _score],
  *   WHERE lance_match(c, 'fox') AND id > 3               Filter(id > 3, search of t for 'fox' in c))
  * }}}
  * The search finds the same rows as the condition. Scans reject all other uses of the column.
  *
  * Runs after Spark has pushed the filters to the tables, and before it builds scans.
  */
private[spark] object ScoredConditions extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    lazy val used = usedColumns(plan)
    plan.transformWithPruning(_.containsPattern(FILTER)) {
      case filter @ Filter(condition, relation: DataSourceV2Relation) =>
        relation.table match {
          case table: LanceSparkTable
              if relation.output.exists(a => isScore(a) && used(a.exprId)) =>
            searched(condition, table, relation).getOrElse(filter)
          case _ => filter
        }
    }
  }

  private def isScore(a: Attribute): Boolean =
    MetadataAttribute.isValid(a.metadata) && a.name == MetadataFields.score

  /** Returns the ids of the columns that a plan uses. If a query names a metadata column, Spark
    * adds all of them to the relation.
    */
  private def usedColumns(plan: LogicalPlan): Set[ExprId] =
    (plan.output ++ plan.collect { case p => p.references.toSeq ++ byPosition(p) }.flatten)
      .map(_.exprId).toSet

  /** Returns the columns that a node uses by their position. */
  private def byPosition(plan: LogicalPlan): Seq[Attribute] = plan match {
    case d: CTERelationDef => d.child.output
    case _: UnaryNode | _: Join => Nil
    case other => other.children.flatMap(_.output)
  }

  /** Returns the rows of a search, filtered by the other conditions. */
  private def searched(
      condition: Expression,
      table: LanceSparkTable,
      relation: DataSourceV2Relation
  ): Option[LogicalPlan] = {
    val (texts, others) = splitConjunctivePredicates(condition).partition(_.isInstanceOf[TextCall])
    val found = texts match {
      case Seq(TextCall(text, arguments)) =>
        LanceErrors.translated(search(text, arguments, table, relation))
      case _ => None
    }
    found.map { rows =>
      // The output has the names of the table's columns, of its metadata columns, and of the score.
      val searched = relation.copy(table = rows)
      others.reduceOption[Expression]((a, b) => And(a, b))
        .fold[LogicalPlan](searched)(Filter(_, searched))
    }
  }

  /** Returns a search for all rows that match a condition, or `None` if its texts are not columns.
    */
  private def search(
      condition: TextCondition,
      texts: Seq[Expression],
      loaded: LanceSparkTable,
      relation: DataSourceV2Relation
  ): Option[SearchTable] = {
    val table = loaded.requested(relation.options)
    val columns = texts.flatMap { text =>
      path(text).flatMap(names => table.table.schema.ways.find(_.map(_.name) == names))
        .flatMap(TextColumn.of(_))
    }.toIndexedSeq
    val isPossible = columns.length == texts.length && table.evolution.isEmpty &&
      table.schema() == loaded.schema()
    Optional.when(isPossible) {
      val useIndex = checkedIndices(condition, columns, table)
      val names = columns.map(c => quoteNameParts(c.path))
      val numRows = table.table.rowCount.getOrElse(Long.MaxValue)
      val request = TextRequest(
        queryOf(condition.query, names),
        Some(names),
        k = math.max(1L, math.min(numRows, TextRequest.maxRows.toLong)).toInt,
        offset = 0,
        filter = None,
        prefilter = true,
        useIndex = useIndex,
        fastSearch = false,
        withRowId = false,
        ofRows = true,
        isComplete = true
      )
      SearchedRows.text(table, request, relation.options)
    }
  }

  /** Returns whether the indices of the columns may be used. A condition does not use an index with
    * other terms than its analyzer.
    *
    * @throws InvalidRequestException if the analyzer of a column is not the analyzer of the
    *   condition
    */
  private def checkedIndices(
      condition: TextCondition,
      columns: IndexedSeq[TextColumn],
      table: LanceSparkTable
  ): Boolean = {
    val indices = new TextIndices(table.table)
    val found = columns.map(c => c -> indices.find(c, condition.granularity))
    val parameters = found.map { case (c, i) => indices.parametersOf(c, condition.granularity, i) }
    if (!condition.parameters.contains(parameters))
      throw new InvalidRequestException(
        s"${MetadataFields.score} of ${condition.function}: the condition does not split texts like the full-text " +
          s"index of ${columns.map(_.name).mkString(", ")}. The condition is on the column of another table, or the " +
          "index was changed after the query was analyzed: repeat the condition for this table, or create the " +
          "DataFrame again",
        Place(path = Some(table.table.path), version = Some(table.table.version))
      )
    found.forall { case (_, index) =>
      index.forall(i => !i.mayBeEarly && !i.parameters.hasDictionary)
    }
  }

  /** Returns the names from a column to a text; `None` for other expressions. */
  private def path(text: Expression): Option[Seq[String]] = text match {
    case a: AttributeReference =>
      Optional.unless(MetadataAttribute.isValid(a.metadata))(Seq(a.name))
    case g: GetStructField => path(g.child).map(_ :+ g.extractFieldName)
    case c: Cast if DataTypeUtils.sameType(c.child.dataType, c.dataType) => path(c.child)
    case s: StaticInvoke if s.functionName == "readSidePadding" => path(s.arguments.head)
    case _ => None
  }

  /** Returns the query of a condition, on columns instead of arguments. A condition finds all
    * similar words.
    */
  private def queryOf(query: TextQuery, columns: IndexedSeq[String]): TextQuery = {
    def leaf(q: LeafQuery): LeafQuery = {
      val column = columns(q.column.get.toInt)
      q match {
        case words: MatchQuery => words.copy(maxExpansions = Int.MaxValue).on(column)
        case phrase => phrase.on(column)
      }
    }
    query match {
      case one: LeafQuery => leaf(one)
      case several => MultiMatchQuery(several.leaves.map(leaf))
    }
  }
}
