// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.storm

import java.util.concurrent.ThreadLocalRandom

import scala.annotation.tailrec
import scala.util.Random

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.maintenance.{Compaction, CompactionOptions}
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.rowid.RowIdSequence
import io.github.pysparklance.testkit.TableRows

/** One of many writers on a table of [[TableRows.schema]]. It appends its own rows, deletes its own
  * rows, adds 1 to the values of shared rows, and compacts the table. A task that conflicts with
  * another commit is retried on the latest version. `python/tests/kit/storm.py` does the same with
  * pylance.
  */
final class StormWriter(path: String) {
  import StormWriter._

  private val store = Storage.local

  /** Runs a task until it is committed. */
  @tailrec
  def run(task: Task, attempt: Int = 0): Entry =
    (try Some(once(task))
    catch { case e: CommitConflictException if e.retryable && attempt < 1000 => None }) match {
      case Some(entry) => entry
      case None =>
        Thread.sleep(ThreadLocalRandom.current().nextLong(50L))
        run(task, attempt + 1)
    }

  private def once(task: Task): Entry = {
    val t = LanceTable.open(store, path)
    def entry(committed: LanceTable, rows: Int): Entry =
      Entry(task.kind, committed.version, task.id, rows)
    task.kind match {
      case "append" =>
        entry(t.append(IndexedSeq(TableRows.write(store, path, Seq((task.id, 0L))))), 1)
      case "delete" =>
        val rows = TableRows.where(store, t)(_.head == task.id)
        entry(t.delete(rows, s"id = ${task.id}"), rows.size)
      case "update" =>
        val row = TableRows(store, t, stableIds(t)).find(_.head == task.id).get
        val rows = TableRows.where(store, t)(_.head == task.id)
        val value = row(1).asInstanceOf[Long] + 1
        val added = TableRows.write(store, path, Seq((task.id, value)))
        val moved =
          if (!t.hasStableRowIds) added
          else {
            val ids = RowIdSequence.of(Array(row(2).asInstanceOf[Long])).toBytes
            Fragment.unassigned(added.files, 1, Some(ids))
          }
        entry(t.update(rows, IndexedSeq(moved), Set(1)), rows.size)
      case "compact" =>
        val options = CompactionOptions(targetRowsPerFragment = 64)
        val (compacted, metrics) = new Compaction(t).run(options)
        entry(compacted, metrics.fragmentsRemoved.toInt)
    }
  }

  private def stableIds(t: LanceTable) =
    if (t.hasStableRowIds) IndexedSeq(io.github.pysparklance.table.scan.MetadataColumn.RowId)
    else IndexedSeq.empty
}

object StormWriter {

  /** The kinds of tasks. */
  val kinds: Seq[String] = Seq("append", "delete", "update", "compact")

  /** A task of a writer.
    *
    * @param id id of the row to change
    */
  final case class Task(kind: String, id: Long)

  /** A committed task.
    *
    * @param version version that it created
    * @param rows number of rows that it read
    */
  final case class Entry(kind: String, version: Long, id: Long, rows: Int) {
    override def toString: String = s"$kind $version $id $rows"
  }

  object Entry {

    /** Parses the text of an entry. */
    def parse(line: String): Entry = {
      val words = line.split(' ')
      Entry(words(0), words(1).toLong, words(2).toLong, words(3).toInt)
    }
  }

  /** Generates the tasks of one party, in any order.
    *
    * @param party 1, 2, ...
    * @param count number of tasks of each kind
    * @param counters number of shared rows, whose ids are 0, 1, ...
    */
  def tasks(party: Int, count: Int, seed: Long, counters: Int): Seq[Task] = {
    val random = new Random(seed)
    random.shuffle((0 until count).flatMap { i =>
      kinds.map {
        case "append" => Task("append", appendedId(party, i))
        case "delete" => Task("delete", doomedId(party, i))
        case kind => Task(kind, random.nextInt(counters).toLong)
      }
    })
  }

  /** Returns the id of a row that a party appends. */
  def appendedId(party: Int, i: Int): Long = 1000000L * party + i

  /** Returns the id of a row that a party deletes. */
  def doomedId(party: Int, i: Int): Long = appendedId(party, i) + 500000

  /** `PATH PARTY COUNT SEED COUNTERS`: runs all tasks of a party, and prints a line for each. */
  def main(arguments: Array[String]): Unit = {
    val writer = new StormWriter(arguments(0))
    val Array(party, count, seed, counters) = arguments.drop(1).map(_.toLong): @unchecked
    tasks(party.toInt, count.toInt, seed, counters.toInt).foreach(t => println(writer.run(t)))
  }
}
