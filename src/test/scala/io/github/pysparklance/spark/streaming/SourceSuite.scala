// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.io.ByteArrayOutputStream
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.changes.TableSize
import io.github.pysparklance.testkit.Pylance

class SourceSuite extends AnyFunSuite with SourceTests {

  // Guards against a fault of Paimon's source: a restart dropped a valid checkpoint and read the
  // snapshot again (paimon#8205).
  for (stable <- Seq(true, false))
    test(
      s"the rows of the table come first, then appended rows, also after a restart, stable row ids $stable"
    ) {
      withTable(stable) {
        insert(1, 2)
        sql(s"DELETE FROM $name WHERE id = 2")
        insert(3)
        assert(drain(stream()) == Seq(Seq("1,s1", "3,s3")))
        assert(drain(stream()) == Nil)
        insert(4)
        insert(5, 6)
        assert(drain(stream()) == Seq(Seq("4,s4", "5,s5", "6,s6")))
        insert(7)
        assert(drain(spark.readStream.table(name)) == Seq(Seq("7,s7")))
        assert(drain(stream()) == Nil)
      }
    }

  test("a stream of an empty table reads rows that are appended later") {
    withTable() {
      assert(drain(stream()).flatten == Nil)
      insert(1)
      assert(drain(stream()) == Seq(Seq("1,s1")))
    }
  }

  test("a running query reads rows when they are committed") {
    withTable() {
      insert(1)
      val query = stream().writeStream.format("memory").queryName("live")
        .trigger(Trigger.ProcessingTime(0)).start()
      try {
        query.processAllAvailable()
        insert(2)
        insert(3)
        query.processAllAvailable()
        assert(text(spark.table("live")).sorted == Seq("1,s1", "2,s2", "3,s3"))
      } finally query.stop()
    }
  }

  // Guards against a fault of Paimon: a micro-batch that was replayed after a crash had its rows
  // twice (paimon#9666). SinkSuite tests the sink.
  test("a repeated micro-batch has the same rows") {
    for {
      options <- Seq(
        Nil,
        Seq("startingVersion" -> "1"),
        Seq("startingVersion" -> "latest"),
        Seq("startingVersion" -> "earliest"),
        Seq("startingTimestamp" -> "2001-01-01"),
        Seq("startingTimestamp" -> "2101-01-01")
      )
    } withTable() {
      insert(1, 2)
      val to = other(options)
      val first = new AtomicBoolean(true)
      val e = intercept[StreamingQueryException](
        drain(stream(options: _*), to, _ => if (first.get) sys.error("stopped"))
      )
      assert(e.getMessage.contains("stopped"))
      first.set(false)
      insert(3)
      val again = drain(stream(options: _*), to)
      val isLater = options.exists(o => o._2 == "latest" || o._2.startsWith("21"))
      val before = if (isLater) Nil else Seq("1,s1", "2,s2")
      assert(again == Seq(before, Seq("3,s3")), options)
      insert(4)
      assert(drain(stream(options: _*), to) == Seq(Seq("4,s4")), options)
    }
  }

  test("streams start with a version, a time, the latest, or the earliest commit") {
    withTable() {
      insert(1)
      insert(2)
      sql(s"OPTIMIZE $name")
      val time = sql(s"SELECT timestamp FROM $name.versions WHERE version = 3").head().get(0)
      insert(3)
      def from(options: (String, Any)*): Seq[Long] =
        drain(stream(options: _*), other(options)).flatten
          .map(_.takeWhile(_ != ',').toLong)
      assert(from("startingVersion" -> 2) == Seq(1, 2, 3))
      assert(from("startingVersion" -> 3) == Seq(2, 3))
      assert(from("startingVersion" -> "Earliest") == Seq(1, 2, 3))
      assert(from("startingVersion" -> "latest") == Nil)
      assert(from("startingVersion" -> (version + 1)) == Nil)
      assert(from("startingTimestamp" -> time) == Seq(2, 3))
      assert(from("startingTimestamp" -> "2001-01-01") == Seq(1, 2, 3))
      val e = problem(stream("startingVersion" -> 99), folder.resolve("late"))
      assert(e.condition == "LANCE_STREAM_START", e)
      assert(e.contains("version 99") && e.contains(s"latest version is $version"), e)
      // With a checkpoint, options of the start have no effect.
      insert(4)
      val latest = stream("startingVersion" -> "latest")
      assert(drain(latest, other(Seq("startingVersion" -> "latest"))) ==
        Seq(Seq("4,s4")))
    }
  }

