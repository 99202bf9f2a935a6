// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core.{Buffer, ByteRange}
import io.github.pysparklance.file.metadata.DataFileMetadata
import io.github.pysparklance.storage.spi.OutputFile

/** The front of a 2.x file that is being written: buffers of pages, and values that lie outside pages.
  *
  * Source: format page of the file container, "Buffers, alignment, padding".
  */
final private class DataArea(output: OutputFile) {

  /** Writes a buffer, and what fills the file up to where the next one begins.
    *
    * @return where it is, without the padding
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

  /** What fills the file between buffers, as other writers do. */
  private val padding: Array[Byte] = Array.fill(DataFileMetadata.alignment)(0x48.toByte)
}
