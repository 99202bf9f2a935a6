// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import scala.collection.mutable

import org.apache.spark.sql.catalyst.analysis.TableOutputResolver
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, ExprId}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, V2WriteCommand}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf.StoreAssignmentPolicy

import io.github.pysparklance.spark.catalog.LanceSparkTable

/** Compares the columns of a write with its table, instead of Spark's rule. Since 4.0, that rule
  * also fills missing columns with their defaults, and the rule for the option `mergeSchema` runs
  * before it. Up to 3.5, no extension rule can run before it. Tables of statements are therefore
  * loaded with the capability to accept any schema, which this rule removes.
  */
private[sql] object LateColumns extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    // A copied relation has new metadata columns, and the plan may reference the old ones.
    val metadata = mutable.Map.empty[ExprId, Attribute]
    val compared = plan.resolveOperators {
      case write: V2WriteCommand if awaits(write.table) && write.query.resolved =>
        write.table match {
          case r: DataSourceV2Relation => this.compared(write, r)
          case _ => write
        }
      // The target of a MERGE.
      case r: DataSourceV2Relation if awaits(r) =>
        val copy = decided(r, anySchema = false)
        r.metadataOutput.zip(copy.metadataOutput).foreach { case (old, a) => metadata(old.exprId) = a }
        copy
    }
    if (metadata.isEmpty) compared
    else
      compared.resolveExpressions {
        case a: AttributeReference if metadata.contains(a.exprId) =>
          metadata(a.exprId).withQualifier(a.qualifier)
      }
  }

  private def awaits(relation: LogicalPlan): Boolean = relation match {
    case DataSourceV2Relation(t: LanceSparkTable, _, _, _, _) => t.awaitsColumns
    case _ => false
  }

  private def compared(write: V2WriteCommand, relation: DataSourceV2Relation): LogicalPlan =
    if (write.isByName && MergingWrites.merges(write))
      write.withNewTable(decided(relation, anySchema = true))
    else {
      val table = decided(relation, anySchema = false)
      // Spark rejects the legacy policy.
      if (conf.storeAssignmentPolicy == StoreAssignmentPolicy.LEGACY) write.withNewTable(table)
      else
        write
          .withNewQuery(
            TableOutputResolver.resolveOutputColumns(
              table.name,
              table.output,
              write.query,
              write.isByName,
              conf,
              supportColDefaultValue = true
            )
          )
          .withNewTable(table)
    }

  private def decided(relation: DataSourceV2Relation, anySchema: Boolean): DataSourceV2Relation =
    relation.table match {
      case t: LanceSparkTable => relation.copy(table = t.decided(anySchema))
      case _ => relation
    }
}
