// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.local.LocalFileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.maintenance.SlowCompaction
import io.github.pysparklance.testkit.{Pylance, TestRun}

/** Streams that continue after several versions in a row were cleaned up. */
class SourceGapSuite extends AnyFunSuite with SourceTests {

  private def vacuum(): Unit = sql(s"VACUUM $name RETAIN 0 HOURS"): Unit

  private var number = 0

  /** A commit without changed rows. */
  private def configure(): Unit = {
    number += 1
    sql(s"ALTER TABLE $name SET TBLPROPERTIES ('a' = '$number')"): Unit
  }

  private def feed = stream("readChangeFeed" -> true)

  /** Runs something with a table whose two rows both kinds of streams have read. */
  private def withRead(stable: Boolean)(body: => Any): Unit = withTable(stable) {
    Seq(checkpoint, other("feed")).foreach(c => LocalFileStore.deleteFolder(c.toString))
    insert(1)
    insert(2)
    drain(stream())
    drain(feed, other("feed"))
    body
  }

  /** Both kinds of streams read these inserted rows, and nothing else. */
  private def assertRead(ids: Long*): Assertion = {
    assert(drain(stream()).flatten == ids.map(i => s"$i,s$i"))
    val changes = drain(feed, other("feed")).flatten
    assert(changes == ids.map(i => s"$i,s$i,insert,$version"))
  }

  private def assertLost(): Unit =
    for ((frame, to) <- Seq(stream() -> checkpoint, feed -> other("feed"))) {
      val e = problem(frame, to)
      assert(e.contains("failOnDataLoss") && e.contains("cleaned up"), e)
    }

  test("properties and indices whose versions were cleaned up are no loss") {
    withRead(stable = true) {
      configure()
      sql(s"CREATE INDEX i ON $name USING btree (id)")
      configure()
      vacuum()
      assertRead()
      configure()
      configure()
      insert(3)
      vacuum()
      assertRead(3)
      sql(s"DELETE FROM $name WHERE id = 1")
      drain(stream("ignoreDeletes" -> true))
      drain(feed, other("feed"))
      configure()
      configure()
      vacuum()
      assertRead()
    }
  }

  test("the first version after the missing ones may be a compaction") {
    withRead(stable = false) {
      configure()
      configure()
      sql(s"OPTIMIZE $name")
      vacuum()
      assertRead()
      insert(3)
      assertRead(3)
      sql(s"DELETE FROM $name WHERE id = 1")
      drain(stream("ignoreDeletes" -> true))
      drain(feed, other("feed"))
      configure()
      Pylance.run(
        "result = dataset(path).optimize.compact_files().fragments_removed",
        "path" -> path
      )
      vacuum()
      assertRead()
      insert(4)
      assertRead(4)
    }
  }

  test("versions that may have changed rows are a loss") {
    def inserted(): Unit = insert(3)
    def deleted(id: Int): Unit = sql(s"DELETE FROM $name WHERE id = $id"): Unit
    def updated(): Unit = sql(s"UPDATE $name SET s = 'x'"): Unit
    def optimized(): Unit = sql(s"OPTIMIZE $name"): Unit
    val changes = Seq[() => Unit](
      () => inserted(),
      () => deleted(1),
      () => updated(),
      () => { inserted(); optimized() },
      () => { deleted(1); optimized() },
      () => { updated(); optimized() },
      () => { inserted(); deleted(3) },
      () => { inserted(); deleted(3); optimized() }
    )
    TestRun.sample(4, changes.zipWithIndex).foreach { case (change, i) =>
      withRead(stable = i % 2 == 0) {
        change()
        val isAppend = i % 3 == 0
        if (isAppend) insert(9) else configure()
        vacuum()
        assertLost()
        val rest = drain(stream("failOnDataLoss" -> false)).flatten
        assert(rest == (if (isAppend) Seq("9,s9") else Nil), s"change $i")
      }
    }
  }

  test("rows of removed versions are a loss if a compaction reserved a fragment id before them") {
    withRead(stable = false) {
      SlowCompaction(LanceTable.open(Storage.local, path)) {
        assertRead()
        insert(3)
        sql(s"DELETE FROM $name WHERE id = 3")
      }
      vacuum()
      assertLost()
    }
  }

  test("a micro-batch without rows that was planned before its version was cleaned up") {
    withTable() {
      insert(1)
      drain(stream())
      configure()
      assert(drain(stream()).flatten == Nil)
      forgetLast()
      configure()
      configure()
      vacuum()
      assert(drain(stream()).flatten == Nil)
      insert(2)
      assert(drain(stream()).flatten == Seq("2,s2"))
    }
  }

  test("a start time before versions that were cleaned up") {
    withTable() {
      Seq(1L, 2L, 3L).foreach(insert(_))
      vacuum()
      val start = "startingTimestamp" -> "2001-01-01"
      for (options <- Seq(Nil, Seq("readChangeFeed" -> true))) {
        val lost = problem(stream(options :+ start: _*), other("lost", options))
        assert(lost.contains("failOnDataLoss") && lost.contains("cleaned up"), lost)
        val rest = stream(options :+ start :+ ("failOnDataLoss" -> false): _*)
        assert(ids(rest, other("rest", options)) == Seq(3))
      }
    }
  }

  test("several gaps between versions that tags keep") {
    withRead(stable = true) {
      for (tag <- Seq("one", "two")) {
        configure()
        configure()
        sql(s"ALTER TABLE $name CREATE TAG $tag")
      }
      configure()
      insert(3)
      sql(s"VACUUM $name RETAIN 0 HOURS WITH (error_if_tagged_old_versions = false)")
      assertRead(3)
    }
  }
}
