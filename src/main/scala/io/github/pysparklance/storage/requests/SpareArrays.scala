// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

import java.util.concurrent.ArrayBlockingQueue

/** A pool of arrays for reads. Zeroing a new array takes about half as long as reading its bytes,
  * and large arrays burden the garbage collector. Thread-safe.
  *
  * An array has one owner at a time. [[take]] passes ownership to the caller. [[add]] ends the
  * ownership of the caller and of everyone it shared the bytes with.
  *
  * @param most maximum number of pooled arrays, at least 1
  * @param maxBytes longer arrays are not pooled
  */
final private[pysparklance] class SpareArrays(most: Int, maxBytes: Int) {
  private val arrays = new ArrayBlockingQueue[Array[Byte]](most)

  /** Returns an array to the pool. Its bytes must not be read afterwards. */
  def add(array: Array[Byte]): Unit = {
    SpareArrays.onReturn(array)
    if (array.length <= maxBytes) arrays.offer(array): Unit
  }

  /** Returns an array with undefined content and at least `length` bytes. Pooled arrays have at
    * most about twice as many.
    */
  def take(length: Int): Array[Byte] = {
    val array = arrays.poll()
    if (array != null && array.length >= length && array.length / 2 <= length) array
    else new Array[Byte](length)
  }
}

private[pysparklance] object SpareArrays {

  /** Called with each returned array. Tests replace it to detect later reads of its bytes. */
  @volatile var onReturn: Array[Byte] => Unit = (_: Array[Byte]) => ()

  /** Pools nothing. */
  val none: SpareArrays = new SpareArrays(most = 1, maxBytes = -1)
}
