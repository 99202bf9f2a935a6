// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rows

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{
  And,
  EqualNullSafe,
  Expression
}
import org.apache.spark.sql.catalyst.plans.LeftSemi
import org.apache.spark.sql.catalyst.plans.logical.{
  BROADCAST,
  Filter,
  HintInfo,
  Join,
  JoinHint,
  LocalRelation,
  LogicalPlan,
  Project
}
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{StructField, StructType}

import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.spark.types.SparkTypes
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.scan.MetadataColumn

/** Finds rows of one version by a Spark job: offsets by fragment id, of rows that are not deleted.
  *
  * @param table the version
  */
final private[spark] class MatchingRows(location: TableLocation, table: LanceTable) {
  private val rows: LogicalPlan =
    DataSourceV2Relation.create(new VersionRows(location, table), None, None)

  /** The rows for which a condition is true.
    *
    * @param condition on the columns of the table by name, and its metadata columns
    */
  def where(condition: Expression): Map[Long, DeletionVector] = find(Filter(condition, rows))

  /** The rows that have one of these values in some columns; null is equal to null.
    *
    * @param columns by name, with the types of the values
    * @param keys values of these columns, in their order
    */
  def having(columns: Seq[StructField], keys: Seq[InternalRow]): Map[Long, DeletionVector] =
    if (keys.isEmpty) Map.empty else find(joined(columns, keys))

  /** The rows of the table that have one of the keys, see [[having]]. The filter on each column lets the scan use indices
    * and statistics.
    */
  private[rows] def joined(columns: Seq[StructField], keys: Seq[InternalRow]): LogicalPlan = {
    // By attribute, not by name: a column of the table may be called anything.
    val wanted = SparkTypes.attributes(StructType(columns))
    val stored = wanted.map(w => rows.output.find(_.name == w.name).get)
    val equal =
      stored.zip(wanted).map { case (s, w) => EqualNullSafe(s, w): Expression }.reduce(And(_, _))
    val candidates = columns.indices
      .flatMap(i =>
        KeyValues.condition(stored(i), columns(i), keys.map(_.get(i, columns(i).dataType)))
      )
      .reduceOption[Expression](And(_, _))
      .fold(rows)(Filter(_, rows))
    val hint = JoinHint(None, Some(HintInfo(strategy = Some(BROADCAST))))
    Join(candidates, LocalRelation(wanted, keys), LeftSemi, Some(equal), hint)
  }

  private def find(plan: LogicalPlan): Map[Long, DeletionVector] = {
    val address = UnresolvedAttribute(Seq(MetadataColumn.RowAddr.name))
    val query = SessionShim.execution(SparkSession.active, Project(Seq(address), plan))
    val parts = SQLExecution.withNewExecutionId(query, Some("rows to be replaced")) {
      query.toRdd.mapPartitions(MatchingRows.gather).collect()
    }
    TouchedRows.union(parts)
  }
}

private object MatchingRows {
  private def gather(addresses: Iterator[InternalRow]): Iterator[Map[Long, Array[Byte]]] = {
    val touched = new TouchedRows
    addresses.foreach(row => touched.add(row.getLong(0)))
    Iterator.single(touched.toBytes)
  }
}
