// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.util.control.NonFatal

import org.scalacheck.Gen
import org.scalacheck.rng.Seed
import org.scalatest.Assertions

/** Checks a property on many generated values. A failure contains the seed that reproduces the
  * value.
  */
trait SeededChecks { this: Assertions =>

  /** Number of values on which a property is checked. */
  protected def numSamples: Int = 30

  protected def forAllOf[A](values: Gen[A])(body: A => Any): Unit = {
    val first = TestRun.seed
    (0 until numSamples).foreach { i =>
      val seed = first + i
      val value = values.pureApply(Gen.Parameters.default.withSize(50), Seed(seed))
      try body(value): Unit
      catch { case NonFatal(e) => fail(s"with seed ${seed}L: $e", e) }
    }
  }
}
