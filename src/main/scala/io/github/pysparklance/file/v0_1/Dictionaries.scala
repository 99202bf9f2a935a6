// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.v0_1.{Dictionary, Plain, VarBinary}
import io.github.pysparklance.file.proto
import io.github.pysparklance.file.spi.FileTail

/** Reads the dictionaries of a file. Manifests contain copies of them.
  *
  * Source: message `Dictionary`, file.proto; format page of the legacy format, "Dictionary
  * encoding".
  */
final private[v0_1] class Dictionaries(tail: FileTail, metadata: Metadata) {

  /** Returns the dictionary values of a field.
    *
    * @throws CorruptFileException if the file does not contain them
    * @throws UnsupportedFeatureException for values other than strings, binaries, and integers
    */
  def read(field: Field, valueType: LogicalType): Dictionary.Items = {
    val message = metadata.fields
      .flatMap(_.find(f => f.getId == field.id && f.hasDictionary))
      .getOrElse(
        throw new CorruptFileException(s"the file has no dictionary for field ${field.id}")
      )
      .getDictionary
    tail.in(message.getOffset)(read(message, valueType))
  }

  private def read(message: proto.Dictionary, valueType: LogicalType): Dictionary.Items = {
    val offset = message.getOffset
    val numValues = message.getLength
    CorruptFileException.check(
      offset >= 0 && offset <= tail.fileSize && numValues >= 0 && numValues <= tail.fileSize,
      s"a dictionary of $numValues values at $offset of a file of ${tail.fileSize} bytes"
    )
    val n = Math.toIntExact(math.min(numValues, Values.maxArrayLength.toLong))
    valueType match {
      case LogicalType.Utf8(_) | LogicalType.Binary(_) => varBinary(offset, n)
      case LogicalType.Integer(bits, _) =>
        val values = Values.allocate(FixedWidth(bits))
        Plain.decode(
          bytes(offset, Plain.numBytes(bits.toLong, n.toLong)),
          0L,
          FixedWidth(bits),
          0L,
          n,
          values
        )
        Dictionary.Items(values, null)
      case other =>
        throw new UnsupportedFeatureException(
          s"dictionaries of ${LogicalType.text(other)} in a file of version 0.1"
        )
    }
  }

  private def varBinary(offset: Long, numValues: Int): Dictionary.Items = {
    val offsets = VarBinary.offsets(
      bytes(offset, (numValues + 1L) * VarBinary.offsetBytes),
      numValues,
      tail.fileSize
    )
    val values = new BinaryValues
    val validity = new Validity
    val data = bytes(offsets(0), offsets(numValues) - offsets(0))
    VarBinary.decode(offsets, 0, numValues, data, offsets(0), values, validity)
    Dictionary.Items(values, if (validity.hasNulls) validity else null)
  }

  private def bytes(offset: Long, numBytes: Long): Buffer = {
    CorruptFileException.check(
      numBytes <= tail.fileSize - offset,
      s"a dictionary of $numBytes bytes at $offset of a file of ${tail.fileSize} bytes"
    )
    tail.read(IndexedSeq(ByteRange(offset, numBytes))).head
  }
}
