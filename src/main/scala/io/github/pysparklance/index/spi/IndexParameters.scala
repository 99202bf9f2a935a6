// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import io.github.pysparklance.core.{InvalidRequestException, Parse}

/** A parameter of a kind of index, with the name that pylance uses.
  *
  * @param default default value as text
  * @param expected description of valid values, for errors
  * @param isValid whether a number is a valid value
  */
final case class IndexParameter(
    name: String,
    default: String,
    expected: String,
    isValid: Double => Boolean
)

/** Creates parameters of common types. */
object IndexParameter {

  /** A whole number from 1 to 1,000,000. */
  def count(name: String, default: Int): IndexParameter = IndexParameter(
    name,
    default.toString,
    "a whole number from 1 to 1000000",
    n => n >= 1 && n <= 1000000 && n == math.rint(n)
  )

  /** A probability between 0 and 1, exclusive. */
  def probability(name: String, default: String): IndexParameter =
    IndexParameter(name, default, "a number between 0 and 1", p => p > 0 && p < 1)
}

/** The values of the parameters of an index. */
final case class IndexParameters private (texts: Map[String, String]) {
  def count(name: String): Int = texts(name).toDouble.toInt
  def number(name: String): Double = texts(name).toDouble

  /** Returns the value as text. */
  def text(name: String): String = texts(name)
}

/** Checks parameters. */
object IndexParameters {

  /** Checks values, and uses the defaults of missing parameters.
    *
    * @param kind kind of index, for errors
    * @throws InvalidRequestException if a value is invalid
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
