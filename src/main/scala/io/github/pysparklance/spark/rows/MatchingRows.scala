// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rows

import scala.collection.mutable

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  EqualNullSafe,
  Expression
}
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
import org.apache.spark.sql.catalyst.plans.{Inner, LeftSemi}
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{LongType, StructField, StructType}

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

  /** Returns the rows with one of the given keys, and which key each of them has. Null equals null.
    *
    * @param columns names of the key columns, and types of the values
    * @param keys values of these columns, in their order, then a number of the key (`LONG`)
    * @return number of the key, address, and row id, three numbers for each row
    */
  def pairs(columns: Seq[StructField], keys: Seq[InternalRow]): Array[Long] =
    if (keys.isEmpty) Array.empty
    else {
      val number = StructField(MatchingRows.keyNumber, LongType, nullable = false)
      val source = LocalRelation(SparkTypes.attributes(StructType(columns :+ number)), keys)
      val hint = JoinHint(None, Some(HintInfo(strategy = Some(BROADCAST))))
      paired(source, candidates(columns, stored(columns), keys), hint)
    }

  /** Returns the rows with one of the keys in a plan, see the other method.
    *
    * @param keys analyzed plan of the key columns and a number
    */
  def pairs(keys: LogicalPlan): Array[Long] =
    paired(keys, rows, JoinHint.NONE)

  private def paired(keys: LogicalPlan, candidates: LogicalPlan, hint: JoinHint): Array[Long] = {
    val wanted = keys.output.init
    val places = Seq(MetadataColumn.RowAddr, MetadataColumn.RowId).map(c =>
      UnresolvedAttribute(Seq(c.name))
    )
    // Analyzed before the join, in which both sides may have these metadata columns.
    val found = SessionShim.analyzed(
      SparkSession.active,
      Project(stored(wanted.map(a => StructField(a.name, a.dataType))) ++ places, candidates)
    )
    val equal = found.output
      .zip(wanted)
      .map { case (s, w) => EqualNullSafe(s, w): Expression }
      .reduce(And(_, _))
    val join = Join(found, keys, Inner, Some(equal), hint)
    val query = SessionShim.execution(
      SparkSession.active,
      Project(keys.output.last +: found.output.takeRight(places.length), join)
    )
    SQLExecution.withNewExecutionId(query, Some("rows to be updated")) {
      query.toRdd.mapPartitions(MatchingRows.numbers(places.length + 1)).collect().flatten
    }
  }

  private def stored(columns: Seq[StructField]): Seq[Attribute] =
    columns.map(c => rows.output.find(_.name == c.name).get)

  /** Returns a plan of the rows that may have one of the keys. A filter on each column allows the
    * scan to use indices and statistics.
    */
  private def candidates(
      columns: Seq[StructField],
      stored: Seq[Attribute],
      keys: Seq[InternalRow]
  ): LogicalPlan =
    columns.indices
      .flatMap(i =>
        KeyValues.condition(stored(i), columns(i), keys.map(_.get(i, columns(i).dataType)))
      )
      .reduceOption[Expression](And(_, _))
      .fold(rows)(Filter(_, rows))

  /** Returns a plan of the rows with one of the keys, see [[having]]. */
  private[rows] def joined(columns: Seq[StructField], keys: Seq[InternalRow]): LogicalPlan = {
    // Resolved by attribute, because a column of the table can have any name.
    val wanted = SparkTypes.attributes(StructType(columns))
    val found = stored(columns)
    val equal =
      found.zip(wanted).map { case (s, w) => EqualNullSafe(s, w): Expression }.reduce(And(_, _))
    val hint = JoinHint(None, Some(HintInfo(strategy = Some(BROADCAST))))
    val local = LocalRelation(wanted, keys)
    Join(candidates(columns, found, keys), local, LeftSemi, Some(equal), hint)
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

private[spark] object MatchingRows {

  /** Name of the number of a key in plans. */
  private val keyNumber = "__key"

  /** Returns the rows of a version as a plan with the given columns and the address of each row.
    *
    * @param columns names of columns
    */
  def addressed(location: TableLocation, table: LanceTable, columns: Seq[String]): LogicalPlan = {
    val rows = DataSourceV2Relation.create(new VersionRows(location, table), None, None)
    val found = columns.map(c => rows.output.find(_.name == c).get)
    val address = UnresolvedAttribute(Seq(MetadataColumn.RowAddr.name))
    SessionShim.analyzed(SparkSession.active, Project(found :+ address, rows))
  }

  private def numbers(width: Int)(rows: Iterator[InternalRow]): Iterator[Array[Long]] = {
    val all = new mutable.ArrayBuilder.ofLong
    rows.foreach(row => (0 until width).foreach(i => all += row.getLong(i)))
    Iterator.single(all.result())
  }

  private def gather(addresses: Iterator[InternalRow]): Iterator[Map[Long, Array[Byte]]] = {
    val touched = new TouchedRows
    addresses.foreach(row => touched.add(row.getLong(0)))
    Iterator.single(touched.toBytes)
  }
}
