// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import scala.collection.immutable.ArraySeq

/** Arrays as sequences, without a copy. The array must not be changed afterwards. */
object Wrapped {
  def apply[A](array: Array[A]): IndexedSeq[A] = ArraySeq.unsafeWrapArray(array)
}
