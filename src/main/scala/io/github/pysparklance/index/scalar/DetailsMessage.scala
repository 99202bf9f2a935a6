// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import java.io.ByteArrayOutputStream

/** Encodes a details message. Details messages of scalar indices have only numeric fields. */
private[scalar] object DetailsMessage {

  /** @param fields field numbers, ascending, with non-negative values */
  def apply(fields: (Int, Long)*): Array[Byte] = {
    val out = new ByteArrayOutputStream
    def varint(value: Long): Unit =
      if (value < 0x80) out.write(value.toInt)
      else {
        out.write((value & 0x7f | 0x80).toInt)
        varint(value >>> 7)
      }
    fields.foreach { case (field, value) =>
      varint(field.toLong << 3)
      varint(value)
    }
    out.toByteArray
  }
}
