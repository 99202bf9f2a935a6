// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

import io.github.pysparklance.core.ByteRange

/** A file whose bytes can be requested by position. Any number of threads may read at the same time. */
trait ByteSource {

  /** The storage that holds the file. */
  def profile: StorageProfile

  /** Reads `length` bytes at `offset` into `out` from `outAt`. */
  def readInto(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit

  /** Returns an array for the bytes of a range, which is as long or longer.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if the range leaves the file, or no array is as large
    */
  private[storage] def arrayFor(range: ByteRange, spare: SpareArrays): Array[Byte]
}
