// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.search

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.vector.distance.Metric

/** What to search for, with the parameters of the reference.
  *
  * @param k rows to return, at least 1
  * @param metric metric of the distances; `None`: that of the index
  * @param nprobes partitions to search in each segment: the same as equal minimum and maximum
  * @param minimumNprobes partitions to search at least; by default chosen by the distances of the centroids
  * @param maximumNprobes partitions to search at most; by default all, until `k` rows are found
  * @param searchEffort 0 to 1: scales the number of partitions that are searched at first between the minimum and all
  *   of them; if given, `nprobes` is ignored
  * @param refineFactor `k` times this many rows are compared again by their true distance; `None`:
  *   distances of the index
  * @param ef candidates of the search in a graph; by default one and a half times the rows it returns
  * @param lowerBound distances are at least this; in the unit of the distances that are returned
  * @param upperBound distances are less than this
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

  /** Rows of the index that are looked at again, or returned. */
  def numCandidates: Int = k * refineFactor.getOrElse(1)

  /** Partitions to search at least, before the distances of centroids count. */
  def leastProbes: Int = minimumNprobes.orElse(fixedProbes).getOrElse(1)

  /** Partitions to search at most. */
  def mostProbes: Option[Int] = maximumNprobes.orElse(fixedProbes)

  private def fixedProbes: Option[Int] = if (searchEffort.isEmpty) nprobes else None

  /** Candidates of the search in a graph.
    *
    * @throws InvalidRequestException if there are fewer than rows to return
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

  /** The same query with bounds on the scale of an index. */
  def onScale(scale: DistanceScale): VectorQuery = copy(
    lowerBound = lowerBound.map(scale.ofMetric),
    upperBound = upperBound.map(scale.ofMetric)
  )
}

object VectorQuery {

  /** Candidates of a search, at most. */
  private val maxCandidates = 1 << 24

  private def check(condition: Boolean, problem: => String): Unit =
    if (!condition) throw new InvalidRequestException(problem)

  private def positive(name: String, value: Option[Int]): Unit =
    value.foreach(v => check(v > 0, s"$name must be at least 1, not $v"))
}

/** Speed against accuracy, for IVF_RQ and for filtered searches in graphs. */
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
