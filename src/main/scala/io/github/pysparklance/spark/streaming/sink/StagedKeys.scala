// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import scala.collection.mutable

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.Count
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  BoundReference,
  Cast,
  Expression,
  GreaterThan,
  Literal,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, Limit, LogicalPlan, Project}
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StringType, StructField}

import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.rows.MatchingRows
import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.table.LanceTable

/** The keys of the rows that a micro-batch wrote. */
sealed abstract private[sink] class StagedKeys {

  /** Returns the text of a key that several rows have. */
  def duplicate: Option[Seq[String]]

  /** Finds the rows of a version with these keys.
    *
    * @return staged address, address, and row id of each of them
    */
  def pairs(rows: MatchingRows): Array[Long]
}

private[sink] object StagedKeys {

  /** Keys of larger micro-batches stay on the executors. */
  private[sink] val maxLocalRows = 10000L

  /** Reads the keys of uncommitted fragments.
    *
    * @param staged the fragments as a table, see [[LanceTable.staged]]
    */
  def apply(location: TableLocation, staged: LanceTable, keys: Seq[StructField]): StagedKeys = {
    val plan = MatchingRows.addressed(location, staged, keys.map(_.name))
    val numRows = staged.fragments.iterator.flatMap(_.physicalRows).sum
    if (numRows <= maxLocalRows) new Local(keys, collected("keys of the micro-batch", plan))
    else new Distributed(plan)
  }

  private def collected(what: String, plan: LogicalPlan): IndexedSeq[InternalRow] = {
    val query = SessionShim.execution(SparkSession.active, plan)
    SQLExecution.withNewExecutionId(query, Some(what)) {
      query.executedPlan.executeCollect().toIndexedSeq
    }
  }

  private def texts(keys: Seq[Expression]): Seq[Expression] =
    keys.map(k => Cast(k, StringType, Some(SQLConf.get.sessionLocalTimeZone)))

  /** Keys on the driver, whose values become a filter of the scan. */
  final private class Local(keys: Seq[StructField], rows: IndexedSeq[InternalRow])
      extends StagedKeys {
    private val columns =
      keys.zipWithIndex.map { case (k, i) => BoundReference(i, k.dataType, nullable = true) }

    def duplicate: Option[Seq[String]] = {
      val projection = UnsafeProjection.create(columns)
      val seen = mutable.HashSet.empty[UnsafeRow]
      rows.find(row => !seen.add(projection(row).copy())).map { row =>
        texts(columns).map(e => String.valueOf(e.eval(row)))
      }
    }

    def pairs(table: MatchingRows): Array[Long] = table.pairs(keys, rows)
  }

  /** Keys that executors read from the files. */
  final private class Distributed(plan: LogicalPlan) extends StagedKeys {

    def duplicate: Option[Seq[String]] = {
      val columns = plan.output.init
      val count = Alias(Count(Literal(1)).toAggregateExpression(), "count")()
      val counted = Aggregate(columns, columns :+ count, plan)
      val several = Limit(Literal(1), Filter(GreaterThan(count.toAttribute, Literal(1L)), counted))
      val shown = texts(columns).zip(columns).map { case (t, c) => Alias(t, c.name)() }
      collected("keys of several rows", Project(shown, several)).headOption.map { row =>
        columns.indices.map(i => String.valueOf(row.getUTF8String(i)))
      }
    }

    def pairs(table: MatchingRows): Array[Long] = table.pairs(plan)
  }
}
