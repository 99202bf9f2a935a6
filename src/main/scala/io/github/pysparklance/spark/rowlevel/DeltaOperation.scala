// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeRows, WriteDelta}
import org.apache.spark.sql.catalyst.util._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.shim.{LatestSources, RowLevelTables}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.MetadataColumn
import io.github.pysparklance.table.transaction.Retry

/** Functions on row-level commands and their operation, which the write and the scan share. */
private[spark] object DeltaOperation {

  /** Extracts the operation if the command is on a Lance table. */
  def unapply(delta: WriteDelta): Option[LanceRowLevelOperation] = delta.operation match {
    case ours: LanceRowLevelOperation => Some(ours)
    case _ => None
  }

  /** Returns the analyzed command with another operation. */
  def replaced(delta: WriteDelta, by: LanceRowLevelOperation): WriteDelta = {
    val before = delta.operation
    val relation: PartialFunction[LogicalPlan, LogicalPlan] = {
      case r: DataSourceV2Relation if RowLevelTables.isTarget(r.table, before) =>
        r.copy(table = RowLevelTables.withOperation(r.table, by))
    }
    val target = relation.applyOrElse(delta.table, identity[LogicalPlan]) match {
      case r: NamedRelation => r
      case _ => delta.table
    }
    val moved = delta.copy(table = target, query = delta.query.transformWithSubqueries(relation))
    RowLevelTables.markAnalyzed(moved)
    moved
  }

  /** Returns the analyzed command on the latest version of the table. Its sources are loaded after
    * the table: values that are older than the table would overwrite a concurrent commit.
    *
    * @return `None` if the command must be analyzed again, see [[LanceRowLevelOperation.onLatest]]
    *   and [[LatestSources]]
    */
  def onLatest(delta: WriteDelta): Option[WriteDelta] =
    for {
      latest <- unapply(delta).flatMap(_.onLatest)
      query <- LatestSources(delta.query)
    } yield {
      val moved = replaced(delta.copy(query = query), latest)
      // Spark runs a DELETE by metadata on the table instead of the operation.
      val both = moved.copy(originalTable = atVersion(moved.originalTable, latest.target._2))
      RowLevelTables.markAnalyzed(both)
      both
    }

  private def atVersion(relation: NamedRelation, version: LanceTable): NamedRelation =
    relation match {
      case r: DataSourceV2Relation =>
        RowLevelTarget.of(r).fold(r)(target => r.copy(table = target.atVersion(version)))
      case other => other
    }

  /** Returns the number of retries of a command, see [[namesPlaces]]. */
  def retry(delta: WriteDelta): Retry = unapply(delta) match {
    case Some(operation) if !namesPlaces(delta) =>
      operation.retry(delta.table match {
        case r: DataSourceV2Relation => r.options
        case _ => CaseInsensitiveStringMap.empty()
      })
    case _ => Retry.never
  }

  /** Whether the condition of a command refers to the location of rows. A later version may have
    * other rows at this location, so a retry could change the wrong rows.
    */
  def namesPlaces(delta: WriteDelta): Boolean = {
    val hasStableIds = unapply(delta).exists(_.target._2.hasStableRowIds)
    val places = if (hasStableIds) movingPlaces else movingPlaces :+ MetadataColumn.RowId
    val conditions = delta.condition +: delta.query.collect { case m: MergeRows =>
      m.expressions.collect { case i: MergeRows.Instruction => i.condition }
    }.flatten
    conditions.exists(_.exists {
      case a: AttributeReference =>
        a.isMetadataCol && places.exists(p => SQLConf.get.resolver(p.name, a.name))
      case _ => false
    })
  }

  private val movingPlaces: Seq[MetadataColumn] = {
    import MetadataColumn._
    Seq(RowAddr, RowOffset, FragId, File)
  }
}
