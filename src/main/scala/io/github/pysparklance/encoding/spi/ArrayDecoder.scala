// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_0.{ArrayEncoding, Buffer => BufferMessage}

/** Values with their validity, to which the decoders of a 2.0 page append.
  *
  * @param nulls the validity of the first values; all later values are valid
  */
final class NullableValues(val values: Values, val nulls: Validity = new Validity) {

  def clear(): Unit = {
    values.clear()
    nulls.clear()
  }

  /** Extends the validity to the first `numItems` values, so that the next ones can be appended. */
  def nullsUpTo(numItems: Int): Validity = {
    nulls.appendValid(numItems - nulls.numItems)
    nulls
  }

  /** The validity of all values; null if all are valid. */
  def validity: Validity = if (nulls.hasNulls) nullsUpTo(values.numItems) else null
}

/** A decoder in the tree of encodings that describes a 2.0 page. Performs no I/O.
  *
  * A page is read in three steps: the [[head]] buffers of its root, then [[open]], then [[read]]
  * for windows of its values. A window may request further ranges depending on bytes it received.
  * Not thread-safe.
  *
  * Source: format page of the encodings of 2.0.
  */
abstract class ArrayDecoder {

  /** Positions of all buffers of this node and its children. */
  def buffers: IndexedSeq[Int]

  /** Positions of the buffers to read completely before anything else: dictionaries, and buffers
    * compressed in one piece.
    */
  def head: IndexedSeq[Int] = IndexedSeq.empty

  /** Parses the head buffers.
    *
    * @param buffers buffers by position; contains at least the buffers of [[head]]
    * @throws CorruptFileException if they contradict the page's description
    */
  def open(buffers: Array[Buffer]): Unit = ()

  /** Approximate bits that a window takes per value. Used to size windows. */
  def bitsPerValue: Long

  /** Whether the page stores bytes for its values. If not, nothing confirms the number of values.
    */
  final def takesBytes: Boolean = bitsPerValue > 0 || head.nonEmpty

  /** Whether every value is null and no bytes are stored. */
  def isAllNulls: Boolean = false

  /** Whether this node can produce nulls. */
  def yieldsNulls: Boolean

  /** Starts reading values of the node. Call after [[open]]. */
  def read(values: RowRange): ArrayRead
}

/** A window of consecutive values of a node. The caller supplies bytes until none are needed, then
  * decodes the values in order, in portions of any size.
  */
abstract class ArrayRead {

  /** The ranges to read next; empty when all bytes are present. */
  def needs: IndexedSeq[PageRange]

  /** Whether nothing more is needed after the ranges of [[needs]]. */
  def isLast: Boolean

  /** Supplies the bytes of [[needs]], in the same order. */
  def supply(bytes: IndexedSeq[Buffer]): Unit

  /** Splits the window so that this part takes at most `maxBytes`, if the node can compute
    * its size, but keeps at least one value. Call after [[supply]].
    *
    * @return number of values that remain, and a window of the others with all bytes supplied to
    *   them; `None` if nothing was split off
    */
  def splitOff(maxBytes: Long): Option[(Int, ArrayRead)] = None

  /** Appends the next values to `out`. `numValues` must not exceed the remaining values.
    *
    * @throws CorruptFileException if the bytes violate the format
    */
  def decode(numValues: Int, out: NullableValues): Unit

  /** Returns the next values of a node of single bytes. Valid until the next call. */
  def bytes(numValues: Int): Buffer = {
    val out = new ByteValues
    decode(numValues, new NullableValues(out))
    new Buffer(out.array, 0, numValues)
  }
}

/** A decoder of values that are indices into a dictionary of the page. */
abstract class DictionaryDecoder extends ArrayDecoder {

  /** The items of the dictionary. Call after [[open]]. */
  def items: Values

  def read(values: RowRange): DictionaryRead
}

/** A window of dictionary indices. */
abstract class DictionaryRead extends ArrayRead {

  /** Appends the next indices as `IntValues`. Indices of non-null values lie in the dictionary. */
  def decodeIndices(numValues: Int, out: NullableValues): Unit
}

/** The decoder of a list page. Its values are the lengths of the lists, as `IntValues`. */
abstract class ListDecoder extends ArrayDecoder {

  /** Total number of items in the page's lists. */
  def numItems: Long

  def read(values: RowRange): ListRead
}

/** A window of lists. */
abstract class ListRead extends ArrayRead {

  /** The items of these lists, relative to the page's first item. Available when no more bytes are
    * needed.
    */
  def items: RowRange
}

/** Creates the decoders of one page's tree and resolves its buffers. */
trait ArrayChooser {

  /** Whether the column's type is an Arrow dictionary. Its pages number indices differently. */
  def isDictionary: Boolean

  /** Returns the position of a buffer among all buffers that the page can use.
    *
    * @throws CorruptFileException if the buffer does not exist
    */
  def position(buffer: BufferMessage): Int

  /** Returns the bytes of the buffer at a position. */
  def sizeBytes(position: Int): Long

  /** Creates the decoder of an encoding.
    *
    * @param numValues number of values of the node, or [[ArrayChooser.Unknown]] if only other
    *   buffers determine it
    * @throws CorruptFileException if the message is damaged, or contradicts the type or the buffers
    * @throws UnsupportedFeatureException for an unsupported encoding
    */
  def decoder(encoding: ArrayEncoding, numValues: Long, valueType: ValueType): ArrayDecoder
}

object ArrayChooser {
  val Unknown: Long = -1L
}
