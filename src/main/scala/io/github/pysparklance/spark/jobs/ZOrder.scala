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

/** Numbers rows so that rows with near numbers have near values in all of some columns: the ranks of the values among a
  * sample of the rows, their bits interleaved.
  *
  * {{{
  *   ranks    x = 5: 101     y = 3: 011
  *   number   1 0 . 0 1 . 1 1             the highest bits of all columns first
  * }}}
  * Ranks, and not the values, since only they spread over all the bits, whatever the values are.
  *
  * @param bounds for each column the values at which a new rank begins, ascending
  * @param bits of each rank
  */
final private[jobs] class ZOrder(bounds: IndexedSeq[Array[AnyRef]], bits: Int)
    extends UDF1[Row, Long] {

  /** The number of a row of the columns. */
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

  /** Bounds up to the value; 0 for null. */
  private def rank(column: Int, value: AnyRef): Int =
    if (value == null) 0
    else {
      val found = util.Arrays.binarySearch(bounds(column), value, ZOrder.order)
      if (found >= 0) found + 1 else -found - 1
    }
}

private[jobs] object ZOrder {

  /** Rows that are looked at for the ranks. */
  private val sampleRows = 16384L

  /** Bits of a rank at most. */
  private val maxBits = 10

  /** Bits of a number. */
  private val numberBits = 63

  private val seed = 17L

  /** The columns to sort by.
    *
    * @param rows frame with the columns
    * @param columns names, also of members of structs
    * @throws InvalidRequestException for a column that has no order, or too many of them
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

  /** The numbers of rows, as a column.
    *
    * @param rows frame that [[keys]] are of
    * @param numRows of the frame, about
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

  /** So many values that a rank has all the bits, evenly spread over the sample, without repetition. */
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

  /** A value in the same form whatever the session's setting `spark.sql.datetime.java8API.enabled`, which need not be
    * the same here and in a task.
    */
  private def value(row: Row, at: Int): AnyRef = row.get(at) match {
    case d: java.sql.Date => d.toLocalDate
    case t: java.sql.Timestamp => t.toInstant
    case other => other.asInstanceOf[AnyRef]
  }

  /** Values of one type, as [[value]] has them. */
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
