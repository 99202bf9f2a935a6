// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

/** A new file being written from front to back by one thread. Nobody may rely on it before [[close]]. */
trait OutputFile extends AutoCloseable {

  /** The file. */
  def path: String

  /** Bytes written so far: the offset of the next byte. */
  def position: Long

  /** Appends `bytes[from, from + length)`; the array may be reused afterwards. */
  def write(bytes: Array[Byte], from: Int, length: Int): Unit

  /** Appends all of `bytes`. */
  final def write(bytes: Array[Byte]): Unit = write(bytes, 0, bytes.length)

  /** Finishes the file, which then survives a power loss; when that fails it is removed as by [[abort]]. Closing again does nothing, nor does closing after
    * [[abort]].
    */
  def close(): Unit

  /** Gives up: closes what is open and removes the file, as far as storage allows. Never throws; does nothing
    * after [[close]].
    */
  def abort(): Unit
}
