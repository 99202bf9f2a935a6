// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Optional values by a condition: `Option.when` and `Option.unless`, which Scala 2.12 does not have. */
object Optional {

  /** The value if the condition holds. The value is evaluated only then. */
  def when[A](condition: Boolean)(value: => A): Option[A] = if (condition) Some(value) else None

  /** The value unless the condition holds. The value is evaluated only then. */
  def unless[A](condition: Boolean)(value: => A): Option[A] = when(!condition)(value)
}
