// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import scala.collection.{immutable, AbstractSeq}

/** Arrays as sequences, without a copy. The array must not be changed afterwards. */
object Wrapped {
  def apply[A](array: Array[A]): immutable.IndexedSeq[A] = new Elements(array)

  final private class Elements[A](array: Array[A])
      extends AbstractSeq[A]
      with immutable.IndexedSeq[A]
      with Serializable {
    def length: Int = array.length
    def apply(i: Int): A = array(i)
  }
}
