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

/** Runs independent pieces of work side by side. */
object Workers {

  /** The answer for each item, in the order of the items.
    *
    * When one fails, those not begun yet are given up, those under way are awaited, and its exception is thrown. When the
    * calling thread is interrupted, those under way are interrupted before they are awaited. So nothing runs on when this
    * method has returned or thrown.
    *
    * @param threads how many run at a time, at least 1
    * @throws java.lang.InterruptedException when the calling thread is interrupted
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

  /** Waits for the work under way, whatever interrupts. */
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
