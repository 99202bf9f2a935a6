// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

/** A mutable key, so that hot loops do not allocate a [[Key]] for each row. Not thread-safe.
  *
  * A slot has a number or a slice of bytes, depending on [[KeyType.isNumber]].
  */
final class KeySlot {

  /** The key as a number, see [[NumberKey]]. */
  var number: Long = 0L

  /** The array with the bytes of the key. Owned by the source of the key. */
  var bytes: Array[Byte] = Array.emptyByteArray

  /** Start of the key in [[bytes]]. */
  var from: Int = 0

  /** End of the key in [[bytes]], exclusive. */
  var until: Int = 0

  def setBytes(array: Array[Byte], from: Int, until: Int): Unit = {
    bytes = array
    this.from = from
    this.until = until
  }

  def numBytes: Int = until - from

  /** Compares the bytes of two slots. */
  def compareBytes(that: KeySlot): Int =
    java.util.Arrays.compareUnsigned(bytes, from, until, that.bytes, that.from, that.until)

  /** Returns an immutable copy of the key. */
  def toKey(isNumber: Boolean): Key =
    if (isNumber) NumberKey(number)
    else new BytesKey(java.util.Arrays.copyOfRange(bytes, from, until))
}
