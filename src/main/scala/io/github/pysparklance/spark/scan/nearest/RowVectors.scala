// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.spark.scan.nearest

import io.github.pysparklance.core.{
  Column,
  CorruptFileException,
  ListColumn,
  NullColumn,
  StructColumn,
  Values
}
import io.github.pysparklance.index.vector.VectorColumn
import io.github.pysparklance.index.vector.distance.VectorBatch

/** The vectors of a batch of rows. Each row has one vector, or a list of vectors.
  *
  * @param batch all vectors; null if there are none
  * @param lists lists of the rows; null if each row has one vector
  */
final private[nearest] class RowVectors private (batch: VectorBatch, lists: RowVectors.Lists) {

  /** Whether rows have lists of vectors. */
  def isList: Boolean = lists != null

  /** The elements of all vectors; null if all are null. */
  val items: Values = if (batch == null) null else batch.items

  val mayHaveNulls: Boolean = batch != null && batch.mayHaveNulls

  /** Whether a vector is null or has a null element. */
  def isNull(vector: Int): Boolean = mayHaveNulls && batch.isNull(vector)

  /** Number of vectors in the list of a row. */
  def count(row: Int): Int = if (items == null) 0 else lists.count(row)

  /** Number of the first vector in the list of a row. */
  def first(row: Int): Int = lists.list.offsets(row)
}

private[nearest] object RowVectors {

  /** @param structs structs around the list */
  final private class Lists(val list: ListColumn, structs: List[Column]) {
    def count(row: Int): Int =
      if (list.isNull(row) || structs.exists(_.isNull(row))) 0
      else list.offsets(row + 1) - list.offsets(row)
  }

  /** @param column column of the batch, as decoded by a reader of [[VectorColumn.pruned]] */
  def apply(column: Column, field: VectorColumn): RowVectors =
    if (!field.isMulti)
      new RowVectors(VectorBatch(column, field.positions, field.dimension), null)
    else listOf(column, Nil).fold(new RowVectors(null, new Lists(null, Nil))) { lists =>
      new RowVectors(VectorBatch(lists.list.items, Nil, field.dimension), lists)
    }

  private def listOf(column: Column, structs: List[Column]): Option[Lists] = column match {
    case s @ StructColumn(_, IndexedSeq(child), _) => listOf(child, s :: structs)
    case list: ListColumn => Some(new Lists(list, structs))
    case _: NullColumn => None
    case other =>
      throw new CorruptFileException(
        s"${other.getClass.getSimpleName} where lists of vectors are expected"
      )
  }

  /** Some rows of a batch.
    *
    * @param first first row
    * @param positions positions of the rows, relative to `first`; null for consecutive rows
    */
  final class Block(val first: Int, val positions: Array[Int], val numRows: Int) {
    def row(i: Int): Int = if (positions == null) first + i else first + positions(i)
  }

  /** Divides the live rows of a batch into blocks.
    *
    * @param live positions of the rows; null for all
    */
  def blocks(live: Array[Int], numLive: Int, field: VectorColumn): IndexedSeq[Block] = {
    val rows = math.max(16L, blockBytes / field.numBytes).toInt
    (0 until numLive by rows).map { from =>
      val until = math.min(from + rows, numLive)
      if (live == null) new Block(from, null, until - from)
      else new Block(0, java.util.Arrays.copyOfRange(live, from, until), until - from)
    }
  }

  private val blockBytes = 128L << 10
}
