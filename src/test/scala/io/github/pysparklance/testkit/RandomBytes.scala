// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.util.Random

/** Random bytes as a new array: `Random.nextBytes(Int)`, which Scala 2.12 does not have. */
object RandomBytes {
  def apply(random: Random, n: Int): Array[Byte] = {
    val bytes = new Array[Byte](n)
    random.nextBytes(bytes)
    bytes
  }
}
