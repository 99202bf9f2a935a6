// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import java.util.concurrent.{Callable, ExecutionException, Executors}

/** Runs independent tasks side by side on this machine. */
private[columns] object LocalTasks {

  /** The answers of all tasks, in their order. When one fails the others come to their end first.
    *
    * @param undo takes the answer of a task back when another one failed
    */
  def run[T, R](tasks: IndexedSeq[T])(task: T => R)(undo: R => Unit): IndexedSeq[R] =
    if (tasks.length <= 1) tasks.map(task)
    else {
      val threads =
        Executors.newFixedThreadPool(
          math.min(tasks.length, Runtime.getRuntime.availableProcessors)
        )
      try {
        val running = tasks.map(t => threads.submit((() => task(t)): Callable[R]))
        val ended = running.map { f =>
          try Right(f.get())
          catch { case e: ExecutionException => Left(e.getCause) }
        }
        ended.collectFirst { case Left(failure) =>
          ended.foreach(_.foreach(undo))
          throw failure
        }
        ended.collect { case Right(answer) => answer }
      } finally threads.shutdownNow(): Unit
    }
}
