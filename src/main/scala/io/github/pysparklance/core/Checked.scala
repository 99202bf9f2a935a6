// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Overflow-checked arithmetic on counts, lengths, and positions that come from files. Overflow
  * throws instead of wrapping around to a plausible number.
  */
object Checked {

  /** Returns the value as an `Int`.
    *
    * @param what names the value in the error message
    * @throws CorruptFileException if the value does not fit
    */
  def int(value: Long, what: => String): Int = {
    if (value != value.toInt) tooLarge(what, java.lang.Long.toString(value))
    value.toInt
  }

  /** Returns `a + b`.
    *
    * @param what names the sum in the error message
    * @throws CorruptFileException if the sum does not fit a `Long`
    */
  def add(a: Long, b: Long, what: => String): Long = {
    val sum = a + b
    if (((a ^ sum) & (b ^ sum)) < 0) tooLarge(what, s"$a + $b")
    sum
  }

  /** Returns `a * b`.
    *
    * @param what names the product in the error message
    * @throws CorruptFileException if the product does not fit a `Long`
    */
  def multiply(a: Long, b: Long, what: => String): Long = {
    val product = a * b
    if (Math.multiplyHigh(a, b) != (product >> 63)) tooLarge(what, s"$a * $b")
    product
  }

  private def tooLarge(what: String, value: String): Nothing =
    throw new CorruptFileException(s"$what: $value is out of range")
}
