// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.util.concurrent.atomic.AtomicInteger

import io.github.pysparklance.storage.requests.SpareArrays

/** Overwrites released arrays, so that later reads of them return wrong values. */
object PoisonedArrays {
  private val poison = 0x5a.toByte

  /** Runs `body`, and returns the number of released arrays. */
  def during(body: => Unit): Int = {
    val count = new AtomicInteger
    SpareArrays.onReturn = { array =>
      java.util.Arrays.fill(array, poison)
      count.incrementAndGet(): Unit
    }
    try body
    finally SpareArrays.onReturn = _ => ()
    count.get
  }
}
