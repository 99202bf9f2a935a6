// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.util.concurrent.CopyOnWriteArrayList

import io.github.pysparklance.core.BestEffort

/** Notifies listeners in this process after it changed a table. Changes are commits of any kind on
  * any branch, and dropped or moved tables. It decouples caches from the writers of tables.
  */
object TableChanges {
  private val listeners = new CopyOnWriteArrayList[String => Unit]

  /** Adds a listener for the lifetime of the process. It is called on the thread that made the
    * change, after the change. Its failures are logged and not thrown.
    *
    * @param listener takes the path of the changed table or branch
    */
  def listen(listener: String => Unit): Unit = listeners.add(listener): Unit

  /** Calls the listeners.
    *
    * @param path path of the table or branch
    */
  private[table] def changed(path: String): Unit =
    listeners.forEach(l => BestEffort.run(s"refreshing caches of $path")(l(path)): Unit)
}
