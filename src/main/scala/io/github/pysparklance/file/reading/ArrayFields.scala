// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.ArrayEncodings
import io.github.pysparklance.encoding.spi.{ArrayDecoder, ArrayRead, ListDecoder}
import io.github.pysparklance.file.metadata.{DataFileMetadata, LeafPaths, PageMetadata}
import io.github.pysparklance.file.scheduling.FileReads
import io.github.pysparklance.file.spi.FieldProjection

/** Finds the columns of fields of a file of version 2.0, and creates their readers.
  *
  * Source: format pages of the file container, "Schema -> column mapping", and of the encodings of
  * 2.0, "Struct, list, blob: columns and pages".
  *
  * @param numRows rows of the file
  */
final private[file] class ArrayFields(
    place: Place,
    metadata: DataFileMetadata,
    numRows: Long,
    fileReads: FileReads
) {

  /** Creates the reader of a field.
    *
    * @throws CorruptFileException if a column is missing, or has another number of rows
    * @throws UnsupportedFeatureException for a type that files of version 2.0 do not support
    */
  def node(projection: FieldProjection): ArrayNode =
    new Builder(projection).node(IndexedSeq(projection.field), Some(numRows))

  final private class Builder(projection: FieldProjection) {
    private val leafColumns = projection.columnIndices.iterator

    /** @param path from the top-level field down to the field to build; fields are built in schema
      *   order
      * @param numRows required number of rows of its column, if known
      */
    def node(path: IndexedSeq[Field], numRows: Option[Long]): ArrayNode = {
      val field = path.last
      val column =
        if (field.isLeaf) leafColumns.next()
        else projection.headerIndices.getOrElse(field.id, FieldProjection.Missing)
      Place.in(place.copy(column = Some(LeafPaths.name(path)))) {
        if (column >= 0) numRows.foreach(checkNumRows(column, _))
        if (field.isLeaf && column < 0) new AbsentArray
        else if (field.isBlob) blob(path, column)
        else if (field.isLeaf && field.logicalType != LogicalType.Struct) leaf(path, column)
        else
          field.logicalType match {
            case LogicalType.Struct if isPackedStruct(field, column) =>
              if (!field.isPacked) field.leaves.foreach(_ => leafColumns.next())
              leaf(path.init :+ field.copy(metadata = ArrayFields.packed), column)
            case LogicalType.Struct =>
              CorruptFileException.check(
                !field.isPacked,
                "a packed struct is stored as a plain struct"
              )
              struct(path, column, numRows)
            case LogicalType.List(_, _) => list(path, column)
            case other =>
              throw new UnsupportedFeatureException(
                s"${LogicalType.text(other)} in a file of version 2.0"
              )
          }
      }
    }

    private def struct(path: IndexedSeq[Field], column: Int, numRows: Option[Long]): ArrayNode = {
      val children = path.last.children.map(child => node(path :+ child, numRows))
      if (column < 0 && children.forall(_.isInstanceOf[AbsentArray])) new AbsentArray
      else new StructArray(children)
    }

    private def list(path: IndexedSeq[Field], column: Int): ArrayNode = {
      val items = node(path :+ path.last.children.head, None)
      if (column < 0) {
        CorruptFileException.check(
          items.isInstanceOf[AbsentArray],
          "the file has a column for the items of a list, but none for the list"
        )
        items
      } else lists(path, column, items)
    }

    /** Blob descriptors, or values in place if a writer ignored the blob metadata. */
    private def blob(path: IndexedSeq[Field], column: Int): ArrayNode =
      if (firstKind(column).forall(_ == ArrayEncodings.Kind.PackedStruct))
        values(path, column, ArrayFields.blobDescriptor, isDictionary = false)
      else {
        val bytes =
          path.last.copy(logicalType = LogicalType.Binary(large = true), metadata = Map.empty)
        leaf(path.init :+ bytes, column)
      }

    private def leaf(path: IndexedSeq[Field], column: Int): ArrayNode = {
      val field = path.last
      val valueType = field.valueType
      valueType match {
        // Early releases: a list of bytes, which are in the next column.
        case VariableWidth(_) if firstKind(column).contains(ArrayEncodings.Kind.List) =>
          val bytes = values(path, column + 1, FixedWidth(8), isDictionary = false)
          new ByteListArray(lists(path, column, bytes))
        case _ =>
          val isDictionary = field.logicalType match {
            case _: LogicalType.Dictionary => true
            case _ => false
          }
          values(path, column, valueType, isDictionary)
      }
    }
  }

  private def checkNumRows(column: Int, expected: Long): Unit = {
    val found = metadata.column(column).numRows
    CorruptFileException.check(
      found == expected,
      s"column $column has $found rows, but $expected are expected"
    )
  }

  private def firstKind(column: Int): Option[ArrayEncodings.Kind] =
    if (column < 0) None
    else metadata.column(column).pages.headOption.map(page => ArrayEncodings.kind(page.encoding))

  /** Determined by the page; without pages, by the schema. */
  private def isPackedStruct(field: Field, column: Int): Boolean =
    firstKind(column).fold(field.isPacked)(_ == ArrayEncodings.Kind.PackedStruct)

  private def values(
      path: IndexedSeq[Field],
      column: Int,
      valueType: ValueType,
      isDictionary: Boolean
  ): ArrayNode = {
    def decoder(page: PageMetadata): ArrayDecoder = ArrayEncodings.values(
      page.encoding,
      page.numRows,
      page.allBuffers.map(_.length),
      page.buffers.length,
      valueType,
      isDictionary
    )
    new LeafArray(valueType, scan(path, column, decoder, None))
  }

  private def lists(path: IndexedSeq[Field], column: Int, items: ArrayNode): ListArray = {
    def decoder(page: PageMetadata): ListDecoder = ArrayEncodings.lists(
      page.encoding,
      page.numRows,
      page.allBuffers.map(_.length),
      page.buffers.length
    )
    new ListArray(
      items,
      metadata.column(column).pages,
      decoder,
      onKnown => scan(path, column, decoder, Some(onKnown))
    )
  }

  private def scan(
      path: IndexedSeq[Field],
      column: Int,
      decoder: PageMetadata => ArrayDecoder,
      onKnown: Option[(PageMetadata, ArrayRead) => Unit]
  ): ArrayScan = new ArrayScan(
    place.copy(column = Some(LeafPaths.name(path))),
    metadata.column(column).pages,
    decoder,
    fileReads,
    onKnown
  )
}

private[file] object ArrayFields {

  /** Metadata of a struct that is stored as one column. */
  private val packed = Map("packed" -> "true")

  /** Position and size of a blob in the file; `(1, 0)` for null. */
  private val blobDescriptor = PackedStructType(IndexedSeq(FixedWidth(64), FixedWidth(64)))
}
