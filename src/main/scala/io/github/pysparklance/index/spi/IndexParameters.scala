// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import io.github.pysparklance.core.{InvalidRequestException, Parse}

/** A parameter of a kind of index, with the name that pylance uses.
  *
  * @param default default value as text
  * @param expected description of valid values, for errors
  * @param isValid whether a text is a valid value
  * @param limited replaces values of existing indices that are too large for new ones
  */
final case class IndexParameter(
    name: String,
    default: String,
    expected: String,
    isValid: String => Boolean,
    limited: String => String = identity
)

/** Creates parameters of common types. */
object IndexParameter {

  /** A whole number from 1 to 1,000,000. */
  def count(name: String, default: Int): IndexParameter = IndexParameter(
    name,
    default.toString,
    s"a whole number from 1 to $maxCount",
    isNumber(n => n >= 1 && n <= maxCount && n == math.rint(n)),
    text => if (isNumber(_ > maxCount)(text)) maxCount.toString else text
  )

  private val maxCount = 1000000

  /** Total memory in MiB of the tasks that run at the same time. */
  val memoryLimit: String = "memory_limit"

  /** Number of tasks of a build. */
  val numWorkers: String = "num_workers"

  /** A probability between 0 and 1, exclusive. */
  def probability(name: String, default: String): IndexParameter =
    IndexParameter(name, default, "a number between 0 and 1", isNumber(p => p > 0 && p < 1))

  private def isNumber(isValid: Double => Boolean)(text: String): Boolean =
    Parse.double(text).exists(isValid)
}

/** The values of the parameters of an index. */
final case class IndexParameters private (texts: Map[String, String]) {
  def count(name: String): Int = texts(name).toDouble.toInt
  def number(name: String): Double = texts(name).toDouble

  /** Returns the value of a parameter that is optional. */
  def optional(name: String): Option[Int] =
    texts.get(name).filter(_.nonEmpty).map(_.toDouble.toInt)

  /** Returns the parameters with another value. */
  def updated(name: String, value: String): IndexParameters =
    IndexParameters(texts.updated(name, value))

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
    if (!parameter.isValid(text))
      throw new InvalidRequestException(
        s"the parameter ${parameter.name} of the $kind index is '$text', expected ${parameter.expected}"
      )
    parameter.name -> text
  }.toMap)

  /** Like [[of]], for values that an existing index has stored. Values that are too large for a new
    * index are limited.
    */
  def ofStored(
      kind: String,
      known: Seq[IndexParameter],
      values: Map[String, String]
  ): IndexParameters = of(
    kind,
    known,
    known.flatMap(p => values.get(p.name).map(v => p.name -> p.limited(v.trim))).toMap
  )
}
