// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.{NamedRelation, UnresolvedRelation}
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  InsertIntoStatement,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  V2WriteCommand
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{AnalysisException, SparkSession}

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.{LanceOptions, OptionUse}

/** Allows a write by name with the option `mergeSchema` to have additional columns. Catalogs load
  * tables without the options of the write, so this rule must run before Spark compares columns.
  */
final private[spark] class MergingWrites(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case write: V2WriteCommand if write.isByName && MergingWrites.merges(write) =>
      accepting(write.table).fold[LogicalPlan](write)(write.withNewTable)
    case insert: InsertIntoStatement if insert.byName =>
      insert.table match {
        case table: UnresolvedRelation
            if MergingWrites.merges(table.options.asCaseSensitiveMap().asScala.toMap) =>
          accepting(table).fold[LogicalPlan](insert)(t => insert.copy(table = t))
        case _ => insert
      }
  }

  private def accepting(table: NamedRelation): Option[DataSourceV2Relation] = table match {
    case relation: DataSourceV2Relation =>
      Some(relation.table).collect { case t: LanceSparkTable =>
        relation.copy(table = t.acceptingAnySchema)
      }
    case name: UnresolvedRelation =>
      found(name.multipartIdentifier).map { t =>
        DataSourceV2Relation.create(
          t.spark.acceptingAnySchema,
          Some(t.catalog),
          Some(t.ident),
          name.clearWritePrivileges.options
        )
      }
    case _ => None
  }

  /** Returns the table if it is a Lance table. Spark reports errors in other names. */
  private def found(name: Seq[String]): Option[LoadedTable] =
    try Some(TableTarget(name).load(session, "INSERT"))
    catch { case _: AnalysisException => None }
}

/** Reads the option `mergeSchema`. */
private[sql] object MergingWrites {

  /** Whether a write may have additional columns. */
  def merges(write: V2WriteCommand): Boolean = merges(optionsOf(write))

  private def optionsOf(write: V2WriteCommand): Map[String, String] = write match {
    case w: AppendData => w.writeOptions
    case w: OverwriteByExpression => w.writeOptions
    case w: OverwritePartitionsDynamic => w.writeOptions
    case _ => Map.empty
  }

  /** Whether options enable `mergeSchema`. */
  private def merges(options: Map[String, String]): Boolean = {
    val set = new CaseInsensitiveStringMap(options.asJava)
    // Writes to other tables reach this code, so the write itself reports invalid values.
    LanceOptions(OptionUse.Write, set, Map.empty, Map.empty)
      .text("mergeSchema")
      .exists(_.trim.equalsIgnoreCase("true"))
  }
}
