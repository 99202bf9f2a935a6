// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

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
import org.apache.spark.sql.{AnalysisException, SparkSession}

import io.github.pysparklance.spark.common.LanceErrors

/** Loads the targets of DELETE, UPDATE, and MERGE with the options that [[TargetHints]] parses.
  * Spark passes these options to the write at most. The row-level operation needs them to find the
  * branch, and so does a DELETE by metadata.
  */
final private[spark] class CommandOptions(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = TargetHints(plan).resolveOperators {
    case m: MergeIntoTable =>
      val found = m.copy(targetTable = optioned(m.targetTable))
      found.copyTagsFrom(m)
      found
    case d: DeleteFromTable => d.copy(table = optioned(d.table))
    case u: UpdateTable => u.copy(table = optioned(u.table))
  }

  private def optioned(target: LogicalPlan): LogicalPlan = target match {
    case a: SubqueryAlias => a.copy(child = optioned(a.child))
    case r: UnresolvedRelation if !r.clearWritePrivileges.options.isEmpty =>
      loaded(r).fold[LogicalPlan](r) { t =>
        val options = r.clearWritePrivileges.options
        val table = LanceErrors.translated(t.spark.requested(options))
        val found = DataSourceV2Relation.create(table, Some(t.catalog), Some(t.ident))
        SubqueryAlias(
          t.catalog.name() +: t.ident.namespace().toSeq :+ t.ident.name(),
          TargetOptions.set(found, options)
        )
      }
    case other => other
  }

  /** Returns the table if it is a Lance table. Spark reports errors in other names. */
  private def loaded(target: UnresolvedRelation): Option[LoadedTable] =
    try Some(TableTarget(target.multipartIdentifier).load(session, "MERGE"))
    catch { case _: AnalysisException => None }
}
