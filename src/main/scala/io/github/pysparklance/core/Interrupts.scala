// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Work that must not be broken off by an interrupt, such as the removal of files after a task was killed. */
private[pysparklance] object Interrupts {

  /** Runs it. An interrupt that came before is kept until afterwards. */
  def defer[A](body: => A): A = {
    val isInterrupted = Thread.interrupted()
    try body
    finally if (isInterrupted) Thread.currentThread.interrupt()
  }
}
