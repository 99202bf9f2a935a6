// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import scala.util.Random

import org.apache.spark.sql.SparkSession
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{
  FaultyFileSystem,
  OtherJvm,
  SharedSpark,
  TemporaryFolder,
  TestRun
}

/** Kills a process with a streaming query at points determined by a seed, and restarts the query
  * from its checkpoint. `PYSPARK_LANCE_SEED` can set the seed.
  */
class SinkKillSuite extends AnyFunSuite with TemporaryFolder {
  private val numPoints = if (TestRun.isLong) 200 else 2
  private val main = KilledStream.getClass.getName.stripSuffix("$")
  private val files = 4

  private lazy val spark: SparkSession = {
    val s = SharedSpark.session.newSession()
    FaultyFileSystem.settings.foreach { case (k, v) => s.conf.set(k, v) }
    s
  }

  private def prepared(name: String, upserts: Boolean): Path = {
    val place = Files.createDirectories(folder.resolve(name))
    val input = Files.createDirectory(place.resolve("in"))
    // A restart may read several files as one micro-batch, so the files have different keys.
    if (upserts)
      spark.range(0, 3L * files, 2).selectExpr("id", "'before' AS v")
        .write.format("lance").save(place.resolve("t").toString)
    (0 until files).foreach { i =>
      val rows = (0 until 3).map { j =>
        val id = 3 * i + j
        s"""{"id": $id, "v": "$i/$id"}"""
      }
      val file = Files.write(input.resolve(s"$i.json"), rows.mkString("\n").getBytes(UTF_8))
      Files.setLastModifiedTime(file, FileTime.fromMillis(1700000000000L + i * 1000L))
    }
    place
  }

  private def rows(place: Path): Seq[(Long, String)] =
    spark.read.format("lance").load(place.resolve("t").toString).select("id", "v")
      .collect().map(r => (r.getLong(0), r.getString(1))).sorted.toSeq

  private val expected: Seq[(Long, String)] =
    (0 until 3 * files).map(id => (id.toLong, s"${id / 3}/$id"))

  test(s"killed at $numPoints points and restarted") {
    SparkSession.setActiveSession(spark)
    try killAndRestart()
    finally SparkSession.setActiveSession(SharedSpark.session)
  }

  private def killAndRestart(): Unit = {
    val random = new Random(TestRun.seed)
    val counts = Seq(false, true).map { upserts =>
      val place = prepared(s"whole-$upserts", upserts)
      FaultyFileSystem.begin()
      KilledStream.run(spark, place.toString, upserts)
      assert(rows(place) == expected)
      upserts -> FaultyFileSystem.calls.length
    }.toMap
    for (i <- 0 until numPoints) {
      val upserts = random.nextBoolean()
      val call = random.nextInt(counts(upserts))
      val when = if (random.nextBoolean()) "before" else "after"
      val place = prepared(s"point-$i", upserts)
      withClue(s"seed ${TestRun.seed}, upserts $upserts, $when call $call: ") {
        kill(place.toString, if (upserts) "upsert" else "append", call.toString, when)
        FaultyFileSystem.begin()
        KilledStream.run(spark, place.toString, upserts)
        assert(rows(place) == expected)
      }
    }
  }

  private def kill(arguments: String*): Assertion = {
    val process = OtherJvm.startSpark(main, arguments: _*)
    try {
      val said =
        OtherJvm.lines(process).find(l => l == KilledStream.ready || l == KilledStream.ended)
      if (said.isEmpty) fail("the process ended early")
    } finally process.destroyForcibly(): Unit
    assert(process.waitFor(60, TimeUnit.SECONDS), "a process that was killed ends")
  }
}
