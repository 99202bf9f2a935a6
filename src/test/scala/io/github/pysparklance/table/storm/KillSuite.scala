// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.storm

import java.util.concurrent.TimeUnit

import scala.collection.mutable
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.DurationInt
import scala.concurrent.{Await, Future}
import scala.util.Random

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{OtherJvm, TableRows, TemporaryFolder}

/** Kills a writing process at points determined by a seed, which `PYSPARK_LANCE_SEED` can set. Each
  * run kills at one point of some operations, `make test-long` at 200 points of each operation.
  * `PYSPARK_LANCE_KILLS` sets this number.
  */
class KillSuite extends AnyFunSuite with Crashes with TemporaryFolder {
  private val local = Storage.local
  private val perScenario = sys.env.get("PYSPARK_LANCE_KILLS").map(_.toInt)
    .orElse(if (isLong) Some(200) else None)
  private val numMoments = if (isLong) 50 else 2
  private val main = KilledWriter.getClass.getName.stripSuffix("$")

  /** The point at which a writer is killed. */
  private case class Point(scenario: Scenario, course: Course, call: Int, when: String) {
    override def toString: String = s"${scenario.name}, $when call $call, ${course.calls(call)}"
  }

  perScenario match {
    case Some(n) => Scenario.all.foreach { scenario =>
        test(s"${scenario.name}, killed at $n calls of the storage") {
          kill(new Random(seed), Seq.fill(n)(scenario))
        }
      }
    case None => test("killed at 8 calls of the storage") {
        val random = new Random(seed)
        kill(random, random.shuffle(Scenario.all).take(8))
      }
  }

  private def kill(random: Random, scenarios: Seq[Scenario]): Unit = {
    val courses = mutable.Map.empty[Scenario, Course]
    val points = scenarios.zipWithIndex.map { case (scenario, i) =>
      val course = courses.getOrElseUpdate(scenario, courseOf(scenario))
      val number = random.nextInt(course.calls.length)
      val when = if (random.nextBoolean()) "before" else "after"
      val path = folder.resolve(s"point-$i")
      scenario.before(Site(local, local, path.toString))
      Point(scenario, course, number, when) -> path.toString
    }
    inPairs(points) { case (point, path) =>
      killed(path, point.scenario.name, point.call.toString, point.when) { said =>
        assert(said.find(_ => true).contains(KilledWriter.ready), s"seed $seed, $point")
      }
    }
    points.foreach { case (point, path) =>
      withClue(s"seed $seed, $point: ") {
        goOn(local, path, onCourse(point.scenario, point.course, local, path))
        cleanUp(local, path)
      }
    }
    info(s"seed $seed, ${points.length} kills")
  }

  test(s"killed at $numMoments moments") {
    val random = new Random(seed)
    val moments = (0 until numMoments).map { i =>
      val path = folder.resolve(s"moment-$i").toString
      val first = TableRows.write(local, path, Seq((1000L, 10000L)))
      LanceTable.create(local, path, TableRows.schema, IndexedSeq(first))
      (path, random.nextInt(200))
    }
    inPairs(moments) { case (path, millis) =>
      killed(path) { said =>
        said.next(): Unit
        Thread.sleep(millis.toLong)
      }
    }
    moments.foreach { case (path, millis) =>
      withClue(s"seed $seed, $millis ms after the first append: ") {
        val state = TableState.of(local, path).get
        assert(state.latest > 1 && state.versions.keySet == (1L to state.latest).toSet)
        state.versions.foreach { case (n, v) => assert(v.rows.length == n) }
        goOn(local, path, Some(state))
        cleanUp(local, path)
      }
    }
  }

  private def inPairs[A](all: Seq[A])(body: A => Any): Unit =
    all.grouped(2).foreach { pair =>
      Await.result(Future.sequence(pair.map(a => Future(body(a)))), 120.seconds): Unit
    }

  /** Starts a process and kills it when it reports that it reached the point. */
  private def killed(arguments: String*)(until: Iterator[String] => Any): Assertion = {
    val process = OtherJvm.start(main, arguments: _*)
    try until(OtherJvm.lines(process)): Unit
    finally process.destroyForcibly(): Unit
    assert(process.waitFor(60, TimeUnit.SECONDS), "a process that was killed ends")
    assert(process.exitValue == 137) // 128 + SIGKILL
  }
}