  test("limits split the table and a large commit between fragments") {
    withTable(properties = ", 'write.max-rows-per-file' = '2'") {
      sql(s"INSERT INTO $name SELECT /*+ COALESCE(1) */ id, 's' FROM range(0, 10, 1, 1)")
      def sizes(options: (String, Any)*): Seq[Int] = {
        val to = other(options)
        val before = drain(stream(options: _*), to).map(_.length)
        sql(s"INSERT INTO $name SELECT /*+ COALESCE(1) */ id, 's' FROM range(10, 16, 1, 1)")
        val after = drain(stream(options: _*), to)
        assert(after.flatten.length == 6)
        sql(s"RESTORE TABLE $name TO VERSION AS OF 2")
        before ++ after.map(-_.length)
      }
      assert(sizes() == Seq(10, -6))
      assert(sizes("maxRowsPerTrigger" -> 5) == Seq(4, 4, 2, -4, -2))
      assert(sizes("maxRowsPerTrigger" -> 1) == Seq(2, 2, 2, 2, 2, -2, -2, -2))
      assert(sizes("maxFragmentsPerTrigger" -> 3) == Seq(6, 4, -6))
      assert(sizes("maxFilesPerTrigger" -> 2) == Seq(4, 4, 2, -4, -2))
      assert(sizes("maxBytesPerTrigger" -> 1) == Seq(2, 2, 2, 2, 2, -2, -2, -2))
      assert(sizes("maxBytesPerTrigger" -> "10g") == Seq(10, -6))
      assert(sizes("maxRowsPerTrigger" -> 6, "maxFragmentsPerTrigger" -> 2) ==
        Seq(4, 4, 2, -4, -2))
    }
  }

  test("a partially read snapshot is read completely before later commits") {
    withTable(properties = ", 'write.max-rows-per-file' = '2'") {
      sql(s"INSERT INTO $name SELECT /*+ COALESCE(1) */ id, 's' FROM range(0, 10, 1, 1)")
      intercept[StreamingQueryException](
        drain(
          stream("maxRowsPerTrigger" -> 4),
          onBatch = id => if (id == 1) sys.error("stopped")
        )
      )
      sql(s"OPTIMIZE $name")
      insert(10)
      sql(s"OPTIMIZE $name")
      val rest = drain(stream("maxRowsPerTrigger" -> 4))
      assert(rest.map(_.length) == Seq(4, 3))
      assert(rest.flatten.map(_.takeWhile(_ != ',').toLong) == (4L to 10L))
      forgetLast()
      assert(drain(stream()).map(_.length) == Seq(3))
    }
  }

  // Guards against a fault of Delta Lake's source: after a restart with AvailableNow, the end was
  // computed before the previous offset was known (delta#1431).
  test("AvailableNow reads up to the latest version at its start") {
    withTable() {
      insert(1)
      val first = drain(stream(), onBatch = _ => insert(2))
      assert(first == Seq(Seq("1,s1")))
      assert(drain(stream(), onBatch = _ => insert(3)) == Seq(Seq("2,s2")))
      assert(drain(stream("maxRowsPerTrigger" -> 1)) == Seq(Seq("3,s3")))
    }
  }

  test("a stream of a branch reads the commits of the branch") {
    withTable() {
      insert(1)
      sql(s"ALTER TABLE $name CREATE BRANCH dev")
      sql(s"INSERT INTO $name.branch_dev VALUES (2, 'dev')")
      insert(3)
      val frames = Seq[() => DataFrame](
        () => stream("branch" -> "dev"),
        () => spark.readStream.table(s"$name.branch_dev"),
        () => spark.readStream.option("branch", "dev").table(name)
      )
      frames.zipWithIndex.foreach { case (frame, i) =>
        assert(drain(frame(), folder.resolve(s"c$i")) == Seq(Seq("1,s1", "2,dev")), i)
      }
      sql(s"INSERT INTO $name.branch_dev VALUES (4, 'dev')")
      frames.zipWithIndex.foreach { case (frame, i) =>
        assert(drain(frame(), folder.resolve(s"c$i")) == Seq(Seq("4,dev")), i)
      }
      assert(problem(stream(), folder.resolve("c0")).contains("the checkpoint is of another table"))
    }
  }

