// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import io.github.pysparklance.core.{InvalidRequestException, Parse}
import io.github.pysparklance.spark.common.{LanceOptions, NearestName}

/** The options of one run of a job, as `WITH (...)` or a procedure's `options` gives them. Spelling is that of all
  * options: case, `_` and `-` do not count.
  *
  * @param job what the options are for, for errors
  * @param known all names that there are
  * @throws InvalidRequestException when there is another name among them, with the one that is meant
  */
final private[jobs] class JobOptions(job: String, known: Seq[String], asked: Map[String, String]) {
  private val values = asked.map { case (k, v) => LanceOptions.canonical(k) -> v.trim }
  private val byCanonical = known.map(n => LanceOptions.canonical(n) -> n).toMap

  asked.keys.map(k => k -> LanceOptions.canonical(k)).filterNot(k => byCanonical.contains(k._2))
    .foreach { case (name, canonical) =>
      val meant = NearestName.of(canonical, byCanonical.keys).map(byCanonical)
      throw new InvalidRequestException(
        s"$job has no option $name; " +
          meant.fold(known.mkString("there are ", ", ", ""))(m => s"is $m meant?")
      )
    }

  /** The value as it was written. */
  def text(name: String): Option[String] = values.get(LanceOptions.canonical(name))

  /** A whole number of at least `least`. */
  def long(name: String, least: Long = 1): Option[Long] =
    text(name).map(LanceOptions.long(name, _, least))

  def boolean(name: String): Option[Boolean] = text(name).map(LanceOptions.boolean(name, _))

  /** Whole numbers, separated by commas. */
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
