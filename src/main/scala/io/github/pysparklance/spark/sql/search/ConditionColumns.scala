// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.search

import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  Cast,
  ExprId,
  Expression,
  GetStructField,
  OuterReference
}
import org.apache.spark.sql.catalyst.plans.logical.{
  CTERelationDef,
  CTERelationRef,
  LogicalPlan,
  Union
}
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.text.TextIndices
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, Granularity, TextColumn}
import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.scan.search.SearchTable
import io.github.pysparklance.spark.shim.RowLevelTables

/** Resolves attributes of plans to columns of Lance tables.
  *
  * @param plans all nodes of the plans
  */
final private[search] class ConditionColumns(plans: Seq[LogicalPlan]) {
  private val tables: Map[ExprId, (LanceSparkTable, String)] = plans.collect {
    case r: DataSourceV2Relation => named(r.table, r.output)
    case r: StreamingRelationV2 => named(r.table, r.output)
  }.flatten.toMap

  private val definedPlans: Seq[CTERelationDef] = plans.collect { case d: CTERelationDef => d }

  private val definitions: Map[Long, Seq[Attribute]] =
    definedPlans.map(d => d.id -> d.output).toMap

  /** Definitions of aliases, and of the columns of common table expressions. */
  private val aliases: Map[ExprId, Expression] = plans.collect {
    case r: CTERelationRef => r.output.zip(definitions.getOrElse(r.cteId, Nil)).collect {
        case (a, defined) if a.exprId != defined.exprId => a.exprId -> (defined: Expression)
      }
    case p => p.expressions.flatMap(_.collect { case a: Alias => a.exprId -> a.child })
  }.flatten.toMap

  private def named(
      table: Table,
      output: Seq[Attribute]
  ): Seq[(ExprId, (LanceSparkTable, String))] =
    lance(table).toSeq.flatMap(t => output.map(a => a.exprId -> (t -> a.name)))

  private def lance(table: Table): Option[LanceSparkTable] = RowLevelTables.read(table) match {
    case t: LanceSparkTable => Some(t)
    case s: SearchTable => lance(s.searched)
    case _ => None
  }

  /** Whether the plans are part of another plan, and reference its tables. */
  private lazy val isPart: Boolean = plans.exists {
    case r: CTERelationRef => !definitions.contains(r.cteId)
    case p => p.expressions.exists(_.exists(_.isInstanceOf[OuterReference]))
  }

  /** Returns the analyzer of a column's index, or the default analyzer for columns without an index
    * and for other texts. Returns `None` if the text may be a column of an enclosing plan.
    *
    * @param below plans that compute the text
    * @param wanted granularity that the condition selects
    * @throws InvalidRequestException if the text comes from several columns with different
    *   analyzers, or if the granularity of the index differs
    */
  def analyzer(
      text: Expression,
      below: Seq[LogicalPlan],
      wanted: Option[Granularity]
  ): Option[AnalyzerParameters] = {
    val default = ConditionColumns.default(wanted)
    val all = paths(text, unions(below), Set.empty).map {
      case Some((table, names)) =>
        Some(
          table.table.schema.ways.find(_.map(_.name) == names).flatMap(TextColumn.of(_))
            .fold(default)(parameters(table, _, wanted))
        )
      case None => if (isPart) None else Some(default)
    }
    if (!all.contains(None) && all.distinct.length > 1)
      throw LanceErrors.translate(new InvalidRequestException(
        s"the texts in ${text.sql} come from several columns, whose full-text indices split them in different ways: " +
          "test each column before UNION, or create the indices with the same options"
      ))
    all.find(_.isEmpty).getOrElse(all.head)
  }

  /** All UNIONs in plans, and in the common table expressions that they refer to.
    *
    * @param seen ids of common table expressions, which may refer to themselves
    */
  private def unions(plans: Seq[LogicalPlan], seen: Set[Long] = Set.empty): Seq[Union] = {
    val named = plans.flatMap(_.collect { case r: CTERelationRef => r.cteId }).toSet -- seen
    val defined = definedPlans.filter(d => named(d.id)).map(_.child)
    plans.flatMap(_.collect { case u: Union => u }) ++
      (if (defined.isEmpty) Nil else unions(defined, seen ++ named))
  }

  private def parameters(
      table: LanceSparkTable,
      column: TextColumn,
      wanted: Option[Granularity]
  ): AnalyzerParameters = LanceErrors.translated {
    val indices = new TextIndices(table.table)
    indices.parametersOf(column, wanted, indices.find(column, wanted))
  }

  /** The columns that a text comes from; `None` for other texts.
    *
    * @param unions that may compute the text. Their output has the ids of their first child
    * @param seen aliases that were followed
    */
  private def paths(
      e: Expression,
      unions: Seq[Union],
      seen: Set[ExprId]
  ): Seq[Option[(LanceSparkTable, IndexedSeq[String])]] = e match {
    case a: Attribute =>
      val first = tables.get(a.exprId) match {
        case Some((t, name)) => Seq(Some((t, IndexedSeq(name))))
        case None =>
          aliases.get(a.exprId).filterNot(_ => seen.contains(a.exprId))
            .fold(none)(paths(_, unions, seen + a.exprId))
      }
      val others = for {
        union <- unions
        at = union.output.indexWhere(_.exprId == a.exprId)
        if at >= 0
        child <- union.children.tail
        found <- paths(child.output(at), unions.filterNot(_ eq union), seen)
      } yield found
      first ++ others
    case OuterReference(a) => paths(a, this.unions(plans), seen)
    case g: GetStructField => paths(g.child, unions, seen).map(_.map { case (t, names) =>
        (t, names :+ g.extractFieldName)
      })
    // Views cast their columns to the types at the time of their creation.
    case c: Cast if DataTypeUtils.sameType(c.child.dataType, c.dataType) =>
      paths(c.child, unions, seen)
    case s: StaticInvoke if s.functionName == "readSidePadding" =>
      paths(s.arguments.head, unions, seen)
    case _ => none
  }

  private def none: Seq[Option[(LanceSparkTable, IndexedSeq[String])]] = Seq(None)
}

private[search] object ConditionColumns {

  /** The parameters for texts without an index.
    *
    * @param wanted granularity that the condition selects
    */
  def default(wanted: Option[Granularity]): AnalyzerParameters =
    AnalyzerParameters.default.copy(granularity = wanted.getOrElse(Granularity.Row))
}
