// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.vectors

import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatchRow}

import io.github.pysparklance.core.{Column, Field}
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.table.scan.ComputedColumn

/** Wraps the columns of each batch of a read as Spark vectors, without copying. Not thread-safe.
  *
  * @param fields projected fields
  * @param computed computed columns, which follow the fields
  * @throws io.github.pysparklance.core.UnsupportedFeatureException if Spark cannot read a field
  */
final class BatchVectors(
    fields: IndexedSeq[Field],
    computed: IndexedSeq[ComputedColumn],
    types: TypeOptions
) {
  private val factories = VectorFactory.of(fields, computed, types).toArray

  /** Returns vectors that share the arrays of the columns. They are valid until the reader's next
    * batch. Hot code.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if a column does not have the shape
    *   of its field
    */
  def apply(columns: IndexedSeq[Column]): Array[LanceVector] = {
    val vectors = new Array[LanceVector](factories.length)
    var i = 0
    while (i < vectors.length) {
      vectors(i) = factories(i).vector(columns(i))
      i += 1
    }
    vectors
  }
}

/** Creates rows. */
object BatchVectors {

  /** Returns a row of vectors, whose position is set by its `rowId`. */
  def row(vectors: Array[LanceVector]): ColumnarBatchRow =
    new ColumnarBatchRow(vectors.asInstanceOf[Array[ColumnVector]]) // arrays are covariant in Java
}
