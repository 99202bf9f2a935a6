// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import io.github.pysparklance.core.Workers

/** Runs independent tasks side by side on this machine. */
private[columns] object LocalTasks {

  /** The answers of all tasks, in their order. When one fails the others come to their end first.
    *
    * @param undo takes the answer of a task back when another one failed
    */
  def run[T, R](tasks: IndexedSeq[T])(task: T => R)(undo: R => Unit): IndexedSeq[R] =
    if (tasks.length <= 1) tasks.map(task)
    else {
      val ended = Workers.map(tasks, Runtime.getRuntime.availableProcessors) { t =>
        try Right(task(t))
        catch {
          case failure: Throwable => Left(failure)
        } // thrown below, once the others are undone
      }
      ended.collectFirst { case Left(failure) =>
        ended.foreach(_.foreach(undo))
        throw failure
      }
      ended.collect { case Right(answer) => answer }
    }
}
