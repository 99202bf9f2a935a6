// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import org.scalatest.{Outcome, TestSuite, TestSuiteMixin}
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** ScalaCheck's properties with the random values of the [[TestRun]]. */
trait PropertyChecks extends TestSuiteMixin with ScalaCheckPropertyChecks { this: TestSuite =>

  abstract override protected def withFixture(test: NoArgTest): Outcome = {
    scala.util.Random.setSeed(TestRun.seed) // which is where ScalaCheck takes its seeds from
    super.withFixture(test)
  }
}
