// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import io.github.pysparklance.core.{InvalidRequestException, Parse}
import io.github.pysparklance.spark.common.{LanceOptions, NameSuggestion}

/** The options of a job, from `WITH (...)` or the `options` of a procedure. Names ignore case, `_`,
  * and `-`.
  *
  * @param job name of the job, for errors
  * @param known all valid names
  * @throws InvalidRequestException if a name is unknown; suggests a similar name
  */
final private[jobs] class JobOptions(
    job: String,
    known: Seq[String],
    requested: Map[String, String]
) {
  private val values = requested.map { case (k, v) => LanceOptions.canonical(k) -> v.trim }
  private val byCanonical = known.map(n => LanceOptions.canonical(n) -> n).toMap

  requested.keys.map(k => k -> LanceOptions.canonical(k)).filterNot(k => byCanonical.contains(k._2))
    .foreach { case (name, canonical) =>
      val meant = NameSuggestion.of(canonical, byCanonical.keys).map(byCanonical)
      throw new InvalidRequestException(
        s"$job has no option $name; " +
          meant.fold(known.mkString("there are ", ", ", ""))(m => s"did you mean $m?")
      )
    }

  /** Returns the value as text. */
  def text(name: String): Option[String] = values.get(LanceOptions.canonical(name))

  /** Returns the values of those names that are set. */
  def texts(names: Seq[String]): Map[String, String] =
    names.flatMap(n => text(n).map(n -> _)).toMap

  /** Returns an integer with a minimum. */
  def long(name: String, least: Long = 1): Option[Long] =
    text(name).map(LanceOptions.long(name, _, least))

  def boolean(name: String): Option[Boolean] = text(name).map(LanceOptions.boolean(name, _))

  /** Returns integers separated by commas. */
  def longs(name: String): Option[Set[Long]] = text(name).map { v =>
    val inner = v.stripPrefix("[").stripSuffix("]").trim
    if (inner.isEmpty) Set.empty
    else
      inner.split(",").map { n =>
        Parse.long(n.trim).getOrElse(
          throw new InvalidRequestException(
            s"option $name is '$v', whole numbers separated by commas are expected"
          )
        )
      }.toSet
  }
}