  test("appends of pylance are read, also on a table that pylance wrote") {
    val other = folder.resolve("p").toString
    Pylance.write("[{'id': i, 's': str(i)} for i in range(3)]", other)
    def read(): Seq[Seq[String]] = drain(spark.readStream.format("lance").load(other))
    assert(read() == Seq(Seq("0,0", "1,1", "2,2")))
    Pylance.run(
      "lance.write_dataset(pa.table({'id': [7, 8], 's': ['x', 'y']}), path, " +
        "mode='append')\ndataset(path).optimize.compact_files()",
      "path" -> other
    )
    assert(read() == Seq(Seq("7,x", "8,y")))
    Pylance.run("dataset(path).delete('id = 7')", "path" -> other)
    assert(problem(spark.readStream.format("lance").load(other)).contains("deleted rows"))
  }

  test("temporary views, joins, and aggregates of streams") {
    withTable() {
      insert(1, 2)
      stream().createOrReplaceTempView("streamed")
      assert(drain(sql("SELECT id + 1 AS n FROM streamed WHERE id > 1")) == Seq(Seq("3")))
      val twice = spark.table("streamed").union(stream())
      assert(drain(twice, folder.resolve("union")).flatten.sorted ==
        Seq("1,s1", "1,s1", "2,s2", "2,s2"))
    }
  }

  test("only the columns and metadata columns of the query are read") {
    withTable() {
      insert(1, 2)
      insert(3)
      def plan(frame: DataFrame): (Seq[String], Long, String) = {
        val (batches, query) = run(frame, other(frame.schema))
        val out = new ByteArrayOutputStream
        Console.withOut(out)(query.explain())
        (batches.flatten, query.recentProgress.map(_.numInputRows).sum, out.toString("UTF-8"))
      }
      val (ids, numIds, explained) = plan(stream().where("id > 1").select("id"))
      assert(ids == Seq("2", "3") && numIds == 2)
      assert(explained.contains("stream, struct<id:bigint>"), explained)
      val (counts, numCounted, _) = plan(stream().selectExpr("1 AS one"))
      assert(counts == Seq("1", "1", "1") && numCounted == 3)
      val named = stream().selectExpr("_rowid", "s", "_fragid", "_row_created_at_version")
      assert(plan(named)._1 == Seq("0,s1,0,2", "1,s2,1,2", "2,s3,2,3"))
      val filtered = stream().where("_rowid > 0").where("rand() >= 0").select("s")
      assert(plan(filtered)._1 == Seq("s2", "s3"))
      val e = problem(stream().select("_rowoffset"), folder.resolve("offset"))
      assert(e.contains("_rowoffset"), e)
      val changes = stream("readChangeFeed" -> true).select("_commit_version", "id")
      assert(plan(changes)._1 == Seq("3,1", "3,2", "3,3"))
    }
  }

  test("metrics show how far a stream is behind") {
    withTable(properties = ", 'write.max-rows-per-file' = '2'") {
      sql(s"INSERT INTO $name SELECT /*+ COALESCE(1) */ id, 's' FROM range(0, 6, 1, 1)")
      val (batches, query) = run(stream("maxRowsPerTrigger" -> 2))
      assert(batches.length == 3)
      val metrics = query.recentProgress.toSeq.filter(_.numInputRows > 0).map { p =>
        val m = p.sources.head.metrics
        (m.get("versionsBehind"), m.get("rowsBehind"), m.get("bytesBehind").toLong > 0)
      }
      assert(metrics == Seq(("1", "4", true), ("1", "2", true), ("0", "0", false)))
      assert(query.lastProgress.sources.head.latestOffset.contains("\"version\":2"))
    }
  }

  test("the size of the latest version is computed once, not for each commit") {
    withTable() {
      (1L to 6L).foreach(insert(_))
      var numSizes = 0
      val request = StreamRequest(
        StreamStart.Earliest,
        StreamLimits(),
        ChangeCommits.Fail,
        None,
        failsOnDataLoss = true,
        keepsUnread = false
      )
      val planner = new StreamPlanner(
        LanceTable.open(Storage.local, path),
        request,
        t => {
          numSizes += 1
          TableSize.of(t)
        }
      )
      def next(start: Option[StreamOffset], limits: StreamLimits) =
        planner.end(start, planner.latest().version, limits)
      val first = next(None, StreamLimits(rows = Some(4)))
      assert(planner.behind(first) == StreamPlanner.Behind(2, Some(2), planner.behind(first).bytes))
      assert(numSizes == 1)
      val second = next(Some(first), StreamLimits())
      assert(planner.behind(second) == StreamPlanner.Behind(0, Some(0), Some(0)) && numSizes == 1)
      insert(7)
      insert(8)
      val third = next(Some(second), StreamLimits(rows = Some(1)))
      assert(planner.behind(third).rows.contains(1L) && numSizes == 2)
    }
  }
}
