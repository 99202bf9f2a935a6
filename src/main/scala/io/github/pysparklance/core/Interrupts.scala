// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Shields work from interrupts, such as the removal of files after a task was killed. */
private[pysparklance] object Interrupts {

  /** Runs `body` with the thread's interrupt status cleared, and restores the status afterwards. */
  def defer[A](body: => A): A = {
    val isInterrupted = Thread.interrupted()
    try body
    finally if (isInterrupted) Thread.currentThread.interrupt()
  }
}
