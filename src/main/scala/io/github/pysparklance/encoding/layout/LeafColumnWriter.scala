// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi.{EncodedPage, EncoderChooser}

/** Writes one physical column: gathers the rows of a leaf and turns them into pages when asked to. Not thread-safe.
  *
  * Lists, maps and structs own no column; their nesting is repeated in every leaf below them, so a top-level column
  * takes one writer for each of its leaves, and all of them get the same columns.
  *
  * @param path the fields from the top-level column to the leaf, both included
  * @param chooser chooses the compressions, for one file version
  * @throws UnsupportedFeatureException when the leaf's type, or the nesting above it, cannot be written
  */
final class LeafColumnWriter(path: IndexedSeq[Field], chooser: EncoderChooser) {
  require(path.nonEmpty, "a column has a field")
  path.foreach(LeafColumnWriter.checkField)

  private val valueType: ValueType = path.last.valueType
  private val shredder = new Shredder(path, valueType)
  private val encoder = new PageEncoder(valueType, chooser)

  /** Rows since the last [[flush]]. */
  def numRows: Long = shredder.numRows.toLong

  /** Bytes that these rows take in memory, about. */
  def bufferedBytes: Long = shredder.sizeInBytes

  /** Appends rows `[from, from + count)` of the top-level column; its arrays can be reused afterwards.
    *
    * @throws InvalidRequestException when the column's shape is not that of the fields
    */
  def append(column: Column, from: Int, count: Int): Unit = shredder.append(column, from, count)

  /** Pages with all rows since the last flush, in order: one as a rule, more when levels take too much room, none
    * without rows.
    */
  def flush(): IndexedSeq[EncodedPage] =
    if (shredder.numRows == 0) IndexedSeq.empty
    else {
      val pages = encoder.encode(shredder.page)
      shredder.clear()
      pages
    }
}

object LeafColumnWriter {
  private def checkField(field: Field): Unit = {
    if (field.isBlob) throw new UnsupportedFeatureException(s"writing blob column '${field.name}'")
    field.logicalType match {
      case LogicalType.Dictionary(_, _, _) | LogicalType.Blob =>
        throw new UnsupportedFeatureException(
          s"writing column '${field.name}' of type ${LogicalType.text(field.logicalType)}"
        )
      case LogicalType.FixedSizeList(LogicalType.Struct, _) =>
        throw new UnsupportedFeatureException(s"fixed-size list of struct, column '${field.name}'")
      case _ =>
    }
  }
}
