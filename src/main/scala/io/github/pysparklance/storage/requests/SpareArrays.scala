// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

import java.util.concurrent.ArrayBlockingQueue

/** Keeps arrays of decoded bytes for later reads: filling a new array with zeros takes about half as long as reading its
  * bytes, and large arrays are a burden to the garbage collector. Any thread may add and take.
  *
  * An array has one owner at a time. [[take]] hands it to a read; [[add]] ends the ownership of the caller and of all
  * that the caller passed its bytes to.
  *
  * @param most number of arrays kept, at least 1
  * @param maxBytes longer arrays are not kept
  */
final private[pysparklance] class SpareArrays(most: Int, maxBytes: Int) {
  private val arrays = new ArrayBlockingQueue[Array[Byte]](most)

  /** Takes an array back, which nobody may read any more. */
  def add(array: Array[Byte]): Unit = {
    SpareArrays.onReturn(array)
    if (array.length <= maxBytes) arrays.offer(array): Unit
  }

  /** Returns an array of at least `length` bytes, and at most about twice as many, with any content. */
  def take(length: Int): Array[Byte] = {
    val array = arrays.poll()
    if (array != null && array.length >= length && array.length / 2 <= length) array
    else new Array[Byte](length)
  }
}

private[pysparklance] object SpareArrays {

  /** Called with each array that is taken back. Tests overwrite it, so that later reads of its bytes are noticed. */
  @volatile var onReturn: Array[Byte] => Unit = (_: Array[Byte]) => ()

  /** Keeps nothing. */
  val none: SpareArrays = new SpareArrays(most = 1, maxBytes = -1)
}
