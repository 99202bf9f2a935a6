// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_0.{ArrayEncoding, Buffer => BufferMessage}

/** Values with their nulls, as the nodes of a page of 2.0 append them.
  *
  * @param nulls the validity of the first values; those behind it are valid
  */
final class NullableValues(val values: Values, val nulls: Validity = new Validity) {

  def clear(): Unit = {
    values.clear()
    nulls.clear()
  }

  /** The validity, with an entry for each of the first `numItems` values so that the next can be appended. */
  def nullsUpTo(numItems: Int): Validity = {
    nulls.appendValid(numItems - nulls.numItems)
    nulls
  }

  /** The validity of all values, null when each is valid. */
  def validity: Validity = if (nulls.hasNulls) nullsUpTo(values.numItems) else null
}

/** A node of the tree of encodings that describes a page of 2.0, its bytes not read yet. Pure until [[open]].
  *
  * A page is read in three steps: the [[head]] buffers of its root whole, then [[open]], then [[read]] for windows of
  * its values, each of which says in turn which bytes it needs. Not thread-safe.
  *
  * Source: format page of the encodings of 2.0.
  */
abstract class ArrayDecoder {

  /** Positions of all buffers at and below this node. */
  def buffers: IndexedSeq[Int]

  /** Positions of those to read whole before anything else: dictionaries, buffers compressed as one. */
  def head: IndexedSeq[Int] = IndexedSeq.empty

  /** @param buffers by position; those of [[head]] are there
    * @throws CorruptFileException when they contradict the page's description
    */
  def open(buffers: Array[Buffer]): Unit = ()

  /** Bits that a window takes for each value, about; to find windows of a size. */
  def bitsPerValue: Long

  /** Whether bytes stand behind the number of values; if not, it is only a claim. */
  final def takesBytes: Boolean = bitsPerValue > 0 || head.nonEmpty

  /** Whether every value is null, and no bytes are there. */
  def isAllNulls: Boolean = false

  /** Whether values can be null on account of this node. */
  def yieldsNulls: Boolean

  /** Starts to read values of the node, after [[open]]. */
  def read(values: RowRange): ArrayRead
}

/** Some consecutive values of a node. Bytes are asked for until none is needed any more, then the values are decoded
  * from front to back, in any portions.
  */
abstract class ArrayRead {

  /** Bytes needed next; none when all are there. */
  def needs: IndexedSeq[PageRange]

  /** Whether nothing more will be needed once what [[needs]] says is there. */
  def isLast: Boolean

  /** Hands over the bytes of [[needs]], in its order. */
  def supply(bytes: IndexedSeq[Buffer]): Unit

  /** Called when something was supplied: cuts the values off whose bytes go beyond a size, as far as the node knows
    * now, and leaves at least one.
    *
    * @return how many are left here, and the others, with all that is supplied to them; None: nothing is cut
    */
  def splitOff(maxBytes: Long): Option[(Int, ArrayRead)] = None

  /** Appends the next values to `out`. The caller does not ask for more than there are.
    *
    * @throws CorruptFileException when the bytes contradict the format
    */
  def decode(numValues: Int, out: NullableValues): Unit

  /** The next values of a node of single bytes. Valid until the next call. */
  def bytes(numValues: Int): Buffer = {
    val out = new ByteValues
    decode(numValues, new NullableValues(out))
    new Buffer(out.array, 0, numValues)
  }
}

/** A node whose values are positions among a few of the page. */
abstract class DictionaryDecoder extends ArrayDecoder {

  /** The values that indices point at, after [[open]]. */
  def items: Values

  def read(values: RowRange): DictionaryRead
}

abstract class DictionaryRead extends ArrayRead {

  /** Appends the next indices, an `IntValues`; those of values that are not null lie among the items. */
  def decodeIndices(numValues: Int, out: NullableValues): Unit
}

/** A list page: its values are the lengths of the lists, an `IntValues`. */
abstract class ListDecoder extends ArrayDecoder {

  /** Items of the page's lists. */
  def numItems: Long

  def read(values: RowRange): ListRead
}

abstract class ListRead extends ArrayRead {

  /** The items of these lists, counted from the page's first; known when nothing is needed any more. */
  def items: RowRange
}

/** Makes the nodes of one page's tree and knows its buffers. */
trait ArrayChooser {

  /** Whether the column's type is an Arrow dictionary, whose pages count indices otherwise. */
  def isDictionary: Boolean

  /** The position of a buffer among all that the page can use.
    *
    * @throws CorruptFileException when there is no such buffer
    */
  def position(buffer: BufferMessage): Int

  /** Bytes of the buffer at a position. */
  def sizeBytes(position: Int): Long

  /** @param numValues values of the node; [[ArrayChooser.Unknown]] for bytes that only other buffers count
    * @throws CorruptFileException when the message is damaged, or does not fit the type or the buffers
    * @throws UnsupportedFeatureException for an encoding that is not built
    */
  def decoder(encoding: ArrayEncoding, numValues: Long, valueType: ValueType): ArrayDecoder
}

object ArrayChooser {
  val Unknown: Long = -1L
}
