// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Schema}
import io.github.pysparklance.index.vector.distance.{ElementType, Metric}
import io.github.pysparklance.index.vector.search.QueryVector

/** A column of vectors.
  *
  * @param way path from the top-level column to the indexed field, through structs
  * @param isMulti whether each row has a list of vectors
  */
final case class VectorColumn(
    way: IndexedSeq[Field],
    elementType: ElementType,
    dimension: Int,
    isMulti: Boolean
) {

  /** The indexed field. */
  def field: Field = way.last

  /** The default metric of the reference. */
  def defaultMetric: Metric = if (elementType == ElementType.UInt8) Metric.Hamming else Metric.L2

  /** Number of bytes of a vector. */
  def numBytes: Long = elementType.numBytes.toLong * dimension

  /** Names from the top-level column to the indexed field. */
  def path: IndexedSeq[String] = way.map(_.name)

  /** The dotted name. */
  def name: String = path.mkString(".")

  /** The top-level column without other fields than the indexed one. */
  def pruned: Field =
    way.init.foldRight(way.last)((parent, child) => parent.copy(children = IndexedSeq(child)))

  /** Positions of the children from [[pruned]] to the indexed field. */
  def positions: List[Int] = List.fill(way.length - 1)(0)

  /** Returns a query for the column.
    *
    * @throws InvalidRequestException if the query has another dimension, or elements that the
    *   column cannot have
    */
  def query(values: Array[Double]): QueryVector = {
    if (values.length != dimension)
      throw new InvalidRequestException(
        s"a query vector of ${values.length} dimensions; vectors of the column $name have $dimension"
      )
    QueryVector.of(elementType, values)
  }
}

object VectorColumn {

  /** Returns the column of a field, or `None` if it does not hold vectors. */
  def of(schema: Schema, fieldId: Int): Option[VectorColumn] =
    schema.way(fieldId).flatMap(of)

  /** Returns the column of the last field of a path, or `None` if it does not hold vectors.
    *
    * @param way path from the top-level column, through structs
    */
  def of(way: IndexedSeq[Field]): Option[VectorColumn] =
    if (way.init.exists(_.logicalType != LogicalType.Struct)) None
    else
      way.last.logicalType match {
        case LogicalType.FixedSizeList(item, dimension) =>
          ElementType.of(item).map(VectorColumn(way, _, dimension, isMulti = false))
        case LogicalType.List(_, _) if way.last.children.length == 1 =>
          way.last.children.head.logicalType match {
            case LogicalType.FixedSizeList(item, dimension) =>
              ElementType.of(item).map(VectorColumn(way, _, dimension, isMulti = true))
            case _ => None
          }
        case _ => None
      }
}
