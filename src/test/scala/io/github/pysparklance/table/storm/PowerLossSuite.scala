// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.storm

import java.nio.file.{Files, Path}

import scala.collection.mutable
import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.local.ForgetfulDisk
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{StorageFaults, TableRows, TemporaryFolder}

/** The power fails after every call of an operation to a local disk. Unsynced data is lost, and the
  * table reads as before or as after the operation. If the operation has returned, it reads as
  * after.
  */
class PowerLossSuite extends AnyFunSuite with TemporaryFolder {

  /** Deletions need not survive, so deleted tags and branches may reappear. */
  private val removes = Set("delete a tag", "delete a branch", "clean-up")

  private def disk(syncs: Path => Boolean = _ => true): ForgetfulDisk =
    new ForgetfulDisk(Files.createDirectory(folder.resolve("attic")), syncs)

  /** Runs a scenario.
    *
    * @return number of power failures
    */
  private def check(scenario: Scenario, disk: ForgetfulDisk): Int = {
    val tables = Files.createDirectory(folder.resolve("tables"))
    val path = tables.resolve("t").toString
    val store = disk.store
    def stateNow() = TableState.of(store, path, scenario.removesVersions)
    scenario.before(Site(store, store, path))
    val states = mutable.ArrayBuffer(stateNow())
    var losses = 0
    val counting = new StorageFaults(after = { call =>
      // Copies run in several threads, which need their folder.
      if (call.changesFiles && call.method != "copy") {
        states += stateNow()
        losses += 1
        val left = withClue(s"after $call: ")(disk.afterPowerLoss(tables)(stateNow()))
        assert(states.contains(left), s"after $call: neither before nor after")
        ()
      }
    })
    scenario.act(Site(counting(store), store, path))
    if (!removes(scenario.name))
      assert(disk.afterPowerLoss(tables)(stateNow()) == stateNow(), "not all is there afterwards")
    losses
  }

  Scenario.all.foreach { scenario =>
    test(scenario.name)(info(s"${check(scenario, disk())} power losses"))
  }

  private def scenario(name: String): Scenario = Scenario.all.find(_.name == name).get

  test("a disk without syncs of data files, deletion files or folders loses rows") {
    Seq[(String, Path => Boolean)](
      "append" -> (p => !p.toString.contains("/data/")),
      "append" -> (p => p.getFileName.toString != "data"),
      "delete" -> (p => !p.toString.contains("/_deletions/")),
      "append" -> (p => p.getFileName.toString != "_versions")
    ).zipWithIndex.foreach { case ((name, syncs), i) =>
      val here = Files.createDirectory(folder.resolve(s"$i"))
      val attic = Files.createDirectory(here.resolve("attic"))
      val tables = Files.createDirectory(here.resolve("tables"))
      val lazyDisk = new ForgetfulDisk(attic, syncs)
      val site = Site(lazyDisk.store, lazyDisk.store, tables.resolve("t").toString)
      scenario(name).before(site)
      scenario(name).act(site)
      def rows() = TableRows(lazyDisk.store, LanceTable.open(lazyDisk.store, site.path))
      val before = rows()
      assert(lazyDisk.afterPowerLoss(tables)(Try(rows())).toOption.forall(_ != before))
    }
  }
}
