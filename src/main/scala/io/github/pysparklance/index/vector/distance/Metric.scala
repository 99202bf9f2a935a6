// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.distance

import java.util.Locale

import io.github.pysparklance.core.InvalidRequestException

/** A distance metric. A smaller distance is nearer.
  *
  * Source: format page of the indices, "Search and distances".
  *
  * @param name name in index files
  */
sealed abstract class Metric(val name: String) extends Serializable {
  override def toString: String = name
}

object Metric {

  /** The sum of squared differences, without the root. */
  case object L2 extends Metric("l2")

  /** One minus the cosine of the angle. */
  case object Cosine extends Metric("cosine")

  /** One minus the inner product. */
  case object Dot extends Metric("dot")

  /** The number of differing bits. Vectors of uint8 only. */
  case object Hamming extends Metric("hamming")

  val all: Seq[Metric] = Seq(L2, Cosine, Dot, Hamming)

  private val byName = all.map(m => m.name -> m).toMap + ("euclidean" -> L2)

  /** Parses the name of a metric in any case; `euclidean` is `l2`.
    *
    * @throws InvalidRequestException for any other name
    */
  def parse(text: String): Metric = byName.getOrElse(
    text.trim.toLowerCase(Locale.ROOT),
    throw new InvalidRequestException(
      s"unknown metric '$text': use ${all.map(_.name).mkString(", ")}, or euclidean"
    )
  )
}
