// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import io.github.pysparklance.storage.requests.{BackgroundThreads, Pending}

/** Threads that encode pages while those that write files gather the next rows. Each file has a thread of its own
  * already, so there are at most as many as processors are left, and one for each file that is being written.
  *
  * @param processors of this JVM
  */
final private[file] class EncodingThreads(processors: Int) {
  private val files = new AtomicInteger
  private val busy = new AtomicInteger
  private lazy val threads = new BackgroundThreads("lance-encode", math.max(1, processors))

  /** A file that is being written begins, until [[leave]]. */
  def enter(): Unit = files.incrementAndGet(): Unit

  def leave(): Unit = files.decrementAndGet(): Unit

  /** Whether a processor is idle; it is the caller's then, for one call of [[start]]. */
  def claim(): Boolean = {
    val claimed = busy.incrementAndGet()
    val fits = claimed <= files.get && claimed + files.get <= processors
    if (!fits) busy.decrementAndGet(): Unit
    fits
  }

  /** Begins work for which a processor was claimed. Whoever sees that it has ended can claim the processor again. */
  def start[A](work: () => A): Pending[A] = {
    val claimed = new AtomicBoolean(true)
    def release(): Unit = if (claimed.getAndSet(false)) busy.decrementAndGet(): Unit
    val started = threads.start { () =>
      try work()
      finally release()
    }
    new Pending[A] {
      def isDone: Boolean = started.isDone
      def await(): A = started.await()
      def cancel(): Unit = {
        started.cancel()
        release() // of work that has not begun
      }
    }
  }
}

private[file] object EncodingThreads {

  /** Those of this JVM. */
  val shared: EncodingThreads = new EncodingThreads(Runtime.getRuntime.availableProcessors)
}
