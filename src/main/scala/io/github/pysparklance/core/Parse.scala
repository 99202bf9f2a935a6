// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import scala.util.control.Exception.catching

/** Parses numbers and booleans, or returns `None`. Equivalent to `toIntOption` and its siblings,
  * which Scala 2.12 lacks.
  */
object Parse {
  private def number[A](parse: => A): Option[A] =
    catching(classOf[NumberFormatException]).opt(parse)

  /** Parses an integer without surrounding spaces. A plus sign is allowed. */
  def int(text: String): Option[Int] = number(java.lang.Integer.parseInt(text))

  /** Parses an integer without surrounding spaces. A plus sign is allowed. */
  def long(text: String): Option[Long] = number(java.lang.Long.parseLong(text))

  /** Parses a floating-point number as in Java source code, NaN, or Infinity. Ignores surrounding
    * spaces.
    */
  def double(text: String): Option[Double] = number(java.lang.Double.parseDouble(text))

  /** Parses `true` or `false`, in upper or lower case. */
  def boolean(text: String): Option[Boolean] =
    if (text.equalsIgnoreCase("true")) Some(true)
    else if (text.equalsIgnoreCase("false")) Some(false)
    else None
}
