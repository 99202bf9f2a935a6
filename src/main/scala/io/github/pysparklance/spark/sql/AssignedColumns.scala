// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Expression,
  MetadataAttribute
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Assignment,
  DeleteFromTable,
  InsertAction,
  LogicalPlan,
  MergeAction,
  MergeIntoTable,
  Project,
  UpdateAction,
  UpdateTable
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.{AnalysisException, SparkSession}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.{SessionShim, SparkShim}
import io.github.pysparklance.spark.types.MetadataFields

/** Rejects UPDATE and MERGE statements that assign metadata columns. Spark would treat them as
  * table columns and drop their values. Also rejects statements that use the score of their table,
  * for which Spark reports an internal error. This rule must run before Spark rewrites the
  * statement.
  */
final private[spark] class AssignedColumns(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case d: DeleteFromTable => checkScores(d.table, None, Seq(d.condition))
      case u: UpdateTable =>
        check(u.table, u.assignments)
        checkScores(u.table, None, u.assignments.map(_.value) ++ u.condition)
      case m: MergeIntoTable =>
        val actions = m.matchedActions ++ m.notMatchedActions ++ m.notMatchedBySourceActions
        check(m.targetTable, actions.flatMap(assignments))
        val used = actions.flatMap(a => assignments(a).map(_.value) ++ a.condition)
        checkScores(m.targetTable, Some(m.sourceTable), m.mergeCondition +: used)
      case _ => ()
    }
    plan
  }

  private def assignments(action: MergeAction): Seq[Assignment] = action match {
    case update: UpdateAction => update.assignments
    case insert: InsertAction => insert.assignments
    case _ => Nil
  }

  private def check(table: LogicalPlan, assignments: Seq[Assignment]): Unit =
    assignments.map(a => a -> a.key).foreach {
      case (assignment, column: UnresolvedAttribute)
          if MetadataFields.columns.exists(c => conf.resolver(c.name, column.nameParts.last)) &&
            isMetadata(table, column) =>
        throw SparkShim.analysisException(
          "DATATYPE_MISMATCH.INVALID_ROW_LEVEL_OPERATION_ASSIGNMENTS",
          Map(
            "sqlExpr" -> s""""${assignment.sql}"""",
            "errors" -> s"\n- '${column.nameParts.last}' is a metadata column, which cannot be set"
          ),
          null
        )
      case _ => ()
    }

  /** @param source other plan with columns that the expressions may use */
  private def checkScores(
      table: LogicalPlan,
      source: Option[LogicalPlan],
      expressions: Seq[Expression]
  ): Unit = {
    val scores = expressions.flatMap(_.collect {
      case a: UnresolvedAttribute if conf.resolver(a.nameParts.last, MetadataFields.score) => a
    })
    if (scores.distinct.exists(s => isMetadata(table, s) && !source.exists(has(_, s))))
      throw LanceErrors.translate(new InvalidRequestException(MetadataFields.noScore))
  }

  private def has(plan: LogicalPlan, column: UnresolvedAttribute): Boolean =
    try SessionShim.analyzed(session, Project(Seq(column), plan)).output.nonEmpty
    catch { case _: AnalysisException => false }

  /** Whether a name is a metadata column of a Lance table. Spark reports errors in names. */
  private def isMetadata(table: LogicalPlan, column: UnresolvedAttribute): Boolean =
    try {
      val found = SessionShim.analyzed(session, Project(Seq(column), table))
      found.exists {
        case r: DataSourceV2Relation => r.table.isInstanceOf[LanceSparkTable]
        case _ => false
      } && found.output.exists {
        case a: AttributeReference => MetadataAttribute.isValid(a.metadata)
        case _ => false
      }
    } catch { case _: AnalysisException => false }
}
