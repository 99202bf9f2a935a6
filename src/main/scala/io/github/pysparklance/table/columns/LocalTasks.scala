// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import java.util.concurrent.ConcurrentHashMap

import io.github.pysparklance.core.{Interrupts, Workers}

/** Runs independent tasks side by side on this machine. */
private[table] object LocalTasks {

  /** The answers of all tasks, in their order. When one fails, those under way come to their end first.
    *
    * @param threads tasks that run at a time
    * @param undo takes the answer of a task back when another one failed, or the calling thread was interrupted
    */
  def run[T, R](
      tasks: IndexedSeq[T],
      threads: Int = Runtime.getRuntime.availableProcessors
  )(task: T => R)(undo: R => Unit): IndexedSeq[R] =
    if (tasks.length <= 1) tasks.map(task)
    else {
      val answers = new ConcurrentHashMap[Int, R]
      try Workers.map(tasks.indices, threads)(i => answers.put(i, task(tasks(i))): Unit)
      catch {
        case e: Throwable =>
          Interrupts.defer(answers.values.forEach(undo(_)))
          throw e
      }
      tasks.indices.map(answers.get(_))
    }
}
