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

/** Something that is worked on beside the thread that wants it. */
trait Pending[+A] {

  /** Whether [[await]] answers at once. */
  def isDone: Boolean

  /** The outcome; what went wrong is raised here. Work that nobody has begun is done by the caller.
    *
    * @throws java.util.concurrent.CancellationException when it was given up before it began
    */
  def await(): A

  /** Gives up what has not begun. What runs is not interrupted, which would close a file for everybody; it ends by
    * itself.
    */
  def cancel(): Unit
}

/** Does work beside the thread that wants it. */
trait Background {

  /** Starts some work, at once or as soon as there is a thread for it. */
  def start[A](work: () => A): Pending[A]
}

/** Threads that wait for storage. They end when there has been nothing to do for a while.
  *
  * @param name of the threads
  * @param numThreads at most
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
      run() // does nothing when a thread has begun already
      try get()
      catch { case e: ExecutionException => throw e.getCause }
    }

    def cancel(): Unit = {
      cancel(false): Unit
      threads.remove(this): Unit
    }
  }
}
