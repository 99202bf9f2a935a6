// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Buffer, Values}

/** Turns one block of unsigned numbers of 32 or 64 bits into values: offsets of strings, positions and counts of sparse
  * pages. Some blocks have no bytes, because their description says all.
  *
  * Source: format page of the compressive encodings, "2.3 generic unsigned sequences". Numbers from 2^63 on are taken
  * for damage: nothing that is counted here reaches them.
  */
trait SequenceDecoder {

  /** Whether a buffer with bytes belongs to the sequence. */
  def hasPayload: Boolean

  /** The numbers, when their description alone says that they lie at equal distances; none for no numbers.
    *
    * @throws CorruptFileException when there cannot be `numValues` of them
    */
  def progression(numValues: Long): Option[Progression]

  /** Appends the `numValues` numbers to `out`, which holds values of their width.
    *
    * @param payload empty without [[hasPayload]]
    * @throws CorruptFileException when it holds another number of them
    */
  def decode(payload: Buffer, numValues: Int, out: Values): Unit
}

/** Number i is `start + i * step`; neither is negative, a step of 0 says that all are equal. */
final case class Progression(start: Long, step: Long) {
  def apply(i: Long): Long = start + i * step
}
