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

/** Finds rows of a version with a Spark job. Returns the offsets of live rows by fragment id.
  *
  * @param table the version
  */
final private[spark] class MatchingRows(location: TableLocation, table: LanceTable) {
  private val rows: LogicalPlan =
    DataSourceV2Relation.create(new VersionRows(location, table), None, None)

  /** Returns the rows for which a condition is true.
    *
    * @param condition condition on columns and metadata columns, by name
    */
  def where(condition: Expression): Map[Long, DeletionVector] = find(Filter(condition, rows))

  /** Returns the rows with one of the given values in some columns. Null equals null.
    *
    * @param columns names of the columns, and types of the values
    * @param keys values of these columns, in their order
    */
  def having(columns: Seq[StructField], keys: Seq[InternalRow]): Map[Long, DeletionVector] =
    if (keys.isEmpty) Map.empty else find(joined(columns, keys))

  /** Returns a plan of the rows with one of the keys, see [[having]]. A filter on each column
    * allows the scan to use indices and statistics.
    */
  private[rows] def joined(columns: Seq[StructField], keys: Seq[InternalRow]): LogicalPlan = {
    // Resolved by attribute, because a column of the table can have any name.
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
