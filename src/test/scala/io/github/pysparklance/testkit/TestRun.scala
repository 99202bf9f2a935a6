// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

/** The length of a test run, and the seed of its random values. Short runs always use the same
  * values, so that only changes make them fail. Long runs use new values. `PYSPARK_LANCE_SEED`
  * reproduces the values of a run.
  */
object TestRun {

  /** Whether this is a run of `make test-long`. */
  val isLong: Boolean = sys.props.get("pysparklance.tests.long").contains("true")

  /** The first seed of a test. */
  def seed: Long =
    sys.env.get("PYSPARK_LANCE_SEED").fold(if (isLong) System.nanoTime() else 20261121L)(_.toLong)
}
