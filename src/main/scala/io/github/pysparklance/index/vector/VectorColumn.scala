// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Schema}
import io.github.pysparklance.index.vector.distance.ElementType
import io.github.pysparklance.index.vector.search.QueryVector

/** A column of vectors.
  *
  * @param way from the column at the top down to the indexed field, through structs
  * @param isMulti whether a row has a list of vectors
  */
final case class VectorColumn(
    way: IndexedSeq[Field],
    elementType: ElementType,
    dimension: Int,
    isMulti: Boolean
) {

  /** The indexed field. */
  def field: Field = way.last

  /** The dotted name. */
  def name: String = way.map(_.name).mkString(".")

  /** The column at the top with nothing but the indexed field. */
  def pruned: Field =
    way.init.foldRight(way.last)((parent, child) => parent.copy(children = IndexedSeq(child)))

  /** A query for the column.
    *
    * @throws InvalidRequestException if it has another dimension, or elements that the column cannot have
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

  /** The column of a field, `None` if it does not hold vectors. */
  def of(schema: Schema, fieldId: Int): Option[VectorColumn] =
    schema.ways.find(_.last.id == fieldId).flatMap { way =>
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
}
