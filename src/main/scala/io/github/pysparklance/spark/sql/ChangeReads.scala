// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{AnalysisException, SparkSession}

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.{
  ChangeFeedOptions,
  LanceErrors,
  LanceOptions,
  OptionRegistry
}
import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.spark.types.SparkTypes

/** Replaces tables by name that are read with the option `readChangeFeed` by their changes. Before
  * Spark 4.3, Spark looks tables up without the options of a read.
  */
final private[spark] class ChangeReads(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    // Streams before Spark 4.0. Columns of larger plans are resolved already.
    case r: StreamingRelationV2 => streamed(r)
    case a @ SubqueryAlias(_, r: StreamingRelationV2) => a.withNewChildren(Seq(streamed(r)))
    case _ => replaced(plan)
  }

  private def replaced(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case u: UnresolvedRelation if u.isStreaming && asksForChanges(u.options) => stream(u)
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
    !options.isEmpty && LanceErrors.translated(ChangeFeedOptions.requested(LanceOptions(options)))

  private def changes(table: LanceSparkTable, options: CaseInsensitiveStringMap): LogicalPlan =
    LanceErrors.translated(
      DataSourceV2Relation.create(
        table.forRead(options).withChanges(options),
        None,
        None,
        options
      )
    )

  private def streamed(relation: StreamingRelationV2): LogicalPlan = relation.table match {
    case t: LanceSparkTable if asksForChanges(relation.extraOptions) =>
      streamed(relation, t, relation.extraOptions)
    case _ => relation
  }

  private def streamed(
      relation: StreamingRelationV2,
      table: LanceSparkTable,
      options: CaseInsensitiveStringMap
  ): LogicalPlan = LanceErrors.translated {
    val changes = table.forRead(options).changeStream
    relation.copy(
      table = changes,
      extraOptions = options,
      output = SparkTypes.attributes(changes.schema())
    )
  }

  /** Lets Spark find the table without the option, because its constructor of streams differs
    * between versions.
    */
  private def stream(u: UnresolvedRelation): LogicalPlan = {
    val others = u.options.asCaseSensitiveMap().asScala.filterNot { case (name, _) =>
      OptionRegistry.find(name).exists(_.name == ChangeFeedOptions.ReadChangeFeed)
    }
    val plain = u.copy(options = new CaseInsensitiveStringMap(others.toMap.asJava))
    val found =
      try SessionShim.analyzed(session, plain)
      catch { case _: AnalysisException => u }
    found.transform {
      case r: StreamingRelationV2 =>
        r.table match {
          case t: LanceSparkTable => streamed(r, t, u.options)
          case _ => u
        }
    }
  }

  /** Loads a Lance table. Returns `None` for other names, which Spark reports. */
  private def loaded(target: UnresolvedRelation): Option[LoadedTable] =
    try Some(TableTarget(target.multipartIdentifier).load(session, "readChangeFeed"))
    catch { case _: AnalysisException => None }
}
