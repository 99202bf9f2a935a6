// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.evolution

import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, WriteDelta}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.rowlevel.LanceRowLevelOperation
import io.github.pysparklance.spark.shim.{DriverCommand, Frames, InsertOnlyWrite}
import io.github.pysparklance.spark.write.ColumnEvolution

/** Finds the write plan of a MERGE that changes columns: a delta of rows, or an append if it only
  * inserts rows.
  */
private[spark] object EvolvingWrites extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case delta: WriteDelta if delta.resolved =>
      delta.operation match {
        case o: LanceRowLevelOperation => guarded(delta, o.evolution)
        case _ => delta
      }
    case InsertOnlyWrite(append) if append.resolved =>
      append.table match {
        case relation: DataSourceV2Relation =>
          relation.table match {
            case t: LanceSparkTable => guarded(append, t.evolution)
            case _ => append
          }
        case _ => append
      }
  }

  private def guarded(write: LogicalPlan, evolution: Option[ColumnEvolution]): LogicalPlan =
    evolution
      .filterNot(e => e.isEmpty || e.isRunning)
      .fold(write)(EvolvingWrite(write, _))
}

/** Runs a MERGE that changes columns.
  *
  * @param write plan on the table with the changed columns
  */
final private[evolution] case class EvolvingWrite(write: LogicalPlan, evolution: ColumnEvolution)
    extends DriverCommand(new StructType()) {

  override def innerChildren: Seq[QueryPlan[_]] = Seq(write)

  override def simpleString(maxFields: Int): String =
    s"EvolvingWrite ${evolution.base.path}, columns and rows in one version"

  override def execute(session: SparkSession): Seq[Row] = {
    evolution.during(session)(Frames.of(session, write)): Unit
    Nil
  }
}
