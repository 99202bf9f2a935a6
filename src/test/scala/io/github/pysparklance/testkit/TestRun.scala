// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

/** How long this run of the tests is, and where its random values begin. Short runs draw the same ones each time, so
  * that only a change turns them red; long runs draw new ones. `PYSPARK_LANCE_SEED` gives the values of a run again.
  */
object TestRun {

  /** Whether this is a run of `make test-long`. */
  val isLong: Boolean = sys.props.get("pysparklance.tests.long").contains("true")

  /** The first seed of a test. */
  def seed: Long =
    sys.env.get("PYSPARK_LANCE_SEED").fold(if (isLong) System.nanoTime() else 20261121L)(_.toLong)
}
