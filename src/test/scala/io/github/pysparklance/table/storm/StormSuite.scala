// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.storm

import java.nio.file.{Files, Paths}
import java.util.concurrent.{ConcurrentLinkedQueue, Executors, TimeUnit}

import scala.concurrent.duration.DurationInt
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.jdk.CollectionConverters._

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.MetadataColumn
import io.github.pysparklance.testkit.{
  OtherJvm,
  Pylance,
  PylanceWorker,
  TableRows,
  TemporaryFolder,
  TestRun
}

/** Eight threads, a second JVM, and a pylance process change one table concurrently. Each of these
  * three parties does everything 10 times. `PYSPARK_LANCE_STORM` sets this number, which is 1150 in
  * `make test-long`. `PYSPARK_LANCE_SEED` changes the order.
  */
class StormSuite extends AnyFunSuite with TemporaryFolder {
  import StormWriter._

  private val store = Storage.local
  private val isLong = TestRun.isLong

  /** As large as the seeds of long runs. */
  private val seed = sys.env.get("PYSPARK_LANCE_SEED").fold(6L << 40)(_.toLong)
  private val count = sys.env.get("PYSPARK_LANCE_STORM").fold(if (isLong) 300 else 10)(_.toInt)
  private val counters = 5
  private val numThreads = 8
  private val minutes = if (isLong) 120 else 10

  /** Threads of this JVM, another JVM, pylance. */
  private val parties = 1 to 3

  for (stable <- if (isLong) Seq(true, false) else Seq(true))
    test(s"no commit is lost, ${if (stable) "stable row ids" else "row ids are addresses"}") {
      val python = PylanceWorker.interpreter
      val path = folder.resolve("storm").toString
      create(path, stable)
      val started = System.nanoTime()
      val committed = run(path, python)
      val seconds = (System.nanoTime() - started) / 1e9
      withClue(s"seed $seed: ")(check(path, committed))
      val versions = LanceTable.versions(store, path).length
      info(f"seed $seed, ${committed.length} commits, $versions versions in $seconds%.1f s")
    }

  test("in the long run, rows have different ids, and there are 10,000 commits") {
    val script = Files.readString(Paths.get("scripts/long-tests"))
    val tasks = "\"PYSPARK_LANCE_STORM\": (\\d+)".r.findFirstMatchIn(script).get.group(1).toInt
    val ids = initialIds(tasks) ++ parties.flatMap(p => (0 until tasks).map(appendedId(p, _)))
    assert(ids.distinct.length == ids.length)
    assert(numChanges(tasks) >= 10000)
  }

  /** Ids of the shared rows, and of the rows to be deleted. */
  private def initialIds(count: Int): Seq[Long] =
    (0 until counters).map(_.toLong) ++ parties.flatMap(p => (0 until count).map(doomedId(p, _)))

  /** Number of appends, deletes, and updates of all parties. Each is a commit. */
  private def numChanges(count: Int): Int = parties.length * (kinds.length - 1) * count

  /** Creates shared rows and rows to be deleted, interleaved. */
  private def create(path: String, stable: Boolean): Unit = {
    val ids = initialIds(count)
    val fragments = ids.grouped(math.max(1, ids.length / 4)).map { group =>
      TableRows.write(store, path, group.map(_ -> 0L))
    }
    LanceTable.create(
      store,
      path,
      TableRows.schema,
      fragments.toIndexedSeq,
      enableStableRowIds = stable
    ): Unit
  }

