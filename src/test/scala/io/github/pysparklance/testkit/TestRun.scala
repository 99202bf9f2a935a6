// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.util.Random

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

  /** How many random histories a test has. `PYSPARK_LANCE_HISTORIES` sets another number.
    *
    * @param long the number in a long run
    */
  def histories(short: Int, long: Int): Int = number("PYSPARK_LANCE_HISTORIES", short, long)

  /** How many times a test kills a process. `PYSPARK_LANCE_STREAM_KILLS` sets another number. */
  def kills(short: Int, long: Int): Int = number("PYSPARK_LANCE_STREAM_KILLS", short, long)

  /** How long a test may kill processes, in minutes. `PYSPARK_LANCE_STREAM_KILL_MINUTES` sets
    * another time.
    */
  def killMinutes: Int = number("PYSPARK_LANCE_STREAM_KILL_MINUTES", 60, 60)

  /** All cases in a long run, or a sample of them in a short one, in their order.
    *
    * @param short the number in a short run
    */
  def sample[A](short: Int, cases: Seq[A]): Seq[A] =
    if (isLong) cases
    else new Random(seed).shuffle(cases.zipWithIndex).take(short).sortBy(_._2).map(_._1)

  /** All cases in a long run. In a short one, every `n`-th case from the case `i % n` on, so that
    * numbers `i` in turn share the cases.
    */
  def share[A](i: Int, n: Int, cases: Seq[A]): Seq[A] =
    if (isLong) cases else cases.zipWithIndex.collect { case (c, k) if k % n == i % n => c }

  private def number(variable: String, short: Int, long: Int): Int =
    sys.env.get(variable).fold(if (isLong) long else short)(_.toInt)
}
