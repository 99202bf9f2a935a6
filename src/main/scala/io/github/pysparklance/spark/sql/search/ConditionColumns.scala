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
import org.apache.spark.sql.catalyst.plans.logical.{CTERelationDef, CTERelationRef, LogicalPlan}
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.text.TextIndices
import io.github.pysparklance.index.text.analysis.AnalyzerParameters
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

  private val definitions: Map[Long, Seq[Attribute]] =
    plans.collect { case d: CTERelationDef => d.id -> d.output }.toMap

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

  /** Returns the analyzer of a column's index, or the default analyzer for columns without an index and
    * for other texts. Returns `None` if the text may be a column of an enclosing plan.
    */
  def analyzer(text: Expression): Option[AnalyzerParameters] = path(text, Set.empty) match {
    case Some((table, names)) =>
      Some(
        table.table.schema.ways.find(_.map(_.name) == names)
          .fold(AnalyzerParameters.default)(way => parameters(table, way.last.id, names))
      )
    case None => if (isPart) None else Some(AnalyzerParameters.default)
  }

  private def parameters(table: LanceSparkTable, fieldId: Int, names: Seq[String]) =
    LanceErrors.translated {
      val indices = new TextIndices(table.table)
      val found = indices.find(fieldId)
      if (found.isEmpty) indices.names(fieldId).headOption.foreach { name =>
        throw new InvalidRequestException(
          s"the full-text index $name of column ${names.mkString(".")} cannot be used, so its terms are " +
            "unknown: create it again, or drop it"
        )
      }
      found.fold(AnalyzerParameters.default)(_.parameters)
    }

  /** @param seen aliases that were followed */
  private def path(
      e: Expression,
      seen: Set[ExprId]
  ): Option[(LanceSparkTable, IndexedSeq[String])] = e match {
    case a: Attribute => tables.get(a.exprId).map { case (t, name) => (t, IndexedSeq(name)) }
        .orElse {
          aliases.get(a.exprId).filterNot(_ => seen.contains(a.exprId))
            .flatMap(path(_, seen + a.exprId))
        }
    case OuterReference(a) => path(a, seen)
    case g: GetStructField => path(g.child, seen).map { case (t, names) =>
        (t, names :+ g.extractFieldName)
      }
    // Views cast their columns to the types at the time of their creation.
    case c: Cast if DataTypeUtils.sameType(c.child.dataType, c.dataType) => path(c.child, seen)
    case s: StaticInvoke if s.functionName == "readSidePadding" => path(s.arguments.head, seen)
    case _ => None
  }
}
