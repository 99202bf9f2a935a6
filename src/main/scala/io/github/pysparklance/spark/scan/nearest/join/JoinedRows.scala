// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest.join

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  GenericInternalRow,
  JoinedRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, DataType}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.vector.distance.ElementType
import io.github.pysparklance.index.vector.search.QueryVector
import io.github.pysparklance.spark.functions.Elements
import io.github.pysparklance.spark.scan.nearest.{Neighbors, UndefinedDistance}

/** The query vectors of the rows of a join.
  *
  * @param expression expression over the columns of the rows, bound by position
  * @param undefined treatment of queries without a distance
  * @param elementType element type of the stored vectors
  */
final private[join] class JoinQueries(
    expression: Expression,
    undefined: UndefinedDistance,
    elementType: ElementType
) extends Serializable {
  private val vectorType: DataType = expression.dataType

  /** Returns the vectors of a row, or `None` if the query is null or finds no rows. */
  def apply(row: InternalRow): Option[IndexedSeq[Array[Double]]] =
    Option(expression.eval(row)).filterNot(hasNulls).map(vectors).filter { all =>
      undefined != UndefinedDistance.Ignored || all.forall(_.forall(isFinite))
    }

  /** Whether a query has a null, so that it finds no rows. */
  private def hasNulls(value: Any): Boolean = undefined.takesAnyQuery && (value match {
    case array: ArrayData => Elements.hasNull(array)
    case _ => false
  })

  private def isFinite(element: Double): Boolean = {
    val rounded = QueryVector.rounded(elementType, element)
    !rounded.isNaN && !rounded.isInfinite
  }

  private def vectors(value: Any): IndexedSeq[Array[Double]] = {
    val array = value.asInstanceOf[ArrayData]
    vectorType match {
      case ArrayType(ArrayType(item, _), _) =>
        if (array.numElements() == 0)
          fail("a query has no vectors: a query without neighbors is null")
        (0 until array.numElements()).map { i =>
          if (array.isNullAt(i)) fail(s"vector $i of a query is null")
          elements(array.getArray(i), item)
        }
      case ArrayType(item, _) => IndexedSeq(elements(array, item))
      case other => throw new IllegalStateException(s"query vectors of type ${other.sql}")
    }
  }

  private def elements(array: ArrayData, item: DataType): Array[Double] = {
    if (array.numElements() == 0) fail("a query vector has no elements")
    (0 until array.numElements()).find(array.isNullAt).foreach(i =>
      fail(s"a query vector has a null at position $i")
    )
    Elements.doubles(array, item)
  }

  private def fail(problem: String): Nothing = throw new InvalidRequestException(problem)
}

/** Joins rows with the rows nearest to their queries, nearest first. Keeps the order of the left
  * side.
  *
  * @param found columns of the nearest rows
  * @param isOuter whether to keep rows without neighbors
  */
final private[join] class JoinedRows(
    work: JoinWork,
    left: Seq[Attribute],
    found: Seq[Attribute],
    isOuter: Boolean
) {
  private val joined = new JoinedRow
  private val nulls = new GenericInternalRow(found.length)
  private val projection = UnsafeProjection.create(left ++ found, left ++ found)

  /** Returns the joined rows, which share one object.
    *
    * @param rows rows with their neighbors; `None` for rows without a query
    */
  def apply(rows: Iterator[(UnsafeRow, Neighbors)]): Iterator[InternalRow] = {
    val buffered = rows.buffered
    Iterator.continually(next(buffered)).takeWhile(_.nonEmpty).flatMap { some =>
      val near = work.rows(some.map(_._2))
      some.iterator.flatMap { case (row, neighbors) =>
        if (neighbors.numRows == 0)
          if (isOuter) Iterator.single(joined(row, nulls)) else Iterator.empty
        else Iterator.range(0, neighbors.numRows).map(_ => joined(row, near.next()))
      }
    }.map(projection(_))
  }

  /** Returns the next rows, whose neighbors are read together. */
  private def next(
      rows: scala.collection.BufferedIterator[(UnsafeRow, Neighbors)]
  ): IndexedSeq[(UnsafeRow, Neighbors)] = {
    val some = IndexedSeq.newBuilder[(UnsafeRow, Neighbors)]
    var numFound = 0L
    var isFirst = true
    while (rows.hasNext && (isFirst || numFound + rows.head._2.numRows <= work.rowsAtATime)) {
      isFirst = false
      numFound += math.max(1, rows.head._2.numRows)
      some += rows.next()
    }
    some.result()
  }
}

private[join] object JoinedRows {

  /** Maximum bytes of left rows in memory. */
  private val leftBytes = 32L << 20

  /** Searches for the queries of rows, a limited number at a time.
    *
    * @param search returns the neighbors of queries
    * @param queriesAtATime number of queries to search for together
    */
  def searched(rows: Iterator[UnsafeRow], queries: JoinQueries, queriesAtATime: Int)(
      search: IndexedSeq[IndexedSeq[Array[Double]]] => IndexedSeq[Neighbors]
  ): Iterator[(UnsafeRow, Neighbors)] = Iterator
    .continually(nextLeft(rows, queriesAtATime))
    .takeWhile(_.nonEmpty)
    .flatMap { some =>
      val requested = some.map(queries(_))
      val found = search(requested.flatten).iterator
      some.iterator.zip(requested.iterator.map(q =>
        if (q.isDefined) found.next() else Neighbors.none
      ))
    }

  private def nextLeft(rows: Iterator[UnsafeRow], limit: Int): IndexedSeq[UnsafeRow] = {
    val some = new mutable.ArrayBuffer[UnsafeRow]
    var bytes = 0L
    while (rows.hasNext && some.length < limit && bytes < leftBytes) {
      val row = rows.next().copy()
      bytes += row.getSizeInBytes
      some += row
    }
    some.toIndexedSeq
  }
}