  private def run(path: String, python: String): Seq[Entry] = {
    val arguments = Seq(count.toString, seed.toString, counters.toString)
    val main = StormWriter.getClass.getName.stripSuffix("$")
    val pool = Executors.newFixedThreadPool(numThreads + 2)
    implicit val context: ExecutionContext = ExecutionContext.fromExecutor(pool)
    val others = Seq(
      OtherJvm.start(main, path +: parties(1).toString +: arguments: _*),
      new ProcessBuilder(
        Seq(python, "python/tests/kit/storm.py", path, parties(2).toString) ++ arguments: _*
      ).redirectError(ProcessBuilder.Redirect.INHERIT).start()
    )
    try {
      val todo = new ConcurrentLinkedQueue[Task]
      tasks(parties(0), count, seed, counters).foreach(todo.add)
      val threads = (1 to numThreads).map { _ =>
        Future {
          val writer = new StormWriter(path)
          Iterator.continually(todo.poll()).takeWhile(_ != null).map(writer.run(_)).toList
        }
      }
      val processes = others.map { p =>
        Future {
          val said = OtherJvm.lines(p).map(Entry.parse).toList
          assert(p.waitFor() == 0, "the exit code of a process")
          said
        }
      }
      Await.result(Future.sequence(threads ++ processes), minutes.minutes).flatten
    } finally {
      others.foreach(_.destroyForcibly())
      pool.shutdownNow()
      pool.awaitTermination(60, TimeUnit.SECONDS): Unit
    }
  }

  private def check(path: String, committed: Seq[Entry]): Assertion = {
    val made = committed.filter(_.rows > 0)
    val versions = LanceTable.versions(store, path)
    assert(versions == (1L to versions.length.toLong), "versions have gaps")
    assert(versions.length > numChanges(count), "a version for each change")
    assert(made.map(_.version).distinct.length == made.length, "a version was made twice")
    checkHistory(path, made.map(e => e.version -> e).toMap)
    val t = LanceTable.open(store, path)
    val rows = TableRows(store, t).map(r => r.head -> r(1)).sortBy(_.toString)
    val updates = made.filter(_.kind == "update").groupBy(_.id).map { case (id, all) =>
      id -> all.length.toLong
    }
    val expected = (0 until counters).map(c => (c.toLong, updates.getOrElse(c.toLong, 0L))) ++
      parties.flatMap(p => (0 until count).map(i => (appendedId(p, i), 0L)))
    assert(rows == expected.sortBy(_.toString), "rows of the latest version")
    checkWithPylance(path): Unit
    if (t.hasStableRowIds) {
      val ids = TableRows(store, t, IndexedSeq(MetadataColumn.RowId)).map(_(2))
      assert(ids.distinct.length == ids.length, "row ids are unique")
      assert((0L until counters.toLong).forall(ids.contains), "updates keep row ids")
    } else succeed
  }

  /** Checks that every version is readable and has the rows that its operation makes of the
    * previous version.
    */
  private def checkHistory(path: String, made: Map[Long, Entry]): Unit = {
    var before = 0L
    LanceTable.history(store, path).foreach { v =>
      val rows = TableRows(store, LanceTable.open(store, path, Some(v.version))).length.toLong
      val operation = v.operation.getOrElse(fail(s"version ${v.version} names no operation"))
      withClue(s"version ${v.version}, $operation, ${made.get(v.version)}: ") {
        operation match {
          case "Overwrite" => assert(v.version == 1)
          case "Append" => assert(rows == before + 1 && made(v.version).kind == "append")
          case "Delete" => assert(rows == before - 1 && made(v.version).kind == "delete")
          case "Update" => assert(rows == before && made(v.version).kind == "update")
          case "Rewrite" => assert(rows == before && made(v.version).kind == "compact")
          case "ReserveFragments" => assert(rows == before)
          case other => fail(s"nobody did $other")
        }
        assert(v.rowCount.contains(rows))
      }
      before = rows
    }
  }

  /** Checks that pylance reads the same rows, and the same number in every version. */
  private def checkWithPylance(path: String): Assertion = {
    val rows = Pylance.rows(path).map(r => (r.get("id").asLong, r.get("value").asLong))
    val ours = TableRows(store, LanceTable.open(store, path))
    assert(rows == ours.map(r => (r.head, r(1))))
    val counts = Pylance.run(
      "result = [dataset(path, v['version']).count_rows() for v in dataset(path).versions()]",
      "path" -> path
    )
    val expected = LanceTable.history(store, path).map(_.rowCount.get).toSeq
    assert(counts.elements.asScala.map(_.asLong).toSeq == expected)
  }
}
