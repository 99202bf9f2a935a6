// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.deletion

import java.io.IOException
import java.nio.ByteBuffer

import org.roaringbitmap.{InvalidRoaringFormat, RoaringBitmap}

import io.github.pysparklance.core.CorruptFileException

/** A deletion file with the suffix `.bin`: a Roaring bitmap of row offsets in the portable 32-bit
  * format.
  */
private object RoaringDeletionFile {

  /** @throws CorruptFileException if the bytes are not a bitmap, or are truncated */
  def decode(bytes: Array[Byte]): RoaringBitmap = {
    val bitmap = new RoaringBitmap
    try bitmap.deserialize(ByteBuffer.wrap(bytes))
    catch {
      case e @ (_: IOException | _: InvalidRoaringFormat | _: IndexOutOfBoundsException |
          _: java.nio.BufferUnderflowException | _: NegativeArraySizeException |
          _: IllegalArgumentException) =>
        throw new CorruptFileException(
          "corrupt deletion file: it is not a Roaring bitmap",
          cause = e
        )
    }
    val size = bitmap.serializedSizeInBytes
    CorruptFileException.check(
      size <= bytes.length,
      s"corrupt deletion file: a bitmap of $size bytes in ${bytes.length} bytes"
    )
    bitmap
  }

  /** Encodes a deletion file without run containers. */
  def encode(bitmap: RoaringBitmap): Array[Byte] = {
    val plain = bitmap.clone()
    plain.removeRunCompression()
    val bytes = new Array[Byte](plain.serializedSizeInBytes)
    plain.serialize(ByteBuffer.wrap(bytes))
    bytes
  }
}
