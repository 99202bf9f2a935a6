// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.storm

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{StorageFaults, TableRows}

/** A writer that waits to be killed. */
object KilledWriter {

  /** Output when the process reached the point. */
  val ready: String = "ready"

  /** `PATH SCENARIO CALL before|after`: runs a scenario up to one storage call and waits there.
    * `PATH`: adds fragments of one row until it is killed, and reports after the first.
    */
  def main(arguments: Array[String]): Unit = arguments match {
    case Array(path, scenario, call, when) =>
      val fault = StorageFaults.Died(afterEffect = when == "after")
      val faults = new StorageFaults(Some(call.toInt -> fault), death = () => await())
      val site = Site(faults(Storage.local), Storage.local, path)
      Scenario.all.find(_.name == scenario).get.act(site)
    case other => append(other.head)
  }

  private def append(path: String): Unit = {
    var table = LanceTable.open(Storage.local, path)
    var id = 1000L
    while (true) {
      table = table.append(IndexedSeq(TableRows.write(Storage.local, path, Seq((id, id * 10)))))
      println(ready)
      id += 1
    }
  }

  private def await(): Unit = {
    println(ready)
    Thread.sleep(Long.MaxValue)
  }
}
