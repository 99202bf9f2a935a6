// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

import java.util.concurrent.{
  ExecutionException,
  FutureTask,
  LinkedBlockingQueue,
  ThreadFactory,
  ThreadPoolExecutor,
  TimeUnit
}

/** The result of work that runs in the background. */
trait Pending[+A] {

  /** Whether [[await]] returns immediately. */
  def isDone: Boolean

  /** Returns the result, or throws the exception of the work. If the work has not started, runs it
    * in the calling thread.
    *
    * @throws java.util.concurrent.CancellationException if the work was canceled before it started
    */
  def await(): A

  /** Cancels work that has not started. Running work is not interrupted, because an interrupt would
    * close the file for all readers.
    */
  def cancel(): Unit
}

/** Runs work in the background. */
trait Background {

  /** Starts work immediately or queues it until a thread is free. */
  def start[A](work: () => A): Pending[A]
}

/** A thread pool for blocking storage requests. Idle threads end after 30 seconds.
  *
  * @param name name of the threads
  * @param numThreads maximum number of threads
  */
final class BackgroundThreads(name: String, numThreads: Int) extends Background {
  private val threads = {
    val factory: ThreadFactory = { task =>
      val t = new Thread(task, name)
      t.setDaemon(true)
      t
    }
    val queue = new LinkedBlockingQueue[Runnable]
    val pool =
      new ThreadPoolExecutor(numThreads, numThreads, 30L, TimeUnit.SECONDS, queue, factory)
    pool.allowCoreThreadTimeOut(true)
    pool
  }

  def start[A](work: () => A): Pending[A] = {
    val job = new Job(work)
    threads.execute(job)
    job
  }

  final private class Job[A](work: () => A) extends FutureTask[A](() => work()) with Pending[A] {
    def await(): A = {
      run() // does nothing if the work has started already
      try get()
      catch { case e: ExecutionException => throw e.getCause }
    }

    def cancel(): Unit = {
      cancel(false): Unit
      threads.remove(this): Unit
    }
  }
}
