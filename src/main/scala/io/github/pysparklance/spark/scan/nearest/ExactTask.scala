// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, DataType}

import io.github.pysparklance.core.{ByteValues, Half, IntValues, LongValues, Place, Values}
import io.github.pysparklance.index.vector.VectorColumn
import io.github.pysparklance.index.vector.distance.{ElementType, Metric, QueryDistance}
import io.github.pysparklance.spark.functions.Elements
import io.github.pysparklance.spark.scan.task.{InputBytes, ReadTask, ScanCounters, TaskRows}
import io.github.pysparklance.spark.vectors.BatchVectors
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.storage.{MeteredStore, ReadMeter}
import io.github.pysparklance.table.scan.FragmentScan

/** Compares the vectors of the rows of a task with all queries. It is sent to the executors.
  *
  * @param metric metric of the distances
  */
final private[nearest] class ExactTask(field: VectorColumn, metric: Metric, query: NearestQuery)
    extends Serializable {

  /** Returns the nearest rows to each query among the rows of some fragments.
    *
    * @param read reads the vector column and the identity of rows
    * @param path path of the table, for errors
    */
  def apply(
      read: ReadTask,
      unmetered: FileStore,
      scans: IndexedSeq[FragmentScan],
      path: String
  ): Array[Neighbors] = Place.in(Place(path = Some(path))) {
    val meter = new ReadMeter
    val store = new MeteredStore(unmetered, meter)
    val input = new InputBytes(meter)
    val collectors =
      this.collectors(field.elementType, rounds = !ExactTask.ranksAsSpark(query.undefined))
    val identities = new BatchVectors(IndexedSeq.empty, read.computed, read.options.types)
    val rows = new TaskRows(read, store, scans, new ScanCounters(meter))
    try
      while (input.reading(rows.next())) {
        val batch = rows.batch
        val ids = identities(batch.columns.tail)
        val vectors = RowVectors(batch.columns.head, field)
        // A block stays in the processor cache while all queries are compared with it.
        RowVectors.blocks(batch.live, batch.numLive, field).foreach { block =>
          collectors.foreach(_.add(vectors, block, ids.head, ids.last))
        }
      }
    finally rows.close()
    collectors.map(_.result())
  }

  /** Returns the nearest rows to each query among Spark rows.
    *
    * @param rows rows with the columns address, id, and vector
    * @param vectorType type of the vector
    */
  def apply(rows: Iterator[InternalRow], vectorType: DataType): Array[Neighbors] = {
    val element = field.elementType match {
      case ElementType.Float16 | ElementType.BFloat16 => ElementType.Float32 // as Spark has them
      case other => other
    }
    val collectors = this.collectors(element, rounds = false)
    val one = ExactTask.empty(element)
    rows.foreach { row =>
      if (!row.isNullAt(2)) {
        val found = vectors(row.getArray(2), vectorType, element, one)
        if (found.numItems > 0)
          collectors.foreach(_.add(found, row.getLong(1), row.getLong(0)))
      }
    }
    collectors.map(_.result())
  }

  /** Returns the elements of the vectors of a row, without vectors that contain a null. */
  private def vectors(
      array: ArrayData,
      vectorType: DataType,
      element: ElementType,
      one: Values
  ): Values = vectorType match {
    case ArrayType(inner: ArrayType, _) =>
      val all = ExactTask.empty(element)
      (0 until array.numElements()).filterNot(array.isNullAt).foreach { i =>
        val vector = vectors(array.getArray(i), inner, element, one)
        all.appendFrom(vector, 0, vector.numItems)
      }
      all
    case ArrayType(item, _) =>
      if (Elements.hasNull(array)) one.clear()
      else
        one match {
          case bytes: ByteValues => Elements.bytes(array, item, bytes)
          case _ => Elements.stored(array, item, element, one)
        }
      one
    case other => throw new IllegalArgumentException(s"vectors of type ${other.sql}")
  }

  private def collectors(element: ElementType, rounds: Boolean): Array[NearestCollector] =
    query.vectors.queries.map { vectors =>
      val distances = vectors.map { q =>
        QueryDistance(metric, element, if (rounds) q else q.map(roundedToField))
      }
      new NearestCollector(distances, field.dimension, query)
    }.toArray

  private def roundedToField(v: Double): Double = field.elementType match {
    case ElementType.Float16 => Half.toFloat(Half.fromFloat(v.toFloat)).toDouble
    case ElementType.BFloat16 => Half.ofBFloat16(Half.toBFloat16(v.toFloat)).toDouble
    case _ => v
  }
}

private[nearest] object ExactTask {

  /** Whether rows are ranked by the distances that functions in SQL return. */
  private def ranksAsSpark(undefined: UndefinedDistance): Boolean = undefined match {
    case UndefinedDistance.Rejected | UndefinedDistance.Ignored => false
    case _ => true
  }

  private def empty(element: ElementType): Values = element match {
    case ElementType.Float64 => new LongValues
    case ElementType.Float32 => new IntValues
    case _ => new ByteValues
  }
}
