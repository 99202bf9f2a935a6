// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.Messages

/** Non-decreasing numbers as the differences between neighbors. Source: message `Delta`, format
  * page of the compressive encodings, "2.3 generic unsigned sequences".
  *
  * {{{
  *   base 0, deltas 2 6 6 2      0 2 8 14 16
  * }}}
  * The first number is `base`. The bytes encode the deltas, one fewer than there are numbers. Since
  * 2.3, as a sequence of at least two numbers. Hot code: imperative.
  */
object Delta {

  def sequence(message: v2_1.Delta, bits: Int, deltas: SequenceDecoder): SequenceDecoder = {
    Messages.integerWidth("Delta", message.getUncompressedBitsPerValue, FixedWidth(bits)): Unit
    val base = message.getBase
    val most = Sequences.mostOf(bits)
    CorruptFileException.check(
      base >= 0 && base <= most,
      s"Delta from ${java.lang.Long.toUnsignedString(base)} for numbers of $bits bits"
    )
    new DeltaSequence(base, bits, most, deltas)
  }

  final private class DeltaSequence(base: Long, bits: Int, most: Long, deltas: SequenceDecoder)
      extends SequenceDecoder {
    def hasPayload: Boolean = deltas.hasPayload

    def progression(numValues: Long): Option[Progression] = {
      checkNumValues(numValues)
      deltas.progression(numValues - 1).filter(_.step == 0).map { d =>
        val numbers = Progression(base, d.start)
        Range.checkLast(numbers, numValues, most)
        numbers
      }
    }

    def decode(payload: Buffer, numValues: Int, out: Values): Unit = {
      checkNumValues(numValues.toLong)
      val steps = Values.allocate(FixedWidth(bits))
      deltas.decode(payload, numValues - 1, steps)
      out match {
        case v: IntValues => ints(steps.asInstanceOf[IntValues].array, numValues, v)
        case v: LongValues => longs(steps.asInstanceOf[LongValues].array, numValues, v)
        case other =>
          throw new CorruptFileException(s"Delta for ${other.getClass.getSimpleName}")
      }
    }

    private def ints(steps: Array[Int], numValues: Int, out: IntValues): Unit = {
      val at = out.extend(numValues)
      val array = out.array
      var number = base // cannot overflow: at most 2^31 steps below 2^32
      array(at) = number.toInt
      var i = 1
      while (i < numValues) {
        number += steps(i - 1) & 0xffffffffL
        array(at + i) = number.toInt
        i += 1
      }
      if (number > most) overflow()
    }

    private def longs(steps: Array[Long], numValues: Int, out: LongValues): Unit = {
      val at = out.extend(numValues)
      val array = out.array
      var number = base
      var over = 0L
      array(at) = number
      var i = 1
      while (i < numValues) {
        number += steps(i - 1)
        over |= number | steps(i - 1)
        array(at + i) = number
        i += 1
      }
      if (over < 0) overflow()
    }

    private def checkNumValues(numValues: Long): Unit =
      if (numValues < 2) throw new CorruptFileException(s"Delta for $numValues numbers")

    private def overflow(): Nothing =
      throw new CorruptFileException(s"Delta beyond the highest number of $bits bits")
  }
}
