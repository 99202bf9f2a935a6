// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.io.InterruptedIOException
import java.nio.channels.ClosedByInterruptException

/** Shields work from interrupts, such as the removal of files after a task was killed. */
private[pysparklance] object Interrupts {

  /** Runs `body` with the thread's interrupt status cleared, and restores the status afterwards. */
  def defer[A](body: => A): A = {
    val isInterrupted = Thread.interrupted()
    try body
    finally if (isInterrupted) Thread.currentThread.interrupt()
  }

  /** Whether a failure is due to an interrupt or a timeout rather than to the data that was read.
    * True for every failure of an interrupted thread, because interrupts close channels.
    */
  def isCauseOf(failure: Throwable): Boolean =
    failure.isInstanceOf[InterruptedIOException] || Thread.currentThread.isInterrupted ||
      Iterator.iterate(failure)(_.getCause).takeWhile(_ != null).take(maxCauses).exists {
        case _: InterruptedException | _: ClosedByInterruptException => true
        // Its subclasses are timeouts.
        case e => e.getClass == classOf[InterruptedIOException]
      }

  /** Throws if the current thread is interrupted, and keeps its interrupt status.
    *
    * @param work that stops, for the message
    * @throws java.io.InterruptedIOException if it is interrupted
    */
  def check(work: => String): Unit =
    if (Thread.currentThread.isInterrupted) throw new InterruptedIOException(s"$work: interrupted")

  private val maxCauses = 20
}
