// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.util.concurrent.CopyOnWriteArrayList

import io.github.pysparklance.core.BestEffort

/** Notifies listeners in this process of changes that this process made to tables: commits of any kind, on any branch,
  * and tables dropped or moved. All of them come through here, so that a cache above need not know how tables are
  * written.
  */
object TableChanges {
  private val listeners = new CopyOnWriteArrayList[String => Unit]

  /** Adds a listener for the rest of the process. It is called on the thread that made the change, after it; its
    * failures do not reach the writer.
    *
    * @param listener takes the path of the table or branch that changed
    */
  def listen(listener: String => Unit): Unit = listeners.add(listener): Unit

  /** Calls the listeners.
    *
    * @param path of the table or branch
    */
  private[table] def changed(path: String): Unit =
    listeners.forEach(l => BestEffort.run(s"refreshing caches of $path")(l(path)): Unit)
}
