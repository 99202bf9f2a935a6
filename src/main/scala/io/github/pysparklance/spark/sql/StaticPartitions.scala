// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{And, Cast, EqualNullSafe, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{
  InsertIntoStatement,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.shim.PartitionClauses
import io.github.pysparklance.spark.types.TableKeys

/** Makes `INSERT OVERWRITE t PARTITION (k = v)` in dynamic mode replace the rows with that key,
  * even if the query returns no rows. Spark's plan of the dynamic mode does not have the clause.
  * Spark's file sources behave the same. The clause must have all columns of the clustering key;
  * otherwise the keys of the rows determine the replaced rows.
  */
private[spark] object StaticPartitions {

  /** Stores the clause with the statement. */
  object Remember extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
      case i: InsertIntoStatement if i.overwrite && isStatic(i) =>
        PartitionClauses.noted(i, i.partitionSpec.map { case (column, v) => column -> v.get })
    }

    private def isStatic(i: InsertIntoStatement): Boolean =
      i.partitionSpec.nonEmpty && i.partitionSpec.values.forall(_.isDefined)
  }

  /** Replaces the dynamic overwrite by an overwrite with a condition. */
  object Apply extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
      case o: OverwritePartitionsDynamic =>
        (o.table, PartitionClauses.of(o)) match {
          case (r: DataSourceV2Relation, Some(clause)) if coversKey(r, clause) =>
            val replaced = condition(r, clause)
            if (o.isByName) OverwriteByExpression.byName(r, o.query, replaced, o.writeOptions)
            else OverwriteByExpression.byPosition(r, o.query, replaced, o.writeOptions)
          case _ => o
        }
    }

    private def coversKey(r: DataSourceV2Relation, spec: Map[String, String]): Boolean =
      r.table match {
        case t: LanceSparkTable =>
          val key = TableKeys.clusteringColumns(t.table.schema)
          key.nonEmpty && TableKeys.nestedClusteringFields(t.table.schema).isEmpty &&
          key.forall(k => spec.keys.exists(conf.resolver(_, k)))
        case _ => false
      }

    /** Returns the condition with the column names of the table. Spark resolves them in the rows,
      * which have the same names by then.
      */
    private def condition(r: DataSourceV2Relation, spec: Map[String, String]): Expression =
      spec.toSeq.map { case (name, value) =>
        val column = r.output.find(a => conf.resolver(a.name, name)).get
        EqualNullSafe(
          UnresolvedAttribute.quoted(column.name),
          Cast(Literal(value), column.dataType, Some(conf.sessionLocalTimeZone))
        ): Expression
      }.reduce(And(_, _))
  }
}
