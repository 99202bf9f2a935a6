// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import scala.util.{Random, Try}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.table.refs.Tags
import io.github.pysparklance.testkit.FaultyFileSystem.Fault
import io.github.pysparklance.testkit.{FaultyFileSystem, StreamingTests, TestRun}

/** Every call of a streaming query that changes files fails once, before and after its effect: in
  * the tasks, in the commit, in the clean-up of failures, in the checkpoint folder, and in the tag
  * that a stream of a table moves. The query is restarted until it succeeds. Nothing may be lost or
  * repeated.
  *
  * A sample of the calls is tested, and all of them in `make test-long`. `PYSPARK_LANCE_SEED`
  * selects the sample.
  */
class SinkCrashSuite extends AnyFunSuite with StreamingTests {
  private val random = new Random(TestRun.seed)
  private val sample = 2
  private val Appends = "appends"
  private val Upserts = "upserts"
  private val OfTable = "appends of the rows of a Lance table"

  private def place(name: String, run: Int): String = folder.resolve(s"$name-$run").toString

  /** Runs a query on the faulty storage until it has read all files, or all rows of a table. */
  private def attempt(run: Int, kind: String): Try[Unit] = Try {
    val upserts = kind == Upserts
    if (upserts && !LanceTable.exists(Storage.local, place("t", run)))
      spark.range(
        2,
        4
      ).selectExpr("id", "'before' AS v").write.format("lance").save(place("t", run))
    val options = if (upserts) Map("upsertKeys" -> "id") else Map.empty[String, String]
    val query = (if (kind == OfTable) tableStream(run) else source()).writeStream
      .format("lance")
      .outputMode(if (upserts) "update" else "append")
      .option("checkpointLocation", FaultyFileSystem.path(place("checkpoint", run)))
      .options(options)
      .trigger(Trigger.AvailableNow())
      .start(FaultyFileSystem.path(place("t", run)))
    finished(query): Unit
  }

  /** A stream of a table in which it leaves a tag. */
  private def tableStream(run: Int): DataFrame =
    spark.readStream.format("lance")
      .option("keepUnreadVersions", "true")
      .option("maxFragmentsPerTrigger", 1)
      .load(FaultyFileSystem.path(place("in", run)))

  /** Writes the table that a query reads: two fragments, a compaction, and another fragment. */
  private def prepare(run: Int, kind: String): Unit = if (kind == OfTable) {
    val in = place("in", run)
    def append(id: Int, v: String): Unit =
      spark.range(1).selectExpr(s"${id}L AS id", s"'$v' AS v")
        .write.format("lance").mode("append").save(in)
    append(1, "a")
    append(2, "b")
    spark.sql(s"OPTIMIZE lance.`$in`")
    append(3, "c")
  }

  /** Removes the versions that the query has read. Without a tag, it has not begun. */
  private def vacuum(run: Int): Unit = {
    val in = place("in", run)
    if (new Tags(Storage.local, TablePath(in)).list().nonEmpty)
      spark.sql(s"VACUUM lance.`$in` RETAIN 0 HOURS"): Unit
  }

  private def rows(run: Int): Seq[(Long, String)] = {
    val found: DataFrame = spark.read.format("lance").load(place("t", run))
    found.select("id", "v").collect().map(r => (r.getLong(0), r.getString(1))).sorted.toSeq
  }

  private def check(run: Int, kind: String, expected: Seq[(Long, String)], fault: Fault)
      : Assertion = {
    prepare(run, kind)
    FaultyFileSystem.begin(Some(fault))
    val first = attempt(run, kind)
    FaultyFileSystem.begin()
    removeTemporaryFiles(run)
    withClue(s"seed ${TestRun.seed}, $fault, $first: ") {
      if (kind == OfTable) vacuum(run)
      val restart = attempt(run, kind)
      assert(restart.isSuccess, restart)
      assert(rows(run) == expected)
      val t = LanceTable.open(Storage.local, place("t", run))
      val policy = CleanupPolicy(deleteUnverified = true)
      assert(t.planCleanup(policy).run(Storage.local).failedDeletes == 0)
      assert(rows(run) == expected)
    }
  }

  /** Spark does not start a query whose checkpoint has temporary files and no offsets yet. */
  private def removeTemporaryFiles(run: Int): Unit = {
    val all = Storage.local.listFiles(place("checkpoint", run)).map(_.relativePath).toSeq
    all.filter(_.endsWith(".tmp")).foreach { file =>
      Storage.local.delete(s"${place("checkpoint", run)}/$file"): Unit
    }
  }

  for (kind <- Seq(Appends, Upserts, OfTable))
    test(s"every call fails once, $kind") {
      FaultyFileSystem.in(spark) {
        // A restart may read both files as one micro-batch, so their keys differ.
        feed("""{"id": 1, "v": "a"}""", """{"id": 2, "v": "b"}""")
        feed("""{"id": 3, "v": "c"}""")
        val expected = Seq((1L, "a"), (2L, "b"), (3L, "c"))
        prepare(0, kind)
        FaultyFileSystem.begin()
        attempt(0, kind).get
        val calls = FaultyFileSystem.calls
        assert(rows(0) == expected)
        assert(
          calls.exists(_.path.contains("/_versions/")) && calls.exists(_.path.contains("/data/"))
        )
        assert(
          calls.exists(_.path.contains("/commits/")) && calls.exists(_.path.contains("/offsets/"))
        )
        assert(calls.exists(_.path.contains("/tags/")) == (kind == OfTable))
        val all = for (i <- calls.indices; after <- Seq(false, true)) yield Fault(i, after)
        val some = if (TestRun.isLong) all else random.shuffle(all).take(sample)
        some.zipWithIndex.foreach { case (fault, i) => check(i + 1, kind, expected, fault) }
        info(s"${calls.length} calls, ${some.length} faults")
      }
    }

  test("a restart finds a commit whose outcome storage did not report") {
    FaultyFileSystem.in(spark) {
      feedIds(Seq(1L))
      FaultyFileSystem.begin()
      attempt(0, Appends).get
      val calls = FaultyFileSystem.calls
      val manifests = calls.indices.filter(i =>
        calls(i).path.contains("/_versions/") && calls(i).method == "put"
      )
      for ((number, i) <- manifests.zipWithIndex; after <- Seq(false, true))
        check(
          i * 2 + 1 + (if (after) 1 else 0),
          Appends,
          Seq((1L, "v1")),
          Fault(number, after)
        )
    }
  }
}
