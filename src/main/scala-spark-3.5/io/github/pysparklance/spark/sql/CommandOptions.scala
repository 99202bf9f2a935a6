// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.{
  DeleteFromTable,
  LogicalPlan,
  MergeIntoTable,
  SubqueryAlias,
  UpdateTable
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Looks up the targets of DELETE, UPDATE, and MERGE that have options, which [[TargetHints]] reads: Spark drops them. */
final private[sql] class CommandOptions(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = TargetHints(plan).resolveOperators {
    case m: MergeIntoTable if hasOptions(m.targetTable) =>
      val found = m.copy(targetTable = optioned(m.targetTable))
      found.copyTagsFrom(m)
      found
    case d: DeleteFromTable if hasOptions(d.table) => d.copy(table = optioned(d.table))
    case u: UpdateTable if hasOptions(u.table) => u.copy(table = optioned(u.table))
  }

  private def hasOptions(target: LogicalPlan): Boolean = target match {
    case a: SubqueryAlias => hasOptions(a.child)
    case r: UnresolvedRelation => !r.clearWritePrivileges.options.isEmpty
    case _ => false
  }

  private def optioned(target: LogicalPlan): LogicalPlan = target match {
    case a: SubqueryAlias => a.copy(child = optioned(a.child))
    case r: UnresolvedRelation =>
      val t = TableTarget(r.multipartIdentifier).load(session, "MERGE")
      val found = DataSourceV2Relation.create(t.spark, Some(t.catalog), Some(t.ident))
      SubqueryAlias(
        t.catalog.name() +: t.ident.namespace().toSeq :+ t.ident.name(),
        TargetOptions.set(found, r.clearWritePrivileges.options)
      )
    case other => other
  }
}
