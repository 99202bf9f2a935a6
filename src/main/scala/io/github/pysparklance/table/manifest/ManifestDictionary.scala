// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.v0_1.{Dictionary, Plain}
import io.github.pysparklance.file.proto.{Field => FieldMessage}

/** The values of a dictionary field in a table of version 0.1. Every manifest stores them at its
  * start, and readers take them from there, so each new manifest needs a copy.
  *
  * {{{
  *   strings, binaries   bytes of all values | i64 x (n + 1)  position in this file of each value, end of the last
  *   integers            n values, little endian
  * }}}
  * `Dictionary.offset` is the position of the offsets, or of the integers.
  *
  * Source: message `Dictionary`, file.proto; format page of the legacy format, "Dictionary
  * encoding".
  *
  * @param bytes the values
  * @param ends for strings and binaries, the end of each value in `bytes`; `None` for integers
  */
final private[table] class ManifestDictionary private (
    numValues: Long,
    bytes: Array[Byte],
    ends: Option[Array[Long]]
) {

  /** Returns the bytes of the dictionary at `position` of a file, and the offset to store in the
    * field.
    */
  def at(position: Long): (Array[Byte], Long) = ends match {
    case None => (bytes, position)
    case Some(e) =>
      val all = java.util.Arrays.copyOf(bytes, bytes.length + (e.length + 1) * 8)
      Buffer.putLong(all, bytes.length, position)
      e.indices.foreach(i => Buffer.putLong(all, bytes.length + (i + 1) * 8, position + e(i)))
      (all, position + bytes.length)
  }

  def length: Long = numValues

  /** Returns the values as a dictionary of data files.
    *
    * @param field the dictionary field
    */
  def items(field: Field): Dictionary.Items = ends match {
    case None =>
      val values = Values.allocate(field.valueType)
      Plain.decode(
        Buffer(bytes),
        0L,
        field.valueType,
        0L,
        Checked.int(numValues, "values of a dictionary"),
        values
      )
      Dictionary.Items(values, null)
    case Some(e) =>
      val values = new BinaryValues
      val validity = new Validity
      var from = 0
      e.foreach { end =>
        values.append(bytes, from, end.toInt - from)
        validity.append(end > from)
        from = end.toInt
      }
      Dictionary.Items(values, if (validity.hasNulls) validity else null)
  }
}

private[table] object ManifestDictionary {

  /** Whether the manifest contains values for a field. */
  def isIn(field: FieldMessage): Boolean = field.getDictionary.getLength > 0

  /** Reads the values of a field.
    *
    * @param sizeBytes bytes of the manifest file
    * @param read reads bytes of the file by position and length
    * @throws CorruptFileException if the values exceed the file
    */
  def read(
      field: FieldMessage,
      sizeBytes: Long,
      read: (Long, Int) => Array[Byte]
  ): ManifestDictionary = Place.in(Place(column = Some(field.getName))) {
    def bytes(position: Long, length: Long): Array[Byte] = {
      CorruptFileException.check(
        position >= 0 && length >= 0 && position <= sizeBytes && length <= sizeBytes - position &&
          length <= Int.MaxValue,
        s"corrupt manifest: a dictionary of $length bytes at $position of $sizeBytes"
      )
      read(position, length.toInt)
    }
    val offset = field.getDictionary.getOffset
    val numValues = math.min(field.getDictionary.getLength, sizeBytes)
    LogicalType.parse(field.getLogicalType) match {
      case LogicalType.Dictionary(LogicalType.Integer(bits, _), _, _) =>
        new ManifestDictionary(numValues, bytes(offset, numValues * bits / 8), None)
      case LogicalType.Dictionary(LogicalType.Utf8(_) | LogicalType.Binary(_), _, _) =>
        val offsets = Buffer(bytes(offset, (numValues + 1) * 8))
        val positions =
          (0 to Checked.int(numValues, "values of a dictionary")).map(i => offsets.i64(i * 8))
        CorruptFileException.check(
          positions.zip(positions.drop(1)).forall { case (a, b) => a <= b },
          "corrupt manifest: the values of a dictionary are out of order"
        )
        val values = bytes(positions.head, positions.last - positions.head)
        val ends = positions.tail.map(_ - positions.head).toArray
        new ManifestDictionary(numValues, values, Some(ends))
      case other =>
        throw new UnsupportedFeatureException(
          s"a manifest with the values of a field of type ${LogicalType.text(other)}"
        )
    }
  }
}
