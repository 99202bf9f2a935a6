// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import java.nio.file.Path
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.DurationInt
import scala.concurrent.{Await, Future}
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.transaction.CommitOptions
import io.github.pysparklance.testkit.{Pylance, StreamingTests, TestRun}

/** Streams with concurrent writers, and compaction of the files of a stream. */
class ConcurrentSinkSuite extends AnyFunSuite with StreamingTests {
  private val batches = if (TestRun.isLong) 8 else 4

  private def folderOf(name: String): Path = folder.resolve(name)

  /** Runs a query with its own checkpoint over all files. */
  private def start(name: String, rows: DataFrame, options: (String, String)*): Future[Unit] =
    Future {
      val mode = if (options.exists(_._1 == "upsertKeys")) "update" else "append"
      val stream = writer(rows, options: _*).outputMode(mode)
        .option("checkpointLocation", folderOf(name).toString)
      drain(stream): Unit
    }

  private def feedBatches(): Unit =
    (0 until batches).foreach(i => feedIds(i * 10L until i * 10L + 5))

  private def all: Seq[Long] = (0 until batches).flatMap(i => i * 10L until i * 10L + 5)

  private def finish(running: Future[Unit]*): Unit =
    Await.result(Future.sequence(running), 180.seconds): Unit

  test("two streams into one table that does not exist yet") {
    feedBatches()
    finish(start("a", source()), start("b", source()))
    assert(ids == (all ++ all).sorted)
  }

  test("two streams that upsert the same keys") {
    feedBatches()
    feedBatches()
    finish(
      start("a", source(), "upsertKeys" -> "id"),
      start("b", source(), "upsertKeys" -> "id")
    )
    assert(ids == all)
  }

  test("a stream with concurrent OPTIMIZE, DELETE, and appends of pylance") {
    feedBatches()
    spark.range(1).selectExpr("id", "'x' AS v").write.format("lance").save(path)
    val stream = start("a", source())
    val others = Future {
      for (i <- 0 until 4) {
        spark.sql(s"OPTIMIZE lance.`$path`").collect()
        spark.sql(s"DELETE FROM lance.`$path` WHERE id < 0").collect()
        Pylance.write(s"{'id': [${-1 - i}], 'v': ['p']}", path, "mode" -> "append")
      }
    }
    finish(stream, others)
    val written = ids.filter(_ >= 0)
    assert(written == (all :+ 0L).sorted)
  }

  test("an upserting stream with concurrent OPTIMIZE and DELETE") {
    feedBatches()
    feedBatches()
    val stream = start("a", source(), "upsertKeys" -> "id")
    val others = Future {
      for (_ <- 0 until 4) {
        if (LanceTable.exists(Storage.local, path)) {
          spark.sql(s"OPTIMIZE lance.`$path`").collect()
          spark.sql(s"DELETE FROM lance.`$path` WHERE id < 0").collect(): Unit
        }
        Thread.sleep(200)
      }
    }
    finish(stream, others)
    assert(ids == all)
  }

  private def vacuum(): Unit = spark.sql(s"VACUUM lance.`$path` RETAIN 0 HOURS").collect(): Unit

  // Guards against a fault of Iceberg's sink: a query that was idle for longer than snapshots are
  // kept failed, because it looked for the snapshot of its last commit (iceberg#14622).
  test("a running query that is idle while VACUUM removes its last version continues") {
    val query = writer(source()).trigger(Trigger.ProcessingTime(0)).start(path)
    try {
      feedIds(Seq(0L))
      query.processAllAvailable()
      val last = table.version
      spark.sql(s"INSERT INTO lance.`$path` VALUES (100, 'x')")
      vacuum()
      assert(!LanceTable.versions(Storage.local, path).contains(last))
      feedIds(Seq(1L))
      query.processAllAvailable()
      assert(ids == Seq(0L, 1L, 100L))
      vacuum()
    } finally query.stop()
    forget(1)
    drain(writer(source())): Unit
    assert(ids == Seq(0L, 1L, 100L))
  }

  test("autoCompact keeps the number of fragments small, and changes no rows") {
    val n = if (TestRun.isLong) 16L else 8L
    (0L until n).foreach(i => feedIds(Seq(i)))
    drain(writer(source(), "autoCompact" -> "4")): Unit
    assert(ids == (0L until n))
    assert(table.fragments.flatMap(_.physicalRows) == Seq(n))
    val history = LanceTable.history(Storage.local, path).toSeq
    assert(history.flatMap(_.operation).count(_ == "Rewrite") == n / 4)
    val changes = spark.read.format("lance").option("readChangeFeed", "true")
      .option("startingVersion", 1L).load(path).groupBy("_change_type").count().collect()
    assert(changes.toSeq == Seq(Row("insert", n)))
    assert(Pylance.rows(path).map(_.get("id").asLong).sorted == (0L until n))
    (n until n + 3).foreach(i => feedIds(Seq(i)))
    drain(writer(source())): Unit
    assert(table.fragments.length == 4, "without the option, nothing is compacted")
  }

