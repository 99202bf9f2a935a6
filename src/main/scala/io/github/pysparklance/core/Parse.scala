// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import scala.util.control.Exception.catching

/** Values of texts, or `None` if a text has none. Same results as `toIntOption` and the like of Scala 2.13, which
  * Scala 2.12 does not have.
  */
object Parse {
  private def number[A](parse: => A): Option[A] =
    catching(classOf[NumberFormatException]).opt(parse)

  /** A whole number without spaces around it. A plus sign is allowed. */
  def int(text: String): Option[Int] = number(java.lang.Integer.parseInt(text))

  /** A whole number without spaces around it. A plus sign is allowed. */
  def long(text: String): Option[Long] = number(java.lang.Long.parseLong(text))

  /** A floating-point number as in Java sources, or NaN or Infinity. Spaces around it are ignored. */
  def double(text: String): Option[Double] = number(java.lang.Double.parseDouble(text))

  /** `true` or `false`, in any case. */
  def boolean(text: String): Option[Boolean] =
    if (text.equalsIgnoreCase("true")) Some(true)
    else if (text.equalsIgnoreCase("false")) Some(false)
    else None
}
