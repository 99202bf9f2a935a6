// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** `Option.when` and `Option.unless`, which Scala 2.12 lacks. */
object Optional {

  /** Returns the value if the condition holds. Evaluates it only then. */
  def when[A](condition: Boolean)(value: => A): Option[A] = if (condition) Some(value) else None

  /** Returns the value unless the condition holds. Evaluates it only then. */
  def unless[A](condition: Boolean)(value: => A): Option[A] = when(!condition)(value)
}
