// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import io.github.pysparklance.core.{
  Field,
  InvalidRequestException,
  LogicalType,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.index.vector.VectorColumn
import io.github.pysparklance.index.vector.search.QueryVector
import io.github.pysparklance.spark.scan.search.ColumnPaths
import io.github.pysparklance.table.LanceTable

/** Finds the column of a search. */
private[nearest] object SearchedColumn {

  /** Finds the column of a search, and checks that the query matches it.
    *
    * @return the column, and the query vectors for it
    * @throws InvalidRequestException if the column does not exist, or has no vectors, or vectors of
    *   another dimension
    */
  def apply(
      table: LanceTable,
      fields: IndexedSeq[Field],
      query: NearestQuery
  ): (VectorColumn, QueryVectors) = {
    val place = Place(path = Some(table.path), version = Some(table.version))
    Place.in(place) {
      val found = query.column.fold(default(fields))(named(fields, _))
      val vectors = query.vectors.in(found)
      vectors.vectors.foreach(check(found, _))
      val metric = query.parameters.metric.getOrElse(found.defaultMetric)
      if (!found.elementType.takes(metric))
        throw new UnsupportedFeatureException(
          s"metric $metric for column ${found.name}, whose elements are ${found.elementType}: " +
            s"$metric compares the bits of uint8"
        )
      (found, vectors)
    }
  }

  /** Checks a query vector.
    *
    * @param undefined whether elements may be NaN, infinite, or too large
    * @throws InvalidRequestException if the vector has another dimension, or elements that the
    *   column cannot have
    */
  def check(
      column: VectorColumn,
      vector: Array[Double],
      undefined: UndefinedDistance = UndefinedDistance.Rejected
  ): Unit = {
    if (vector.length != column.dimension)
      throw new InvalidRequestException(
        s"the query vector has ${vector.length} elements, but the vectors of column ${column.name} have " +
          s"${column.dimension}"
      )
    if (!undefined.takesAnyQuery) {
      val bad = vector.indexWhere(v => v.isNaN || v.isInfinite)
      if (bad >= 0)
        throw new InvalidRequestException(
          s"the query vector has ${vector(bad)} at position $bad; elements must be finite numbers"
        )
      QueryVector.checkRange(column.elementType, vector)
    }
  }

  private def default(fields: IndexedSeq[Field]): VectorColumn = {
    val all = vectorsOf(fields)
    val single = all.filterNot(_.isMulti)
    all.find(_.path == Seq("vector"))
      .orElse(if (single.length == 1) single.headOption else None)
      .orElse(if (all.length == 1) all.headOption else None)
      .getOrElse(
        throw new InvalidRequestException(
          if (all.isEmpty) "the table has no vector column"
          else
            s"the table has several vector columns, ${all.map(_.name).mkString(", ")}: choose one with vector_column"
        )
      )
  }

  private def named(fields: IndexedSeq[Field], name: String): VectorColumn = {
    val way = ColumnPaths.required(fields, name, "vector columns")(vectorsOf(fields).map(_.name))
    VectorColumn.of(way).getOrElse(
      throw new InvalidRequestException(
        s"column $name is not a vector column: its type is " +
          s"${LogicalType.text(way.last.logicalType)}, but a vector column is a " +
          "fixed-size list of float16, bfloat16, float32, float64, int8, or uint8, or a list of " +
          "such vectors"
      )
    )
  }

  /** Returns all vector columns. */
  private def vectorsOf(fields: IndexedSeq[Field]): Seq[VectorColumn] =
    ColumnPaths.all(fields).flatMap(VectorColumn.of(_))
}
