// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import java.util.concurrent.{
  FutureTask,
  LinkedBlockingQueue,
  ThreadFactory,
  ThreadPoolExecutor,
  TimeUnit
}

/** Threads that encode pages while those that write files gather the next rows. Each file has a thread of its own
  * already, so there are at most as many as processors are left, and one for each file that is being written.
  *
  * @param processors of this JVM
  */
final private class EncodingThreads(processors: Int) {
  private val files = new AtomicInteger
  private val busy = new AtomicInteger
  private lazy val pool = EncodingThreads.newPool(math.max(1, processors))

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
  def start[A](work: () => A): FutureTask[A] = {
    val claimed = new AtomicBoolean(true)
    def release(): Unit = if (claimed.getAndSet(false)) busy.decrementAndGet(): Unit
    val task = new FutureTask[A](() =>
      try work()
      finally release()
    ) {
      override def done(): Unit = release() // of work that was cancelled before it began
    }
    pool.execute(task)
    task
  }
}

private object EncodingThreads {

  /** Those of this JVM. */
  val shared: EncodingThreads = new EncodingThreads(Runtime.getRuntime.availableProcessors)

  private def newPool(threads: Int): ThreadPoolExecutor = {
    val factory: ThreadFactory = { task =>
      val t = new Thread(task, "lance-encode")
      t.setDaemon(true)
      t
    }
    val queue = new LinkedBlockingQueue[Runnable]
    val pool = new ThreadPoolExecutor(threads, threads, 30L, TimeUnit.SECONDS, queue, factory)
    pool.allowCoreThreadTimeOut(true)
    pool
  }
}
