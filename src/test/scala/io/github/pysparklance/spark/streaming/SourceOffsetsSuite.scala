// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.connector.read.streaming.Offset
import org.scalatest.funsuite.AnyFunSuite

/** The offsets of a stream: after restarts, and while other writers commit. */
class SourceOffsetsSuite extends AnyFunSuite with SourceTests {

  private def isBefore(a: Offset, b: Offset): Boolean = (a, b) match {
    case (x: StreamOffset, y: StreamOffset) =>
      x.version < y.version || (x.version == y.version && x.position < y.position)
    case (_: StreamOffset, _) => false
    case (_, _: StreamOffset) => true
    case _ => false
  }

  // Guards against a fault of Delta Lake's source: after a restart, the latest offset moved back
  // (delta#548).
  for {
    options <- Seq[Seq[(String, Any)]](
      Nil,
      Seq("maxRowsPerTrigger" -> 2),
      Seq("maxFragmentsPerTrigger" -> 3),
      Seq("startingVersion" -> 2, "maxRowsPerTrigger" -> 3),
      Seq("readChangeFeed" -> true, "maxRowsPerTrigger" -> 1)
    )
    isAvailableNow <- Seq(false, true)
  } test(
    s"the latest offset never moves back after a restart, $options, AvailableNow $isAvailableNow"
  ) {
    withTable(properties = ", 'write.max-rows-per-file' = '2'") {
      sql(s"INSERT INTO $name SELECT /*+ COALESCE(1) */ id, 's' FROM range(0, 6, 1, 1)")
      insert(6)
      insert(7, 8, 9)
      var read: Offset = microBatches(options: _*).stream.initialOffset()
      for (i <- 1 to 12) {
        val restarted = microBatches(options: _*)
        if (isAvailableNow) restarted.stream.prepareForTriggerAvailableNow()
        val end = restarted.next(read)
        assert(!isBefore(end, read), s"$read, then $end")
        assert(restarted.next(read) == end, "a second call returns the same end")
        restarted.stream.planInputPartitions(read, end): Unit
        read = restarted.stream.deserializeOffset(end.json())
        if (i == 3) sql(s"OPTIMIZE $name")
        if (i == 5) insert(10L + i)
      }
      assert(microBatches(options: _*).next(read) == read, "all rows are read")
    }
  }

  // Guards against a fault of Delta Lake's source: a commit between the calls of latestOffset and
  // getBatch was neither in this micro-batch nor in the next one, and its rows were lost without an
  // error (delta#6314).
  for (options <- Seq[Seq[(String, Any)]](Nil, Seq("readChangeFeed" -> true)))
    test(s"commits between the end of a micro-batch and its plan are in the next one, $options") {
      withTable() {
        insert(1)
        val batches = microBatches(options: _*)
        var read = batches.stream.initialOffset()
        def rows(commit: => Any): Seq[Long] = {
          val end = batches.next(read)
          commit: Unit
          val found = batches.ids(read, end)
          batches.stream.commit(end)
          read = end
          found
        }
        assert(rows(insert(2)) == Seq(1L))
        assert(rows { insert(3); sql(s"OPTIMIZE $name"); insert(4) } == Seq(2L))
        assert(rows(insert(5)) == Seq(3L, 4L))
        assert(rows(sql(s"OPTIMIZE $name")) == Seq(5L))
        assert(rows(()) == Nil)
        insert(6)
        assert(rows(sql(s"DELETE FROM $name WHERE id = 6")) == Seq(6L))
      }
    }

  // Guards against faults of Delta Lake's source: a second call of initialOffset reset the state of
  // a running stream (delta#7547), and a DataFrame that was started again read the version of its
  // first start (delta#5953).
  test("the same DataFrame reads new versions when it is started again") {
    withTable() {
      insert(1)
      val frame = stream()
      assert(drain(frame) == Seq(Seq("1,s1")))
      insert(2)
      insert(3)
      assert(drain(frame) == Seq(Seq("2,s2", "3,s3")))
      sql(s"OPTIMIZE $name")
      insert(4)
      assert(drain(frame) == Seq(Seq("4,s4")))
      assert(drain(frame) == Nil)
      val all = drain(frame, folder.resolve("other"))
      assert(all.flatten.sorted == Seq("1,s1", "2,s2", "3,s3", "4,s4"))
      val batches = microBatches()
      val read = batches.all()
      assert(batches.stream.initialOffset() == batches.stream.initialOffset())
      insert(5)
      val end = batches.next(read)
      batches.stream.initialOffset(): Unit
      assert(batches.ids(read, end) == Seq(5L))
    }
  }
}
