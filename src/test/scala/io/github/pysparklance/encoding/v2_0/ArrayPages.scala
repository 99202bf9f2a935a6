// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import scala.util.Random

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.ArrayEncodings
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.testkit.ValuesGenerators

/** Reads pages of 2.0 without files. */
object ArrayPages {

  def decoder(page: ArrayPage, valueType: ValueType, isDictionary: Boolean = false): ArrayDecoder =
    ArrayEncodings.values(
      page.wrapped,
      page.numValues,
      page.buffers.map(_.length.toLong),
      page.buffers.length,
      valueType,
      isDictionary
    )

  def listDecoder(page: ArrayPage): ListDecoder =
    ArrayEncodings.lists(
      page.wrapped,
      page.numValues,
      page.buffers.map(_.length.toLong),
      page.buffers.length
    )

  def open(decoder: ArrayDecoder, page: ArrayPage): Unit = {
    val head = new Array[Buffer](page.buffers.length)
    decoder.head.foreach(i => head(i) = shifted(page.buffers(i)))
    decoder.open(head)
  }

  /** Copies the bytes to an odd position of a larger array, so that no decoder can rely on the
    * start of its array.
    */
  private def shifted(bytes: Array[Byte]): Buffer = {
    val array = Array.fill[Byte](bytes.length + 13)(0x5a)
    System.arraycopy(bytes, 0, array, 7, bytes.length)
    new Buffer(array, 7, bytes.length)
  }

  /** Supplies all bytes that a read needs, and no others. */
  def supply(read: ArrayRead, page: ArrayPage): Unit = {
    var needs = read.needs
    while (needs.nonEmpty) {
      read.supply(needs.map { r =>
        shifted(Buffer(page.buffers(r.buffer)).slice(r.offset, r.length).toBytes)
      })
      needs = read.needs
    }
  }

  /** Reads some ranges of a page, in portions of any size. */
  def read(
      page: ArrayPage,
      valueType: ValueType,
      ranges: Seq[RowRange],
      isDictionary: Boolean = false,
      random: Random = new Random(1)
  ): IndexedSeq[Any] = {
    val node = decoder(page, valueType, isDictionary)
    open(node, page)
    val out = new NullableValues(Values.allocate(valueType))
    def decodeAll(read: ArrayRead, numValues: Int): Unit = {
      if (random.nextBoolean()) {
        // As for windows of bytes: the first round, then the parts that were split off.
        val needs = read.needs
        if (needs.nonEmpty)
          read.supply(needs.map(r =>
            shifted(Buffer(page.buffers(r.buffer)).slice(r.offset, r.length).toBytes)
          ))
        read.splitOff(random.nextInt(100).toLong) match {
          case Some((left, rest)) =>
            decodePart(read, left)
            decodeAll(rest, numValues - left)
          case None => decodePart(read, numValues)
        }
      } else decodePart(read, numValues)
    }
    def decodePart(read: ArrayRead, numValues: Int): Unit = {
      supply(read, page)
      var left = numValues
      while (left > 0) {
        val n = 1 + random.nextInt(left)
        read.decode(n, out)
        left -= n
      }
    }
    ranges.foreach(r => decodeAll(node.read(r), r.numRows.toInt))
    rows(out)
  }

  def rows(out: NullableValues): IndexedSeq[Any] = {
    val validity = out.validity
    val all = ValuesGenerators.contents(out.values).toIndexedSeq
    all.indices.map(i => if (validity != null && !validity.isValid(i)) null else all(i))
  }
}
