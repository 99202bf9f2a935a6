// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.index.vector.distance

import io.github.pysparklance.core.{
  Column,
  CorruptFileException,
  FixedSizeListColumn,
  FixedSizeListValues,
  LeafColumn,
  NullColumn,
  StructColumn,
  Validity,
  Values
}

/** The vectors of a batch of rows in one array. A vector has no distance if it, or a struct around
  * it, is null, or if it has a null element. Valid until the reader's next batch.
  *
  * @param items elements, vector by vector; null if all vectors are null
  */
final class VectorBatch private (
    val items: Values,
    dimension: Int,
    validities: List[Validity],
    itemValidity: Validity
) {

  /** Whether a vector may be null or have a null element. */
  val mayHaveNulls: Boolean =
    items == null || validities.exists(_.hasNulls) || itemValidity != null && itemValidity.hasNulls

  /** Whether a vector is null or has a null element. */
  def isNull(row: Int): Boolean =
    items == null || validities.exists(!_.isValid(row)) || hasNullItem(row)

  private def hasNullItem(row: Int): Boolean =
    itemValidity != null && itemValidity.hasNulls && {
      var i = row * dimension
      val end = i + dimension
      while (i < end && itemValidity.isValid(i)) i += 1
      i < end
    }
}

object VectorBatch {

  /** @param column column of the batch, as a reader decodes it
    * @param path positions of the children from a top-level struct to the vectors; empty if the
    *   column itself has the vectors
    * @param dimension dimension of the vectors
    * @throws CorruptFileException if the column does not have the shape of its field
    */
  def apply(column: Column, path: List[Int], dimension: Int): VectorBatch =
    inside(column, path, dimension, Nil)

  private def inside(
      column: Column,
      path: List[Int],
      dimension: Int,
      around: List[Validity]
  ): VectorBatch = {
    val validities = if (column.validity == null) around else column.validity :: around
    (Column.plain(column), path) match {
      case (_: NullColumn, _) => new VectorBatch(null, dimension, Nil, null)
      case (s: StructColumn, child :: rest) =>
        inside(s.children(child), rest, dimension, validities)
      case (f: FixedSizeListColumn, Nil) if f.dimension == dimension =>
        Column.plain(f.items) match {
          case LeafColumn(items, validity) =>
            new VectorBatch(items, dimension, validities, validity)
          case _: NullColumn => new VectorBatch(null, dimension, Nil, null)
          case other => mismatch(other)
        }
      case (LeafColumn(v: FixedSizeListValues, _), Nil) if v.dimension == dimension =>
        new VectorBatch(v.items, dimension, validities, v.itemValidity)
      case _ => mismatch(column)
    }
  }

  private def mismatch(column: Column): Nothing =
    throw new CorruptFileException(s"${column.getClass.getSimpleName} where vectors are expected")
}
