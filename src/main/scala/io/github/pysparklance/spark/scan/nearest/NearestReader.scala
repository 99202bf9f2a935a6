// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  GenericInternalRow,
  JoinedRow,
  UnsafeProjection
}
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.scan.{LanceInputPartition, LanceReaderFactory}
import io.github.pysparklance.spark.scan.task.ReadTask
import io.github.pysparklance.spark.types.MetadataFields
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.scan.{FragmentScan, MetadataColumn}

/** Rows that a search found, to be read by one task.
  *
  * @param scans of these rows
  * @param rows in the order of the result; one row may be near to several queries
  */
final private[nearest] class NearestInputPartition(
    val scans: IndexedSeq[FragmentScan],
    val rows: Array[RankedRow]
) extends InputPartition

/** Goes to the executors.
  *
  * @param taken the columns that are read, with the address
  * @param columns of the result
  */
final private[nearest] class NearestReaderFactory(
    read: ReadTask,
    store: FileStore,
    path: String,
    taken: StructType,
    columns: StructType
) extends PartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    partition match {
      case p: NearestInputPartition =>
        val rows = new LanceReaderFactory(read, store, path)
          .createReader(LanceInputPartition(p.scans))
        new NearestReader(rows, p.rows, taken, columns, path)
      case other => throw new IllegalArgumentException(s"a partition of ${other.getClass.getName}")
    }
}

/** Puts the rows of a task into the order of the result, and their distances behind them. */
final private[nearest] class NearestReader(
    rows: PartitionReader[InternalRow],
    ranked: Array[RankedRow],
    taken: StructType,
    columns: StructType,
    path: String
) extends PartitionReader[InternalRow] {
  private var result: Array[InternalRow] = null
  private var position = -1

  override def next(): Boolean = {
    if (result == null) result = LanceErrors.inTask(path)(load())
    position += 1
    position < result.length
  }

  private def load(): Array[InternalRow] = {
    val wanted = mutable.LongMap.empty[List[Int]]
    ranked.indices.reverse.foreach { i =>
      val address = ranked(i).address
      wanted(address) = i :: wanted.getOrElse(address, Nil)
    }
    val addressAt = taken.fieldIndex(MetadataColumn.RowAddr.name)
    val added = new GenericInternalRow(2)
    val joined = new JoinedRow
    val out = new Array[InternalRow](ranked.length)
    while (rows.next()) {
      val row = rows.get()
      wanted.getOrElse(row.getLong(addressAt), Nil).foreach { i =>
        added.update(0, ranked(i).distance)
        added.update(1, ranked(i).queryIndex)
        out(i) = projection(joined(row, added)).copy()
      }
    }
    CorruptFileException.check(!out.contains(null), "a row that a search found does not exist")
    out
  }

  private lazy val projection = UnsafeProjection.create(columns.map { column =>
    val at = column.name match {
      case NearestTable.distance.name => taken.length
      case NearestTable.queryIndex.name if !taken.fieldNames.contains(column.name) =>
        taken.length + 1
      case name => taken.fieldIndex(name)
    }
    BoundReference(at, column.dataType, column.nullable)
  })

  override def get(): InternalRow = result(position)

  override def currentMetricsValues(): Array[CustomTaskMetric] = rows.currentMetricsValues()

  override def close(): Unit = rows.close()
}

private[nearest] object NearestReader {

  /** The columns of a result that are read from the table, and the address of the row.
    *
    * @param isBatch whether the result has the number of the query
    */
  def columnsToTake(columns: StructType, isBatch: Boolean): StructType = {
    val index = if (isBatch) Some(NearestTable.queryIndex.name) else None
    val added = Set(NearestTable.distance.name) ++ index
    val address = MetadataFields.structField(MetadataColumn.RowAddr)
    val read = columns.filterNot(c => added(c.name) || c.name == address.name)
    StructType(read :+ address)
  }
}
