// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.ivf

import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.search.VectorQuery

/** Chooses the number of partitions that a search probes first, in the same way as the reference:
  * the partitions whose centroids are not much farther than the nearest one, within bounds that
  * depend on the metric and on `k`. If these have fewer than `k` rows, the search probes more.
  */
object ProbePolicy {

  /** Returns the number of partitions to probe first.
    *
    * @param ranked all partitions of a segment
    */
  def initial(query: VectorQuery, metric: Metric, ranked: RankedPartitions): Int = {
    val most = math.min(query.mostProbes.getOrElse(ranked.numPartitions), ranked.numPartitions)
    val least = math.min(query.leastProbes, most)
    val chosen =
      if (query.mostProbes.contains(query.leastProbes)) least
      else math.min(math.max(least, near(query.k, metric, ranked)), most)
    query.searchEffort.fold(chosen)(scaled(_, least, chosen, most))
  }

  /** Returns the number of partitions that are near enough. */
  private def near(k: Int, metric: Metric, ranked: RankedPartitions): Int =
    if (ranked.numPartitions == 0) 0
    else if (metric == Metric.Hamming || k > upperEnds.last) {
      val factor = if (k <= 1) 0.6f else if (k <= 10) 7f else 81f
      ranked.count(_ <= ranked.distance(0) * factor)
    } else {
      val (margins, floors, caps) = profiles(metric)
      val bucket = upperEnds.indexWhere(k <= _)
      val nearest = ranked.distance(0).toDouble
      val selected =
        if (nearest.isNaN || nearest.isInfinite) ranked.numPartitions
        else {
          val unit = if (metric == Metric.Dot) math.abs(1 - nearest) else nearest
          ranked.count(d => !d.isInfinite && d - nearest <= margins(bucket) * unit)
        }
      math.min(math.max(selected, floors(bucket)), caps(bucket))
    }

  /** Scales the number between the minimum and the maximum. */
  private def scaled(effort: Double, least: Int, chosen: Int, most: Int): Int =
    if (most == 0) 0
    else {
      val low = math.min(math.max(least, 1), most)
      val auto = math.min(math.max(chosen, low), most)
      def between(from: Int, to: Int, exponent: Double): Int = {
        val scaled = from * math.pow(to.toDouble / from, exponent)
        math.min(math.max(math.ceil(scaled).toInt, from), to)
      }
      if (effort == 0.5) chosen
      else if (effort < 0.5) between(low, auto, 2 * effort)
      else between(auto, most, 2 * effort - 1)
    }

  /** The greatest `k` of each column of the profiles. */
  private val upperEnds = Seq(1, 10, 100, 200, 500, 1000, 10000, 100000)

  /** Maximum distance relative to the nearest one, minus 1; minimum and maximum number of
    * partitions.
    */
  private val profiles: Map[Metric, (Seq[Float], Seq[Int], Seq[Int])] = Map(
    Metric.L2 -> ((
      Seq(0.2175f, 0.265f, 0.33f, 0.375f, 0.3725f, 0.4175f, 0.57f, 0.75f),
      Seq(5, 6, 11, 15, 22, 29, 98, 463),
      Seq(19, 24, 38, 56, 81, 93, 238, 704)
    )),
    Metric.Cosine -> ((
      Seq(0.235f, 0.2875f, 0.38f, 0.415f, 0.45f, 0.47f, 0.6475f, 0.58f),
      Seq(3, 8, 7, 18, 28, 34, 104, 738),
      Seq(50, 77, 106, 156, 192, 248, 447, 958)
    )),
    Metric.Dot -> ((
      Seq(0.14f, 0.055f, 0.0625f, 0.0675f, 0.07f, 0.0725f, 0.0825f, 0.21f),
      Seq(56, 144, 200, 211, 244, 279, 517, 1009),
      Seq(112, 432, 768, 833, 971, 1092, 1824, 2528)
    ))
  )
}
