// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core._

/** Writes the bytes of legacy blobs to the file, batch by batch, so that only their descriptors are
  * buffered for pages.
  *
  * Source: format page of the structural encodings, "Blob layout".
  *
  * @param field a top-level field that contains legacy blobs
  */
final private class OutOfLineBlobs private (field: Field, area: DataArea) {

  /** Writes the blobs of a column.
    *
    * @return the column with descriptors (pairs of position and size) instead of bytes
    */
  def write(values: Column): Column = write(field, values)

  private def write(field: Field, values: Column): Column =
    if (OutOfLineBlobs.isLegacy(field)) blobs(field, values)
    else
      values match {
        case struct: StructColumn if struct.children.length == field.children.length =>
          struct.copy(children =
            field.children.indices.map(i => write(field.children(i), struct.children(i)))
          )
        case other => other
      }

  private def blobs(field: Field, values: Column): Column = values match {
    case LeafColumn(bytes: BinaryValues, validity) => descriptors(bytes, validity)
    case ConstantColumn(one: BinaryValues, numRows, validity) =>
      val all = new BinaryValues
      all.appendRepeated(one, 0, numRows)
      descriptors(all, validity)
    case nulls: NullColumn => nulls
    case other =>
      throw new InvalidRequestException(
        s"""column "${field.name}" contains blobs and cannot store a ${other.getClass.getSimpleName}"""
      )
  }

  private def descriptors(values: BinaryValues, validity: Validity): Column = {
    val positions = new LongValues
    val sizes = new LongValues
    var i = 0
    while (i < values.numItems) {
      val from = values.offsets(i)
      val length = values.offsets(i + 1) - from
      if (length == 0 || (validity != null && !validity.isValid(i))) {
        positions.append(0L)
        sizes.append(0L)
      } else {
        positions.append(area.write(new Buffer(values.bytes, from, length)).offset)
        sizes.append(length.toLong)
      }
      i += 1
    }
    StructColumn(
      values.numItems,
      IndexedSeq(LeafColumn(positions, null), LeafColumn(sizes, null)),
      validity
    )
  }
}

private object OutOfLineBlobs {

  /** Returns none if the field contains no legacy blobs. */
  def of(field: Field, area: DataArea): Option[OutOfLineBlobs] =
    if (field.flatten.exists(isLegacy)) Some(new OutOfLineBlobs(field, area)) else None

  private def isLegacy(field: Field): Boolean = field.isBlob && !field.isBlobV2
}
