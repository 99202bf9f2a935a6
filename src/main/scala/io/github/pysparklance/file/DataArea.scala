// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core.{Buffer, ByteRange}
import io.github.pysparklance.file.metadata.DataFileMetadata
import io.github.pysparklance.storage.spi.OutputFile

/** The data area at the front of a new 2.x file: page buffers, and values outside of pages.
  *
  * Source: format page of the file container, "Buffers, alignment, padding".
  */
final private class DataArea(output: OutputFile) {

  /** Writes a buffer, and padding up to the start of the next one.
    *
    * @return range of the buffer, without the padding
    */
  def write(buffer: Buffer): ByteRange = {
    val range = ByteRange(output.position, buffer.length.toLong)
    output.write(buffer.array, buffer.offset, buffer.length)
    val past = (output.position % DataFileMetadata.alignment).toInt
    if (past != 0) output.write(DataArea.padding, 0, DataFileMetadata.alignment - past)
    range
  }
}

private object DataArea {

  /** The padding between buffers, the same as in files of other writers. */
  private val padding: Array[Byte] = Array.fill(DataFileMetadata.alignment)(0x48.toByte)
}
