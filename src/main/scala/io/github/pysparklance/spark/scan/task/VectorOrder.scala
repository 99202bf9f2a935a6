// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import org.apache.spark.sql.catalyst.expressions.{
  ApplyFunctionExpression,
  Ascending,
  BoundReference,
  Expression,
  GetStructField,
  Literal,
  NullsFirst,
  SortOrder
}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.ArrayType

import io.github.pysparklance.core.{Field, LogicalType}
import io.github.pysparklance.index.vector.distance.{ElementType, Metric, QueryDistance}
import io.github.pysparklance.spark.functions.{BoundVectorFunction, Elements, VectorFunction}
import io.github.pysparklance.table.scan.MetadataColumn

/** An order of rows by a function of a vector column and a constant vector. Kernels compute it for
  * many rows at once.
  *
  * @param column position of the column
  * @param path positions of children from a struct to the vectors, see
  *   [[io.github.pysparklance.index.vector.distance.VectorBatch]]
  * @param tie position of the computed column by which rows at one distance are ascending
  */
final private[task] case class VectorOrder(
    function: VectorFunction,
    column: Int,
    path: List[Int],
    dimension: Int,
    distance: QueryDistance,
    isAscending: Boolean,
    nullsFirst: Boolean,
    tie: Int
)

/** Translates orders. */
private[task] object VectorOrder {

  /** Returns `None` for other orders, and if the kernels would return other results than Spark. */
  def of(top: TopRows): Option[VectorOrder] = top.order match {
    case SortOrder(
          ApplyFunctionExpression(f: BoundVectorFunction, Seq(a, b)),
          to,
          nulls,
          _
        ) +: others =>
      val arguments = (a, b) match {
        case (column, query: Literal) => Some((column, query))
        case (query: Literal, column) if f.function.isSymmetric => Some((column, query))
        case _ => None
      }
      for {
        (column, query) <- arguments
        (at, path, field) <- located(column, top.fields)
        (element, dimension) <- vectors(field)
        distance <- distance(f, element, dimension, query)
        tie <- tie(others, top)
      } yield VectorOrder(
        f.function,
        at,
        path,
        dimension,
        distance,
        to == Ascending,
        nulls == NullsFirst,
        tie
      )
    case _ => None
  }

  /** Returns the position of the row id, or of the row address if there is no other order. */
  private def tie(others: Seq[SortOrder], top: TopRows): Option[Int] = others match {
    case Seq() => Some(top.fields.length + top.computed.length - 1)
    case Seq(SortOrder(BoundReference(at, _, _), Ascending, _, _)) =>
      top.computed.lift(at - top.fields.length).collect { case MetadataColumn.RowId => at }
    case _ => None
  }

  /** Returns the column of an expression, the path in it, and its field. */
  private def located(
      e: Expression,
      fields: IndexedSeq[Field]
  ): Option[(Int, List[Int], Field)] = e match {
    case BoundReference(at, _, _) => fields.lift(at).map(f => (at, Nil, f))
    case GetStructField(struct, child, _) =>
      located(struct, fields).flatMap { case (at, path, field) =>
        field.children.lift(child).map(f => (at, path :+ child, f))
      }
    case _ => None
  }

  private def vectors(field: Field): Option[(ElementType, Int)] = field.logicalType match {
    case LogicalType.FixedSizeList(item, dimension) if !field.isBlob =>
      ElementType.of(item).map((_, dimension))
    case _ => None
  }

  private def distance(
      f: BoundVectorFunction,
      stored: ElementType,
      dimension: Int,
      query: Literal
  ): Option[QueryDistance] = (query.value, query.dataType) match {
    case (array: ArrayData, ArrayType(item, _))
        if array.numElements() == dimension && !Elements.hasNull(array) =>
      val elements = Elements.doubles(array, item)
      val computed = (stored, f.element) match {
        case (ElementType.Float64, ElementType.Float64) => Some(stored)
        case (ElementType.Int8 | ElementType.UInt8, ElementType.UInt8) =>
          if (elements.forall(e => e >= -128 && e <= 255)) Some(ElementType.UInt8) else None
        // Sums of bytes are exact in both. The cosine is excluded, because only the kernels define
        // an angle for zero vectors.
        case (ElementType.Int8, ElementType.Float64) if f.function.metric != Metric.Cosine =>
          if (areIntegers(elements, -128, 127)) Some(stored) else None
        case (ElementType.UInt8, ElementType.Float64) if f.function.metric != Metric.Cosine =>
          if (areIntegers(elements, 0, 255)) Some(stored) else None
        case (s, ElementType.Float32) if s.numBytes == 2 || s == ElementType.Float32 => Some(s)
        case _ => None
      }
      computed.map { element =>
        val values =
          if (f.element == ElementType.UInt8) elements.map(e => (e.toInt & 0xff).toDouble)
          else elements
        QueryDistance(f.function.metric, element, values, roundsQuery = false)
      }
    case _ => None
  }

  private def areIntegers(elements: Array[Double], min: Int, max: Int): Boolean =
    elements.forall(e => e == math.rint(e) && e >= min && e <= max)
}
