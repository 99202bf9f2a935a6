// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.util.concurrent.{
  ExecutionException,
  LinkedBlockingQueue,
  ThreadFactory,
  ThreadPoolExecutor,
  TimeUnit
}

/** Runs independent functions in parallel threads. */
object Workers {

  /** Returns `f` of each item, in the order of the items.
    *
    * If a call fails, its exception is thrown and calls that have not started are dropped. If the
    * calling thread is interrupted, running calls are interrupted, too. In all cases, waits for
    * running calls before it returns or throws.
    *
    * @param threads number of parallel calls, at least 1
    * @throws java.lang.InterruptedException if the calling thread is interrupted
    */
  def map[A, B](items: IndexedSeq[A], threads: Int)(f: A => B): IndexedSeq[B] =
    if (items.length <= 1 || threads <= 1) items.map { item =>
      if (Thread.interrupted()) throw new InterruptedException
      f(item)
    }
    else {
      val numThreads = math.min(threads, items.length)
      val pool = new ThreadPoolExecutor(
        numThreads,
        numThreads,
        0L,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue[Runnable],
        daemons
      )
      try {
        val futures = items.map(item => pool.submit(() => f(item)))
        futures.map(_.get())
      } catch {
        case e: ExecutionException =>
          pool.getQueue.clear()
          throw e.getCause
        case e: InterruptedException =>
          pool.shutdownNow()
          throw e
      } finally {
        pool.shutdown()
        awaitEnd(pool)
      }
    }

  /** Waits for running calls, even if the thread is interrupted. */
  private def awaitEnd(pool: ThreadPoolExecutor): Unit = {
    var isInterrupted = false
    var hasEnded = false
    while (!hasEnded)
      try hasEnded = pool.awaitTermination(1, TimeUnit.HOURS)
      catch {
        case _: InterruptedException =>
          isInterrupted = true
          pool.shutdownNow(): Unit
      }
    if (isInterrupted) Thread.currentThread.interrupt()
  }

  private val daemons: ThreadFactory = { r =>
    val t = new Thread(r, "pyspark-lance-worker")
    t.setDaemon(true)
    t
  }
}
