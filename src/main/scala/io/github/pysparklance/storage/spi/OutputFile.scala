// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

/** A new file that one thread writes sequentially. It must not be used before [[close]] returns. */
trait OutputFile extends AutoCloseable {

  /** Path of the file. */
  def path: String

  /** Number of bytes written, which is the offset of the next byte. */
  def position: Long

  /** Appends `bytes[from, from + length)`; the array may be reused afterwards. */
  def write(bytes: Array[Byte], from: Int, length: Int): Unit

  /** Appends all of `bytes`. */
  final def write(bytes: Array[Byte]): Unit = write(bytes, 0, bytes.length)

  /** Finishes the file and makes it durable. If that fails, removes it as [[abort]] does. Does
    * nothing after [[close]] or [[abort]].
    */
  def close(): Unit

  /** Closes and removes the file, as far as the storage allows. Never throws. Does nothing after
    * [[close]].
    */
  def abort(): Unit
}
