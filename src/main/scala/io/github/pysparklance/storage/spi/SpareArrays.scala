// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import java.util.concurrent.ArrayBlockingQueue

/** Arrays of bytes that were read and decoded, for reads to come: to fill a new one with zeros takes about half as long
  * as to read it, and large ones are a burden to the garbage collector. Any thread may add and take.
  *
  * @param most how many are kept, at least 1
  * @param maxBytes longer ones are not
  */
final private[pysparklance] class SpareArrays(most: Int, maxBytes: Int) {
  private val arrays = new ArrayBlockingQueue[Array[Byte]](most)

  /** Gives an array away: nobody else may look at it any more. */
  def add(array: Array[Byte]): Unit = if (array.length <= maxBytes) arrays.offer(array): Unit

  /** An array of at least so many bytes, and not of many more; what it holds is anything. */
  def take(length: Int): Array[Byte] = {
    val array = arrays.poll()
    if (array != null && array.length >= length && array.length / 2 <= length) array
    else new Array[Byte](length)
  }
}

private[pysparklance] object SpareArrays {

  /** Keeps nothing. */
  val none: SpareArrays = new SpareArrays(most = 1, maxBytes = -1)
}
