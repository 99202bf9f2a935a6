// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.storm

import scala.util.{Failure, Random, Success, Try}

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.CommitStateUnknownException
import io.github.pysparklance.testkit.StorageFaults.{Call, Fault, ProcessDied, Silence}
import io.github.pysparklance.testkit.{MemoryFiles, StorageFaults}

/** Every storage call of an operation fails once in every way. Afterwards, the table reads as
  * before or as after the operation, a new writer succeeds, and clean-up deletes exactly the
  * unreferenced files.
  *
  * Calls that write bytes to a data file are numerous. A sample of them is tested, and all of them
  * in `make test-long`. `PYSPARK_LANCE_SEED` selects the sample.
  */
class CrashSuite extends AnyFunSuite with Crashes {

  Scenario.all.foreach { scenario =>
    test(scenario.name) {
      val course = courseOf(scenario)
      val cases = faults(course.calls).filter(_._2 != Silence || scenario.canBeSilent)
      cases.foreach { case (number, fault) =>
        withClue(s"seed $seed, call $number, ${course.calls(number)}: $fault: ") {
          check(scenario, course, number, fault)
        }
      }
      info(s"${course.calls.length} calls, ${cases.length} faults, ${course.states.length} states")
    }
  }

  private def faults(calls: IndexedSeq[Call]): IndexedSeq[(Int, Fault)] = {
    val all = for (i <- calls.indices; fault <- StorageFaults.of(calls(i))) yield (i, fault)
    val (alike, others) = all.partition { case (i, _) => calls(i).method == "write" }
    others ++ (if (isLong) alike else new Random(seed).shuffle(alike).take(4))
  }

  private def check(
      scenario: Scenario,
      course: Course,
      number: Int,
      fault: Fault
  ): Assertion = {
    val files = new MemoryFiles(course.before)
    val faulty = new StorageFaults(Some(number -> fault))(files)
    val outcome = attempt(scenario.act(Site(faulty, files, memoryPath)))
    val state = withClue(s"$outcome: ")(onCourse(scenario, course, files, memoryPath))
    outcome match {
      case Success(_) if fault != Silence && !scenario.removesVersions =>
        assert(state == course.states.last, "the commit reported success")
      case Failure(e) if scenario.isCommit && fault != Silence && !isOpen(e) =>
        assert(state != course.states.last, s"the commit reported a failure: $e")
      case _ => ()
    }
    goOn(files, memoryPath, state)
    scenario.again(Site(files, files, memoryPath))
    cleanUp(files, memoryPath)
  }

  /** Whether the outcome is unknown after this error. */
  private def isOpen(e: Throwable): Boolean = e match {
    case _: ProcessDied | _: CommitStateUnknownException => true
    case _ => false
  }

  private def attempt(body: => Unit): Try[Unit] =
    try Success(body)
    catch { case e: Throwable => Failure(e) }
}
