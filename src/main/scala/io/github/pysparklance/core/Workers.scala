// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.util.concurrent.{ExecutionException, Executors, Future, ThreadFactory}

/** Runs independent pieces of work side by side. */
object Workers {

  /** The answer for each item, in the order of the items.
    *
    * When one fails, those not begun yet are given up, those under way are awaited, and its exception is thrown.
    *
    * @param threads how many run at a time, at least 1
    */
  def map[A, B](items: IndexedSeq[A], threads: Int)(f: A => B): IndexedSeq[B] =
    if (items.length <= 1 || threads <= 1) items.map(f)
    else {
      val pool = Executors.newFixedThreadPool(math.min(threads, items.length), daemons)
      try {
        val futures = items.map(item => pool.submit(() => f(item)))
        try futures.map(_.get())
        catch {
          case e: ExecutionException =>
            futures.foreach(_.cancel(false))
            futures.foreach(awaitQuietly)
            throw e.getCause
        }
      } finally pool.shutdown()
    }

  private def awaitQuietly(f: Future[_]): Unit =
    try if (!f.isCancelled) f.get(): Unit
    catch { case _: ExecutionException => () }

  private val daemons: ThreadFactory = { r =>
    val t = new Thread(r, "pyspark-lance-worker")
    t.setDaemon(true)
    t
  }
}
