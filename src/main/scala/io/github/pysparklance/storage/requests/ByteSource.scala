// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

import io.github.pysparklance.core.ByteRange

/** A file whose bytes can be requested by position. Thread-safe. */
trait ByteSource {

  /** Characteristics of the storage that holds the file. */
  def profile: StorageProfile

  /** Reads `length` bytes at `offset` into `out` from index `outAt` on. */
  def readInto(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit

  /** Returns an array of at least the length of a range.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if the range exceeds the file, or no
    *   array can be that long
    */
  private[storage] def arrayFor(range: ByteRange, spare: SpareArrays): Array[Byte]
}
