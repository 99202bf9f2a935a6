// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.spi.AddressSet
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.search.{DistanceScale, SearchStatistics, VectorQuery}
import io.github.pysparklance.index.vector.{
  ProbeTasks,
  Refinement,
  TableVectors,
  VectorIndex,
  VectorIndices
}
import io.github.pysparklance.table.LanceTable

/** Searches a vector index in this process.
  *
  * @param query query without vectors
  * @param tasks returns the search of large partitions among some rows; `None` to search all in
  *   this process
  */
final private[nearest] class IndexSearch(
    table: LanceTable,
    indices: VectorIndices,
    index: VectorIndex,
    query: NearestQuery,
    tasks: Option[AddressSet] => Option[ProbeTasks] = _ => None
) {
  import IndexSearch._

  private val vectors = new TableVectors(table, index.column)

  /** Counts the work of the searches. */
  val statistics = new SearchStatistics

  /** Ids of the fragments that the index does not cover. */
  lazy val uncovered: RoaringBitmap = indices.uncovered(index)

  /** Number of queries to search for at a time, so that their memory is limited. */
  lazy val queriesAtATime: Int = {
    val bytes = indices.bytesPerQuery(index, parameters)
    math.max(1L, math.min(maxQueries, batchBytes / bytes)).toInt
  }

  /** Returns the nearest rows to each query.
    *
    * @param queries the vectors of each query
    * @param rows addresses of rows that may be found; `None` for all rows
    * @param exact searches the fragments that the index does not cover
    */
  def run(
      queries: IndexedSeq[IndexedSeq[Array[Double]]],
      rows: Option[AddressSet]
  )(exact: RoaringBitmap => IndexedSeq[Neighbors]): IndexedSeq[Neighbors] = {
    val found = byIndex(queries, rows)
    val uncovered = found.map(_.uncovered).foldLeft(new RoaringBitmap)(RoaringBitmap.or(_, _))
    if (uncovered.isEmpty || query.parameters.fastSearch) found.map(_.rows)
    else
      found.zip(exact(uncovered)).map { case (covered, others) =>
        covered.rows.mergedWith(others, uncovered, query.numCandidates)
      }
  }

  private def byIndex(
      queries: IndexedSeq[IndexedSeq[Array[Double]]],
      rows: Option[AddressSet]
  ): IndexedSeq[Found] = {
    val inTasks = tasks(rows)
    val found = run(queries, rows, parameters, inTasks)
    // If a segment is unreadable, the exact search of its rows returns distances on another scale.
    val mixes = parameters.refineFactor.isEmpty && !parameters.fastSearch &&
      found.exists(!_.uncovered.isEmpty)
    if (mixes) run(queries, rows, parameters.copy(refineFactor = Some(1)), inTasks) else found
  }

  private def run(
      queries: IndexedSeq[IndexedSeq[Array[Double]]],
      rows: Option[AddressSet],
      parameters: VectorQuery,
      inTasks: Option[ProbeTasks]
  ): IndexedSeq[Found] =
    queries.grouped(queriesAtATime).flatMap(searched(_, rows, parameters, inTasks)).toIndexedSeq

  private def searched(
      queries: IndexedSeq[IndexedSeq[Array[Double]]],
      rows: Option[AddressSet],
      parameters: VectorQuery,
      inTasks: Option[ProbeTasks]
  ): IndexedSeq[Found] = {
    val all = queries.map(_.map(index.column.query))
    // No vector has a cosine distance to a vector of zeros.
    val hasDistances =
      all.map(q => index.metric != Metric.Cosine || q.forall(_.values.exists(_ != 0)))
    val requested = all.indices.filter(hasDistances).map(all)
    val found =
      if (requested.isEmpty) IndexedSeq.empty
      else indices.searchAll(index, requested, parameters, rows, statistics, inTasks)
    val refined =
      if (parameters.refineFactor.isEmpty) found
      else
        Refinement.all(
          found,
          index.column,
          requested,
          index.metric,
          parameters,
          vectors,
          statistics
        )
    val results = refined.iterator.map { result =>
      val nearest = result.rows.take(query.numCandidates)
      val addresses = result.addresses.take(nearest.numRows)
      new Found(new Neighbors(nearest.rows, addresses, nearest.distances), result.uncovered)
    }
    hasDistances.map(has => if (has) results.next() else new Found(Neighbors.none, uncovered))
  }

  /** Whether an exact search among some rows is faster, and has distances on the same scale.
    * Without a maximum number of partitions, an index search may read many partitions to find a few
    * rows.
    */
  def prefersExact(rows: AddressSet): Boolean =
    !parameters.fastSearch && parameters.mostProbes.isEmpty && hasTrueDistances &&
      rows.numRows <= maxExact(parameters.numCandidates)

  private def hasTrueDistances: Boolean = parameters.refineFactor.isDefined ||
    index.segments.forall { case (_, open) =>
      open.kind.contains("FLAT") && open.quantizer.scale == DistanceScale.OfMetric
    }

  /** The parameters of each search. If the index does not cover all fragments, or may have outdated
    * vectors, rows are refined, so that all rows have true distances.
    */
  private lazy val parameters: VectorQuery = {
    val requested = query.parameters
    val refineFactor =
      if (requested.refineFactor.isDefined) requested.refineFactor
      else if (!query.refines && (index.kind.contains("PQ") || indices.mayBeOutdated(index)))
        Some(refineFactorByDefault(query.numCandidates))
      else if (!requested.fastSearch && !uncovered.isEmpty) Some(1)
      else None
    val numCandidates = query.numCandidates * refineFactor.getOrElse(1)
    requested.copy(
      k = query.numCandidates,
      metric = Some(index.metric),
      refineFactor = refineFactor,
      // A user who sets only `ef` does not account for the candidates of the default factor.
      ef = if (query.refines) requested.ef else requested.ef.map(math.max(_, numCandidates))
    )
  }
}

private[nearest] object IndexSearch {

  /** Default refine factor of product quantization, whose distances are inaccurate, and of outdated
    * vectors.
    */
  private def refineFactorByDefault(k: Int): Int = math.max(1, math.min(10, maxRefined / k))

  /** Maximum number of rows to refine by default, unless `k` is greater. */
  private val maxRefined = 1 << 20

  /** Maximum number of matching rows of a filter that are compared without the index. */
  private def maxExact(numCandidates: Int): Long = math.max(1024L, 4L * numCandidates)

  /** Maximum memory of the queries to search for together. */
  private val batchBytes = 64L << 20

  private val maxQueries = 16384L

  /** The rows that an index found for one query.
    *
    * @param uncovered ids of the fragments that the index does not cover
    */
  final private class Found(val rows: Neighbors, val uncovered: RoaringBitmap)
}
