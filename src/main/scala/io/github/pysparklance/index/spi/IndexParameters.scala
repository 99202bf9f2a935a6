// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import io.github.pysparklance.core.{InvalidRequestException, Parse}

/** A parameter of a kind of index, by the name that pylance has for it.
  *
  * @param default as text
  * @param isValid whether a number can be the value
  * @param expected what a value has to be, for errors
  */
final case class IndexParameter(
    name: String,
    default: String,
    expected: String,
    isValid: Double => Boolean
)

object IndexParameter {

  /** A whole number from 1 to 1,000,000. */
  def count(name: String, default: Int): IndexParameter = IndexParameter(
    name,
    default.toString,
    "a whole number from 1 to 1000000",
    n => n >= 1 && n <= 1000000 && n == math.rint(n)
  )

  /** A probability. */
  def probability(name: String, default: String): IndexParameter =
    IndexParameter(name, default, "a number between 0 and 1", p => p > 0 && p < 1)
}

/** Values of the parameters of a kind of index. */
final case class IndexParameters private (texts: Map[String, String]) {
  def count(name: String): Int = texts(name).toDouble.toInt
  def number(name: String): Double = texts(name).toDouble

  /** The value as it was written. */
  def text(name: String): String = texts(name)
}

object IndexParameters {

  /** Checks values, and takes the defaults for parameters without one.
    *
    * @param kind for errors
    * @throws InvalidRequestException for a value that is not valid
    */
  def of(
      kind: String,
      known: Seq[IndexParameter],
      values: Map[String, String]
  ): IndexParameters = IndexParameters(known.map { parameter =>
    val text = values.getOrElse(parameter.name, parameter.default).trim
    if (!Parse.double(text).exists(parameter.isValid))
      throw new InvalidRequestException(
        s"the parameter ${parameter.name} of a $kind index is '$text', expected ${parameter.expected}"
      )
    parameter.name -> text
  }.toMap)
}
