// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Buffer, Values}

/** Decodes a block of unsigned 32-bit or 64-bit numbers: offsets of strings, or positions and
  * counts of sparse pages. Some blocks have no bytes because their description is complete.
  *
  * Source: format page of the compressive encodings, "2.3 generic unsigned sequences". Numbers of
  * 2^63 and above are rejected as damage, because no valid count reaches them.
  */
trait SequenceDecoder {

  /** Whether the sequence has a buffer of bytes. */
  def hasPayload: Boolean

  /** Returns the numbers as an arithmetic progression if the description alone determines them.
    * Returns `None` for zero numbers.
    *
    * @throws CorruptFileException if the sequence cannot have `numValues` numbers
    */
  def progression(numValues: Long): Option[Progression]

  /** Appends the `numValues` numbers to `out`, which has their width.
    *
    * @param payload empty unless [[hasPayload]]
    * @throws CorruptFileException if the payload holds a different number of values
    */
  def decode(payload: Buffer, numValues: Int, out: Values): Unit
}

/** Number i is `start + i * step`. Neither is negative; all numbers are equal if `step` is 0. */
final case class Progression(start: Long, step: Long) {
  def apply(i: Long): Long = start + i * step
}
