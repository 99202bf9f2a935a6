// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import scala.concurrent.duration.DurationInt
import scala.util.Random

import org.apache.spark.sql.SparkSession
import org.scalatest.{Assertion, Assertions, Informing, Suite}

import io.github.pysparklance.testkit.{
  FaultyFileSystem,
  OtherJvm,
  SharedSpark,
  TemporaryFolder,
  TestRun
}

/** Kills a process with a streaming query at points determined by a seed, and restarts the query
  * from its checkpoint. `PYSPARK_LANCE_SEED` can set the seed, and `PYSPARK_LANCE_STREAM_KILLS` the
  * number of points. After an hour, no more points are tested; the report has their number.
  */
trait KillTests extends TemporaryFolder { this: Suite with Assertions with Informing =>
  private val main = KilledStream.getClass.getName.stripSuffix("$")

  protected lazy val spark: SparkSession = {
    val s = SharedSpark.newInterpreted()
    FaultyFileSystem.settings.foreach { case (k, v) => s.conf.set(k, v) }
    s
  }

  /** Writes the input `in` of a kind of query to a folder. */
  protected def prepare(place: Path, kind: String): Unit

  /** Runs between the end of the process and the restart. */
  protected def whileStopped(place: Path): Unit = ()

  /** Checks the table `t` of a folder. */
  protected def check(place: Path, kind: String): Assertion

  /** Kills a query of one kind after the other. With fewer points than kinds, kills the last kinds.
    *
    * @param kinds see [[KilledStream]]
    */
  protected def killAndRestart(numPoints: Int, kinds: Seq[String]): Unit = {
    SparkSession.setActiveSession(spark)
    try {
      val random = new Random(TestRun.seed)
      // Kinds that are not killed in a short run still run once.
      val counts = kinds.map(kind => kind -> numCalls(kind)).toMap
      val killed = kinds.takeRight(numPoints)
      val end = 1.hour.fromNow
      var numKills = 0
      Iterator.range(0, numPoints).takeWhile(_ => end.hasTimeLeft()).foreach { i =>
        val kind = killed(i % killed.length)
        val call = random.nextInt(counts(kind))
        val when = if (random.nextBoolean()) "before" else "after"
        val place = prepared(s"point-$i", kind)
        withClue(s"seed ${TestRun.seed}, point $i, $kind, $when call $call: ") {
          kill(place.toString, kind, call.toString, when)
          whileStopped(place)
          FaultyFileSystem.begin()
          KilledStream.run(spark, place.toString, kind)
          check(place, kind): Unit
        }
        numKills += 1
      }
      info(s"seed ${TestRun.seed}, $numKills of $numPoints kills")
    } finally SparkSession.setActiveSession(SharedSpark.session)
  }

  private def prepared(name: String, kind: String): Path = {
    val place = Files.createDirectories(folder.resolve(name))
    prepare(place, kind)
    place
  }

  private def numCalls(kind: String): Int = {
    val place = prepared(s"whole-$kind", kind)
    FaultyFileSystem.begin()
    KilledStream.run(spark, place.toString, kind)
    check(place, kind): Unit
    FaultyFileSystem.calls.length
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
