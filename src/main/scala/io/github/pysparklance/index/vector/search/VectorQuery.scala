// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.search

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.vector.distance.Metric

/** The parameters of a vector search, as in pylance.
  *
  * @param k number of rows to return, at least 1
  * @param metric metric of the distances; `None` for the metric of the index
  * @param nprobes number of partitions to search in each segment; sets minimum and maximum
  * @param minimumNprobes minimum number of partitions to search; by default chosen by the distances
  *   of the centroids
  * @param maximumNprobes maximum number of partitions to search; by default all, until `k` rows are
  *   found
  * @param searchEffort from 0 to 1; scales the number of partitions that are searched first, from
  *   the minimum to all of them. If it is set, `nprobes` is ignored
  * @param refineFactor computes true distances for `k` times this number of rows; `None` for the
  *   distances of the index
  * @param ef number of candidates of a graph search; by default 1.5 times the number of returned
  *   rows
  * @param lowerBound minimum distance, in the unit of the returned distances
  * @param upperBound exclusive maximum distance
  * @param useIndex whether an index may be used
  * @param fastSearch whether rows outside of indices are skipped
  */
final case class VectorQuery(
    k: Int = 10,
    metric: Option[Metric] = None,
    nprobes: Option[Int] = None,
    minimumNprobes: Option[Int] = None,
    maximumNprobes: Option[Int] = None,
    searchEffort: Option[Double] = None,
    refineFactor: Option[Int] = None,
    ef: Option[Int] = None,
    lowerBound: Option[Float] = None,
    upperBound: Option[Float] = None,
    useIndex: Boolean = true,
    fastSearch: Boolean = false,
    approxMode: ApproxMode = ApproxMode.Normal
) {
  import VectorQuery._

  positive("k", Some(k))
  positive("nprobes", nprobes)
  positive("minimum_nprobes", minimumNprobes)
  positive("maximum_nprobes", maximumNprobes)
  positive("refine_factor", refineFactor)
  positive("ef", ef)
  for (least <- minimumNprobes; most <- maximumNprobes)
    check(least <= most, s"minimum_nprobes $least is greater than maximum_nprobes $most")
  searchEffort.foreach(e => check(e >= 0 && e <= 1, s"search_effort $e is not between 0 and 1"))
  check(
    !lowerBound.exists(_.isNaN) && !upperBound.exists(_.isNaN),
    "distance_range has a bound that is not a number"
  )
  check(
    k.toLong * refineFactor.getOrElse(1) <= maxCandidates,
    s"k $k with refine_factor ${refineFactor.getOrElse(1)} needs more than $maxCandidates candidates"
  )

  /** Number of rows that the index search returns, before refinement. */
  def numCandidates: Int = k * refineFactor.getOrElse(1)

  /** Minimum number of partitions to search. */
  def leastProbes: Int = minimumNprobes.orElse(fixedProbes).getOrElse(1)

  /** Maximum number of partitions to search. */
  def mostProbes: Option[Int] = maximumNprobes.orElse(fixedProbes)

  private def fixedProbes: Option[Int] = if (searchEffort.isEmpty) nprobes else None

  /** Number of candidates of a graph search.
    *
    * @throws InvalidRequestException if it is less than the number of rows to return
    */
  def graphCandidates: Int = {
    val wanted = numCandidates
    val found = ef.getOrElse(math.min(wanted + wanted / 2L, maxCandidates.toLong).toInt)
    check(found >= wanted, s"ef $found is less than k * refine_factor, which is $wanted")
    found
  }

  /** Whether a distance is within the bounds; NaN is not within any bounds. */
  def isInRange(distance: Float): Boolean =
    lowerBound.forall(distance >= _) && upperBound.forall(distance < _)

  /** Returns the query with bounds on the scale of an index. */
  def onScale(scale: DistanceScale): VectorQuery = copy(
    lowerBound = lowerBound.map(scale.ofMetric),
    upperBound = upperBound.map(scale.ofMetric)
  )
}

object VectorQuery {

  /** Maximum number of candidates of a search. */
  private val maxCandidates = 1 << 24

  private def check(condition: Boolean, problem: => String): Unit =
    if (!condition) throw new InvalidRequestException(problem)

  private def positive(name: String, value: Option[Int]): Unit =
    value.foreach(v => check(v > 0, s"$name must be at least 1, not $v"))
}

/** The trade-off between speed and accuracy of IVF_RQ and of filtered graph searches. */
sealed abstract class ApproxMode(val name: String) extends Serializable

object ApproxMode {

  /** Compares by the first bit of each code. */
  case object Fast extends ApproxMode("fast")
  case object Normal extends ApproxMode("normal")
  case object Accurate extends ApproxMode("accurate")

  val all: Seq[ApproxMode] = Seq(Fast, Normal, Accurate)

  /** Parses a name in any case.
    *
    * @throws InvalidRequestException for any other name
    */
  def parse(text: String): ApproxMode = all.find(_.name.equalsIgnoreCase(text.trim)).getOrElse(
    throw new InvalidRequestException(
      s"unknown approx_mode '$text': use ${all.map(_.name).mkString(", ")}"
    )
  )
}