  test("a stream reads each row of a table once while autoCompact compacts it") {
    val n = if (TestRun.isLong) 40 else 8
    val found = new ConcurrentLinkedQueue[Long]
    val collected: (DataFrame, Long) => Unit =
      (batch, _) => batch.select("id").collect().foreach(r => found.add(r.getLong(0)))
    def reader(trigger: Trigger): StreamingQuery =
      spark.readStream.format("lance").option("maxFragmentsPerTrigger", 1).load(path)
        .writeStream.foreachBatch(collected).trigger(trigger)
        .option("checkpointLocation", folderOf("read").toString).start()
    val sink = writer(source(), "autoCompact" -> "2").trigger(Trigger.ProcessingTime(0))
    feedIds(Seq(0L))
    val writing = sink.start(path)
    try {
      writing.processAllAvailable()
      val reading = reader(Trigger.ProcessingTime(0))
      try
        (1 until n).foreach { i =>
          feedIds(Seq(i.toLong))
          // The reader is behind, or reads while a compaction is committed.
          if (i % 3 == 0) writing.processAllAvailable()
          if (i == n / 2) reading.processAllAvailable()
        }
      finally reading.stop()
      writing.processAllAvailable()
    } finally writing.stop()
    finished(reader(Trigger.AvailableNow())): Unit
    assert(found.asScala.toSeq.sorted == (0L until n.toLong))
    val rewrites = LanceTable.history(Storage.local, path).toSeq.flatMap(_.operation)
      .count(_ == "Rewrite")
    assert(rewrites >= 2 && table.fragments.length < n)
  }

  test("autoCompact compacts a stream with micro-batches without rows") {
    def at(minute: Int) = f"2026-01-01T00:$minute%02d:00"
    val rows = source("id BIGINT, at TIMESTAMP").withWatermark("at", "10 seconds")
      .dropDuplicatesWithinWatermark("id")
    val query = writer(rows, "autoCompact" -> "2").trigger(Trigger.ProcessingTime(0)).start(path)
    // Each file moves the watermark, so a micro-batch without rows follows.
    try
      Seq.range(0, 8).foreach { i =>
        feed(s"""{"id": $i, "at": "${at(i)}"}""")
        query.processAllAvailable()
      }
    finally query.stop()
    assert(ids == (0L until 8L))
    val history = LanceTable.history(Storage.local, path).toSeq
    val epochs = history.flatMap(_.properties.get("lance.spark.txnVersion").map(_.toLong))
    assert(epochs.sliding(2).exists(e => e(1) > e(0) + 1), "no micro-batch without rows")
    assert(history.flatMap(_.operation).count(_ == "Rewrite") >= 3, epochs)
    assert(table.fragments.length <= 2)
  }

  test("an interval of autoCompact ends with the next micro-batch that has rows") {
    def ends(n: Long, epochs: Long*): Seq[Long] =
      epochs.indices.filter { i =>
        StreamCompaction.endsInterval(n, epochs(i), epochs.take(i).lastOption)
      }.map(epochs(_))
    assert(ends(2, 0, 1, 2, 3, 4) == Seq(1L, 3L))
    assert(ends(2, 0, 2, 4, 6) == Seq(2L, 4L, 6L))
    assert(ends(4, 0, 5, 6, 11, 12) == Seq(5L, 11L))
    assert(ends(1, 0, 3) == Seq(0L, 3L))
    assert(ends(50, 0, 48, 49, 120) == Seq(49L, 120L))
  }

  test("a compaction merges the latest fragments up to a larger one") {
    def tail(rows: Long*): Set[Long] =
      StreamCompaction.tail(rows.indices.map(i => i.toLong -> rows(i)))
    assert(tail(1, 1, 1, 1) == Set(0L, 1L, 2L, 3L))
    assert(tail(4, 1, 1, 1, 1) == Set(0L, 1L, 2L, 3L, 4L))
    assert(tail(8, 1, 1, 1, 1) == Set(1L, 2L, 3L, 4L))
    assert(tail(8, 4, 1, 1, 1, 1) == Set(0L, 1L, 2L, 3L, 4L, 5L))
    assert(tail(5) == Set(0L) && tail() == Set.empty)
    assert(tail(3, 2) == Set(1L))
  }

  test("a concurrent append that adds columns repeats the lookup of keys") {
    spark.range(3).toDF("id").write.format("lance").save(path)
    val options = CommitOptions(unlessRowsAdded = true)
    def appends(base: LanceTable) = base.append(base.fragments.take(1), options = options)
    val before = table
    spark.sql(s"ALTER TABLE lance.`$path` ADD COLUMN n INT"): Unit
    assert(appends(before).fragments.length == before.fragments.length + 1)
    val base = table
    spark.range(1).selectExpr("id", "1 AS n", "2 AS m").write.format("lance").mode("append")
      .option("mergeSchema", "true").save(path)
    val last = LanceTable.history(Storage.local, path).toSeq.last
    assert(last.operation.contains("Merge"))
    val e = intercept[CommitConflictException](appends(base))
    assert(e.retryable && e.getMessage.contains("rows were added"), e)
  }
}
