// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.util

import org.apache.spark.sql.api.java.UDF1
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.functions.{struct, udf}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Column, DataFrame, Row}

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.shim.SparkShim

/** Computes Z-order values: rows with close values have similar values in all of the columns. The
  * values are replaced by their ranks in a sample of the rows, whose bits are interleaved.
  *
  * {{{
  *   ranks    x = 5: 101     y = 3: 011
  *   number   1 0 . 0 1 . 1 1             the highest bits of all columns first
  * }}}
  * Ranks are used instead of values, because they are distributed evenly over all bits.
  *
  * @param bounds for each column, the ascending values at which ranks begin
  * @param bits bits of each rank
  */
final private[jobs] class ZOrder(bounds: IndexedSeq[Array[AnyRef]], bits: Int)
    extends UDF1[Row, Long] {

  /** Returns the Z-order value of a row. */
  override def call(row: Row): Long = {
    var number = 0L
    val ranks = bounds.indices.map(i => rank(i, ZOrder.value(row, i)))
    var bit = bits - 1
    while (bit >= 0) {
      var i = 0
      while (i < ranks.length) {
        number = number << 1 | (ranks(i) >> bit & 1)
        i += 1
      }
      bit -= 1
    }
    number
  }

  /** Returns the number of bounds up to the value; 0 for null. */
  private def rank(column: Int, value: AnyRef): Int =
    if (value == null) 0
    else {
      val found = util.Arrays.binarySearch(bounds(column), value, ZOrder.order)
      if (found >= 0) found + 1 else -found - 1
    }
}

/** Creates Z-order columns. */
private[jobs] object ZOrder {

  /** Sampled rows. */
  private val sampleRows = 16384L

  /** Maximum bits of a rank. */
  private val maxBits = 10

  /** Bits of a Z-order value. */
  private val numberBits = 63

  private val seed = 17L

  /** Returns the columns to sort by.
    *
    * @param rows data frame with the columns
    * @param columns column names, or paths of nested fields
    * @throws InvalidRequestException if a column cannot be sorted, or there are too many columns
    */
  def keys(rows: DataFrame, columns: Seq[String]): Seq[Column] = {
    if (columns.isEmpty || columns.length > numberBits)
      throw new InvalidRequestException(
        s"${columns.length} columns to sort by, 1 to $numberBits are expected"
      )
    val found = columns.map(rows(_))
    columns.zip(rows.select(found: _*).schema.fields).foreach { case (name, f) =>
      checkType(name, f.dataType)
    }
    found
  }

  /** Returns the column of Z-order values.
    *
    * @param rows data frame of [[keys]]
    * @param numRows approximate number of rows
    */
  def column(rows: DataFrame, numRows: Long, keys: Seq[Column]): Column = {
    val frame = rows.select(keys: _*)
    val fraction = sampleRows.toDouble / math.max(1L, numRows)
    val sampled = if (fraction >= 1.0) frame else frame.sample(fraction, seed)
    val sample = sampled.limit(2 * sampleRows.toInt).collect()
    val bits = math.max(1, math.min(maxBits, numberBits / keys.length))
    val bounds = keys.indices.map(i => boundsOf(sample.map(value(_, i)), bits))
    udf(new ZOrder(bounds, bits), LongType)(struct(keys: _*))
  }

  /** Returns distinct bounds that are evenly distributed over the sample, at most one fewer than
    * ranks.
    */
  private def boundsOf(sample: Array[AnyRef], bits: Int): Array[AnyRef] = {
    val sorted = sample.filter(_ != null).sorted(Ordering.comparatorToOrdering(order))
    val most = (1 << bits) - 1
    val wanted =
      if (sorted.length <= most) sorted
      else Array.tabulate(most)(i => sorted(((i + 1L) * sorted.length / (most + 1L)).toInt))
    wanted.foldLeft(Vector.empty[AnyRef]) { (kept, v) =>
      if (kept.nonEmpty && order.compare(kept.last, v) == 0) kept else kept :+ v
    }.toArray
  }

  /** Returns a value independent of `spark.sql.datetime.java8API.enabled`, which may differ between
    * the driver and tasks.
    */
  private def value(row: Row, at: Int): AnyRef = row.get(at) match {
    case d: java.sql.Date => d.toLocalDate
    case t: java.sql.Timestamp => t.toInstant
    case other => other.asInstanceOf[AnyRef]
  }

  /** Compares values of one type, as returned by [[value]]. */
  private val order: util.Comparator[AnyRef] = (x, y) =>
    (x, y) match {
      case (a: Array[Byte], b: Array[Byte]) => util.Arrays.compareUnsigned(a, b)
      case (a: Comparable[AnyRef @unchecked], b) => a.compareTo(b)
      case _ => throw new IllegalStateException(s"values of ${x.getClass.getName}")
    }

  private def checkType(name: String, t: DataType): Unit = {
    val hasOrder = t match {
      case _: StructType | _: ArrayType | _: MapType | _: YearMonthIntervalType | NullType => false
      case other => RowOrdering.isOrderable(other) && !SparkShim.isVariant(other)
    }
    if (!hasOrder)
      throw new InvalidRequestException(
        s"rows cannot be sorted by values of type ${t.sql}",
        Place(column = Some(name))
      )
  }
}
