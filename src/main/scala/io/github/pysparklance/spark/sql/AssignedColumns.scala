// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, MetadataAttribute}
import org.apache.spark.sql.catalyst.plans.logical.{
  Assignment,
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

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.shim.{SessionShim, SparkShim}
import io.github.pysparklance.spark.types.MetadataFields

/** Rejects UPDATE and MERGE statements that assign metadata columns. Spark would treat them as
  * table columns and drop their values. This rule must run before Spark rewrites the statement.
  */
final private[spark] class AssignedColumns(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case u: UpdateTable => check(u.table, u.assignments)
      case m: MergeIntoTable =>
        val actions = m.matchedActions ++ m.notMatchedActions ++ m.notMatchedBySourceActions
        check(m.targetTable, actions.flatMap(assignments))
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
