// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import io.github.pysparklance.storage.requests.{BackgroundThreads, Pending}

/** Threads that encode pages in the background while the threads of file writers collect the next
  * rows. Every open file already has a writing thread. So the number of concurrent encodings is
  * limited to the remaining processors, and to the number of open files.
  *
  * @param processors processors of this JVM
  */
final private[file] class EncodingThreads(processors: Int) {
  private val files = new AtomicInteger
  private val busy = new AtomicInteger
  private lazy val threads = new BackgroundThreads("lance-encode", math.max(1, processors))

  /** Registers an open file, until [[leave]]. */
  def enter(): Unit = files.incrementAndGet(): Unit

  def leave(): Unit = files.decrementAndGet(): Unit

  /** Claims an idle processor for one call of [[start]]. Returns whether there was one. */
  def claim(): Boolean = {
    val claimed = busy.incrementAndGet()
    val fits = claimed <= files.get && claimed + files.get <= processors
    if (!fits) busy.decrementAndGet(): Unit
    fits
  }

  /** Returns a claimed processor for which no work is started. */
  def release(): Unit = busy.decrementAndGet(): Unit

  /** Starts work for which a processor was claimed. The processor is released before the work
    * counts as done.
    */
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
        release() // in case the work did not start
      }
    }
  }
}

private[file] object EncodingThreads {

  /** The threads of this JVM. */
  val shared: EncodingThreads = new EncodingThreads(Runtime.getRuntime.availableProcessors)
}
