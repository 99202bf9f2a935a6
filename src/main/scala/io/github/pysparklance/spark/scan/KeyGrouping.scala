// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.expressions.{
  Expression,
  Expressions,
  NullOrdering,
  SortDirection,
  SortOrder
}
import org.apache.spark.sql.connector.read.HasPartitionKey
import org.apache.spark.sql.connector.read.partitioning.{KeyGroupedPartitioning, Partitioning}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.{Field, LogicalType, Optional}
import io.github.pysparklance.index.ScalarIndices
import io.github.pysparklance.index.spi.{BytesKey, Key, NumberKey}
import io.github.pysparklance.table.scan.FragmentScan

/** Groups the tasks of a scan by columns of the clustering key. Each of these columns must have a
  * single value in each fragment, as its zone map proves. Spark then joins and aggregates by these
  * columns without a shuffle.
  *
  * {{{
  *   fragments   day 1 | day 1 | day 2 | day 3        one task may have several fragments, but one key
  *   tasks       day 1         | day 2 | day 3
  * }}}
  * If a zone has several values, the order of its rows is unknown, so no partitioning is reported.
  *
  * @param columns columns in the order of the key
  * @param keys values of the columns by fragment id
  */
final private[scan] class KeyGrouping private (columns: Seq[String], keys: Map[Long, InternalRow]) {

  /** Splits tasks so that each has rows of a single key. */
  def split(tasks: IndexedSeq[IndexedSeq[FragmentScan]]): IndexedSeq[IndexedSeq[FragmentScan]] =
    tasks.flatMap { task =>
      val present = task.map(s => keys(s.fragment.id)).distinct
      present.map(key => task.filter(s => keys(s.fragment.id) == key))
    }

  /** Returns the input partition of a task, with its key. */
  def partition(task: IndexedSeq[FragmentScan]): LanceInputPartition =
    new KeyedInputPartition(task, keys(task.head.fragment.id))

  private def references: Seq[Expression] = columns.map(c => Expressions.identity(quoted(c)))

  private def quoted(name: String): String = "`" + name.replace("`", "``") + "`"

  def partitioning(numTasks: Int): Partitioning =
    new KeyGroupedPartitioning(references.toArray, numTasks)

  /** Rows of a task have equal values in these columns, so they are ordered. */
  def ordering: Array[SortOrder] = columns.map { c =>
    Expressions.sort(
      Expressions.column(quoted(c)),
      SortDirection.ASCENDING,
      NullOrdering.NULLS_FIRST
    )
  }.toArray
}

/** Creates groupings. */
private[scan] object KeyGrouping {

  /** Returns `None` if no suitable column is read, or Spark would not use the grouping. Deleted
    * rows may have other values, because zones can omit them.
    *
    * @param tasks tasks of the scan
    */
  def of(
      plan: ScanPlan,
      tasks: => IndexedSeq[IndexedSeq[FragmentScan]]
  ): Option[KeyGrouping] = {
    val key =
      if (
        !SQLConf.get.v2BucketingEnabled || plan.read.options.includesDeleted ||
        plan.table.indices.forall(_.isSystem)
      ) IndexedSeq.empty
      else candidates(plan)
    if (key.isEmpty) None
    else {
      val indices = new ScalarIndices(plan.table)
      val ids = tasks.iterator.flatMap(_.iterator.map(_.fragment.id)).toSet
      val constant = key.map { case (field, t) => (field, t, indices.constants(field)) }
        .filter { case (_, _, values) => ids.forall(values.contains) }
      Optional.when(constant.nonEmpty && ids.nonEmpty) {
        val rows = ids.iterator.map { id =>
          val values = constant.map { case (_, t, found) => catalyst(found(id), t) }
          id -> (new GenericInternalRow(values.toArray[Any]): InternalRow)
        }
        new KeyGrouping(constant.map(_._1.name), rows.toMap)
      }
    }
  }

  /** Columns of the clustering key that are read, with their types. */
  private def candidates(plan: ScanPlan): IndexedSeq[(Field, DataType)] = {
    val read = plan.read.fields.iterator.map(_.id).toSet
    plan.table.schema.fields
      .filter(f => f.unenforcedClusteringKey.isDefined && read(f.id))
      .sortBy(f => (f.unenforcedClusteringKey, f.id))
      .flatMap(f => plan.schema.fields.find(_.name == f.name).map(s => f -> s.dataType))
      .filter { case (field, t) => isSupported(field.logicalType, t) }
  }

  /** Whether equal values of a type have a single representation. */
  private def isSupported(stored: LogicalType, shown: DataType): Boolean = (stored, shown) match {
    case (LogicalType.Bool, BooleanType) => true
    case (LogicalType.Integer(_, true), ByteType | ShortType | IntegerType | LongType) => true
    case (LogicalType.Date32, DateType) => true
    case (LogicalType.Timestamp(LogicalType.Microsecond, _), TimestampType | TimestampNTZType) =>
      true
    case (LogicalType.Utf8(_), StringType) => true
    case _ => false
  }

  private def catalyst(key: Key, t: DataType): Any = (key, t) match {
    case (NumberKey(value), BooleanType) => value != 0
    case (NumberKey(value), ByteType) => value.toByte
    case (NumberKey(value), ShortType) => value.toShort
    case (NumberKey(value), IntegerType | DateType) => value.toInt
    case (NumberKey(value), _) => value
    case (bytes: BytesKey, _) => UTF8String.fromBytes(bytes.bytes)
  }
}

/** The input partition of a task whose rows have a single key. */
final private[scan] class KeyedInputPartition(
    override val scans: IndexedSeq[FragmentScan],
    override val partitionKey: InternalRow
) extends LanceInputPartition
    with HasPartitionKey
