// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.Messages

/** Evenly spaced numbers. Source: message `Range`, format page of the compressive encodings, "2.3
  * generic unsigned sequences".
  *
  * {{{
  *   start 0, step 10, 4 numbers   no bytes   0 10 20 30
  * }}}
  * There are at least two numbers. They ascend, and the last fits the width. Since 2.3, as a
  * sequence.
  */
object Range {

  def sequence(message: v2_1.Range, bits: Int): SequenceDecoder = {
    Messages.integerWidth("Range", message.getUncompressedBitsPerValue, FixedWidth(bits)): Unit
    val start = message.getStart
    val step = message.getStep
    val most = Sequences.mostOf(bits)
    CorruptFileException.check(
      start >= 0 && start <= most && step > 0 && step <= most,
      s"Range from ${java.lang.Long.toUnsignedString(start)} in steps of ${java.lang.Long.toUnsignedString(step)}"
    )
    new RangeSequence(Progression(start, step), most)
  }

  final private class RangeSequence(numbers: Progression, most: Long) extends SequenceDecoder {
    val hasPayload = false

    def progression(numValues: Long): Option[Progression] = {
      checkLast(numbers, numValues, most)
      Some(numbers)
    }

    def decode(payload: Buffer, numValues: Int, out: Values): Unit = {
      checkLast(numbers, numValues.toLong, most)
      Sequences.append(numbers, numValues, out)
    }
  }

  /** Checks that a progression can have `numValues` numbers, which are at least two.
    *
    * @param most the highest possible number
    */
  private[compression] def checkLast(numbers: Progression, numValues: Long, most: Long): Unit =
    if (
      numValues < 2 || (numbers.step > 0 && numValues - 1 > (most - numbers.start) / numbers.step)
    )
      throw new CorruptFileException(
        s"$numValues numbers from ${numbers.start} in steps of ${numbers.step} exceed the maximum $most"
      )
}
