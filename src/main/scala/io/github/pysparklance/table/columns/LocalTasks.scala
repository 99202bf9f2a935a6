// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import java.util.concurrent.ConcurrentHashMap

import io.github.pysparklance.core.{Interrupts, Workers}

/** Runs independent tasks in parallel threads of this JVM. */
private[table] object LocalTasks {

  /** Returns the results of all tasks, in their order. If a task fails, running tasks end before
    * its exception is thrown.
    *
    * @param threads number of parallel tasks
    * @param undo reverts the result of a finished task after another task failed or the calling
    *   thread was interrupted
    */
  def run[T, R](
      tasks: IndexedSeq[T],
      threads: Int = Runtime.getRuntime.availableProcessors
  )(task: T => R)(undo: R => Unit): IndexedSeq[R] =
    if (tasks.length <= 1) tasks.map(task)
    else {
      val results = new ConcurrentHashMap[Int, R]
      try Workers.map(tasks.indices, threads)(i => results.put(i, task(tasks(i))): Unit)
      catch {
        case e: Throwable =>
          Interrupts.defer(results.values.forEach(undo(_)))
          throw e
      }
      tasks.indices.map(results.get(_))
    }
}
