// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Expression,
  GenericInternalRow,
  InterpretedUnsafeProjection,
  JoinedRow,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.scan.task.ReadTask
import io.github.pysparklance.spark.scan.{LanceInputPartition, LanceReaderFactory}
import io.github.pysparklance.spark.types.MetadataFields
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.scan.{FragmentScan, MetadataColumn}

/** A row that a search found.
  *
  * @param rowId stable row id if the table has them, otherwise the address
  * @param measures distances and scores, in the order of [[AddedColumns]]; NaN for null
  * @param queryIndex number of the query
  * @param element position of a list element; -1 if the whole row was found
  */
final private[scan] class RankedRow(
    val rowId: Long,
    val address: Long,
    val measures: Array[Float],
    val queryIndex: Int = 0,
    val element: Int = -1
) extends Serializable {

  /** Returns the row with other measures. */
  def measured(values: Float*): RankedRow =
    new RankedRow(rowId, address, values.toArray, queryIndex)
}

/** Found rows that a task reads.
  *
  * @param scans scans of these rows
  * @param rows rows in the order of the result. A row may be found by several queries, or with
  *   several list elements
  */
final private[search] class RankedInputPartition(
    val scans: IndexedSeq[FragmentScan],
    val rows: Array[RankedRow]
) extends InputPartition

/** Creates the readers of found rows. Sent to the executors.
  *
  * @param taken columns to read, with the address
  * @param columns columns of the result
  */
final private[search] class RankedReaderFactory(
    read: ReadTask,
    store: FileStore,
    path: String,
    taken: StructType,
    columns: StructType,
    added: AddedColumns
) extends PartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    partition match {
      case p: RankedInputPartition =>
        val rows = new LanceReaderFactory(read, store, path)
          .createReader(LanceInputPartition(p.scans))
        new RankedReader(rows, p.rows, taken, columns, added, path)
      case other => throw new IllegalArgumentException(s"a partition of ${other.getClass.getName}")
    }
}

/** Puts the rows of a task into the order of the result, and adds their distances and scores. */
final private[scan] class RankedReader(
    rows: PartitionReader[InternalRow],
    ranked: Array[RankedRow],
    taken: StructType,
    columns: StructType,
    added: AddedColumns,
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
    val numMeasures = added.measures.length
    val values = new GenericInternalRow(added.computed.length)
    val joined = new JoinedRow
    val out = new Array[InternalRow](ranked.length)
    while (rows.next()) {
      val row = rows.get()
      wanted.getOrElse(row.getLong(addressAt), Nil).foreach { i =>
        (0 until numMeasures).foreach { m =>
          val measure = ranked(i).measures(m)
          values.update(m, if (measure.isNaN) null else measure)
        }
        if (added.isBatch) values.update(numMeasures, ranked(i).queryIndex)
        if (added.withElement)
          values.update(values.numFields - 1, new GenericArrayData(Array(ranked(i).element.toLong)))
        out(i) = projection(joined(row, values)).copy()
      }
    }
    CorruptFileException.check(!out.contains(null), "a row that a search found does not exist")
    out
  }

  /** Generating code takes longer than the interpretation of a few rows. */
  private lazy val projection: UnsafeProjection = {
    val expressions: Seq[Expression] = columns.map { column =>
      val at = added.computed.indexOf(column.name) match {
        case -1 => taken.fieldIndex(column.name)
        case i => taken.length + i
      }
      BoundReference(at, column.dataType, column.nullable)
    }
    if (ranked.length <= RankedReader.interpretedRows)
      InterpretedUnsafeProjection.createProjection(expressions)
    else UnsafeProjection.create(expressions)
  }

  override def get(): InternalRow = result(position)

  override def currentMetricsValues(): Array[CustomTaskMetric] = rows.currentMetricsValues()

  override def close(): Unit = rows.close()
}

private[scan] object RankedReader {

  /** Maximum number of rows that are converted without generated code. */
  private val interpretedRows = 64

  /** The columns of a result that are read from the table, and the address of the row. */
  def columnsToTake(columns: StructType, added: AddedColumns): StructType = {
    val address = MetadataFields.structField(MetadataColumn.RowAddr)
    val read = columns.filterNot(c => added.computed.contains(c.name) || c.name == address.name)
    StructType(read :+ address)
  }
}
