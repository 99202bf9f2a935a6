// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.model

import org.scalacheck.Test
import org.scalacheck.rng.Seed
import org.scalacheck.util.Pretty
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{Pylance, TemporaryFolder, TestRun}

/** Random histories, each from its own seed. The seeds are fixed in `make test`, and random in
  * `make test-long`.
  *
  * The environment variable `PYSPARK_LANCE_HISTORY` sets the seed, and `PYSPARK_LANCE_HISTORIES`
  * the number of histories.
  */
class TableModelSuite extends AnyFunSuite with TemporaryFolder {
  private val long = TestRun.isLong
  private val numHistories = TestRun.histories(5, 300)
  private val numSteps = if (long) 30 else 20

  test("random histories of this connector, pylance, and the model") {
    Pylance.run("result = 1")
    val only = sys.env.get("PYSPARK_LANCE_HISTORY").map(_.toLong)
    val start = TestRun.seed
    val seeds = only.map(Seq(_)).getOrElse(Seq.iterate(start, numHistories)(_ + 1))
    val failures = seeds.flatMap { seed =>
      val parameters = Test.Parameters.default
        .withInitialSeed(Seed(seed))
        .withMinSuccessfulTests(1)
        .withMinSize(numSteps)
        .withMaxSize(numSteps)
      val result = Test.check(parameters, new TableCommands(folder).property())
      if (result.passed) None
      else {
        val text = s"PYSPARK_LANCE_HISTORY=$seed\n${report(result)}"
        alert(text) // immediately, since many more histories may follow
        Some(text)
      }
    }
    if (failures.nonEmpty)
      fail(s"${failures.length} of ${seeds.length} histories\n${failures.take(3).mkString("\n\n")}")
    info(s"seed $start, ${seeds.length} histories of $numSteps steps")
  }

  /** Returns the difference and the shortest history that reproduces it, with the seed of the full
    * history.
    */
  private def report(result: Test.Result): String = result.status match {
    case Test.Failed(args, labels) =>
      s"${labels.map(short).mkString("\n")}\n${args.head.prettyArg(Pretty.defaultParams)}"
    case Test.PropException(args, e, _) => s"$e\n${args.head.prettyArg(Pretty.defaultParams)}"
    case other => other.toString
  }

  /** Removes the results of the steps. */
  private def short(label: String): String = label.split("Initial State:").head
}
