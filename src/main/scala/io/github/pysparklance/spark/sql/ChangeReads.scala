// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{AnalysisException, SparkSession}

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.{ChangeFeedOptions, LanceErrors, LanceOptions}

/** Replaces tables by name that are read with the option `readChangeFeed` by their changes. Before
  * Spark 4.3, Spark looks tables up without the options of a read.
  */
final private[spark] class ChangeReads(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case u: UnresolvedRelation if !u.isStreaming && asksForChanges(u.options) =>
      loaded(u).fold[LogicalPlan](u) { t =>
        SubqueryAlias(
          t.catalog.name() +: t.ident.namespace().toSeq :+ t.ident.name(),
          changes(t.spark, u.options)
        )
      }
    // Frames before Spark 4.0: rules see them after the table was found.
    case r: DataSourceV2Relation if asksForChanges(r.options) =>
      r.table match {
        case t: LanceSparkTable => changes(t, r.options)
        case _ => r
      }
  }

  private def asksForChanges(options: CaseInsensitiveStringMap): Boolean =
    !options.isEmpty && LanceErrors.translated(ChangeFeedOptions.asked(LanceOptions(options)))

  private def changes(table: LanceSparkTable, options: CaseInsensitiveStringMap): LogicalPlan =
    LanceErrors.translated(
      DataSourceV2Relation.create(table.withOptions(options), None, None, options)
    )

  /** Loads a Lance table. Returns `None` for other names, which Spark reports. */
  private def loaded(target: UnresolvedRelation): Option[LoadedTable] =
    try Some(TableTarget(target.multipartIdentifier).load(session, "readChangeFeed"))
    catch { case _: AnalysisException => None }
}
