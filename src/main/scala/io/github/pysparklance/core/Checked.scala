// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Arithmetic on counts, lengths, and positions that come from files. A result that its type cannot hold is an error of
  * the file: it never wraps around to a number that looks right.
  */
object Checked {

  /** The value as an `Int`.
    *
    * @param what names the value in the message
    * @throws CorruptFileException when it does not fit
    */
  def int(value: Long, what: => String): Int = {
    if (value != value.toInt) tooLarge(what, java.lang.Long.toString(value))
    value.toInt
  }

  /** The sum.
    *
    * @param what names the sum in the message
    * @throws CorruptFileException when a `Long` does not hold it
    */
  def add(a: Long, b: Long, what: => String): Long = {
    val sum = a + b
    if (((a ^ sum) & (b ^ sum)) < 0) tooLarge(what, s"$a + $b")
    sum
  }

  /** The product.
    *
    * @param what names the product in the message
    * @throws CorruptFileException when a `Long` does not hold it
    */
  def multiply(a: Long, b: Long, what: => String): Long = {
    val product = a * b
    if (Math.multiplyHigh(a, b) != (product >> 63)) tooLarge(what, s"$a * $b")
    product
  }

  private def tooLarge(what: String, value: String): Nothing =
    throw new CorruptFileException(s"$what: $value is out of range")
}
