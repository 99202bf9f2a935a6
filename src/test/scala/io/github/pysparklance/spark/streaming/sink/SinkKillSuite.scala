// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.streaming.{KillTests, KilledStream}
import io.github.pysparklance.testkit.TestRun

/** Kills queries that write files to a Lance table, and restarts them. */
class SinkKillSuite extends AnyFunSuite with KillTests {
  private val numKills = TestRun.kills(1, 200)
  private val files = 4

  override protected def prepare(place: Path, kind: String): Unit = {
    val input = Files.createDirectory(place.resolve("in"))
    // A restart may read several files as one micro-batch, so the files have different keys.
    if (kind == "upsert")
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
  }

  override protected def check(place: Path, kind: String): Assertion = {
    val rows = spark.read.format("lance").load(place.resolve("t").toString).select("id", "v")
      .collect().map(r => (r.getLong(0), r.getString(1))).sorted.toSeq
    assert(rows == (0 until 3 * files).map(id => (id.toLong, s"${id / 3}/$id")))
  }

  test("killed at random points and restarted") {
    killAndRestart(numKills, KilledStream.ofFiles)
  }
}
