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
  * from its checkpoint. The points are calls that change files.
  *
  * `PYSPARK_LANCE_SEED` can set the seed, `PYSPARK_LANCE_STREAM_KILLS` the number of kills, and
  * `PYSPARK_LANCE_STREAM_KILL_MINUTES` the time for them. Fewer kills in that time are a failure.
  */
trait KillTests extends TemporaryFolder { this: Suite with Assertions with Informing =>

  protected lazy val spark: SparkSession = {
    val s = SharedSpark.newInterpreted()
    FaultyFileSystem.settings.foreach { case (k, v) => s.conf.set(k, v) }
    s
  }

  /** Writes the input `in` of a kind of query. */
  protected def prepare(place: Path, kind: String): Unit

  /** Runs a query in this process until it has read all rows. */
  protected def run(place: Path, kind: String): Unit = {
    FaultyFileSystem.begin()
    KilledStream.run(spark, FaultyFileSystem.path(place.toString), kind)
  }

  /** The number of calls of the last [[run]]. */
  protected def numCalls: Int = FaultyFileSystem.calls.length

  /** Runs a query in another process, and kills the process at a call. Returns whether the query
    * reached that call.
    *
    * @param afterEffect whether the call takes effect
    */
  protected def kill(place: Path, kind: String, call: Int, afterEffect: Boolean): Boolean = {
    val when = if (afterEffect) "after" else "before"
    val arguments = Seq(FaultyFileSystem.path(place.toString), kind, call.toString, when)
    val process = OtherJvm.startSpark(KilledStream.className, arguments: _*)
    val said =
      try OtherJvm.lines(process).find(l => l == KilledStream.ready || l == KilledStream.ended)
      finally process.destroyForcibly(): Unit
    assert(said.isDefined, "the process ended early")
    assert(process.waitFor(60, TimeUnit.SECONDS), "a process that was killed ends")
    said.contains(KilledStream.ready)
  }

  /** Runs between the end of the process and the restart. */
  protected def whileStopped(place: Path): Unit = ()

  /** Checks the table `t` that a query wrote. */
  protected def check(place: Path, kind: String): Assertion

  /** Kills a query of one kind after the other. With fewer kills than kinds, kills the last kinds.
    *
    * @param kinds see [[KilledStream]]
    */
  protected def killAndRestart(numKills: Int, kinds: Seq[String]): Unit = {
    SparkSession.setActiveSession(spark)
    try {
      val random = new Random(TestRun.seed)
      // Kinds that are not killed in a short run still run once.
      val counts = kinds.map(kind => kind -> callsOf(kind)).toMap
      val killed = kinds.takeRight(numKills)
      val end = TestRun.killMinutes.minutes.fromNow
      var (numPoints, done) = (0, 0)
      while (done < numKills && end.hasTimeLeft()) {
        val kind = killed(done % killed.length)
        val call = random.nextInt(counts(kind))
        val afterEffect = random.nextBoolean()
        val place = prepared(s"point-$numPoints", kind)
        val clue = s"$kind, call $call, after its effect $afterEffect: "
        withClue(s"seed ${TestRun.seed}, point $numPoints, $clue") {
          // A query with other timing may make fewer calls, and end before the point.
          if (kill(place, kind, call, afterEffect)) done += 1
          whileStopped(place)
          run(place, kind)
          check(place, kind): Unit
        }
        numPoints += 1
      }
      info(s"seed ${TestRun.seed}, $done of $numKills kills, ${numPoints - done} ended before")
      assert(done == numKills, s"kills in ${TestRun.killMinutes} minutes")
      ()
    } finally SparkSession.setActiveSession(SharedSpark.session)
  }

  private def prepared(name: String, kind: String): Path = {
    val place = Files.createDirectories(folder.resolve(name))
    prepare(place, kind)
    place
  }

  private def callsOf(kind: String): Int = {
    val place = prepared(s"whole-$kind", kind)
    run(place, kind)
    check(place, kind): Unit
    numCalls
  }
}
