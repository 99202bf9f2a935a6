// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.spi.RowSet
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.search.{SearchStatistics, VectorQuery}
import io.github.pysparklance.index.vector.{Refinement, TableVectors, VectorIndex, VectorIndices}
import io.github.pysparklance.table.LanceTable

/** Searches a vector index on the driver. */
final private[nearest] class IndexSearch(
    table: LanceTable,
    index: VectorIndex,
    query: NearestQuery
) {
  private val indices = new VectorIndices(table)

  /** Counts what the searches did. */
  val statistics = new SearchStatistics

  /** The nearest rows to each query that the index finds.
    *
    * @param rows addresses of rows that may be found; `None`: all rows
    */
  def run(rows: Option[RowSet]): IndexedSeq[IndexSearch.Found] = {
    val found = run(rows, parameters)
    // A segment that turned out to be unreadable leaves rows to an exact search, whose distances are on another scale.
    val mixes = parameters.refineFactor.isEmpty && !parameters.fastSearch &&
      found.exists(!_.uncovered.isEmpty)
    if (mixes) run(rows, parameters.copy(refineFactor = Some(1))) else found
  }

  private def run(rows: Option[RowSet], parameters: VectorQuery): IndexedSeq[IndexSearch.Found] =
    query.vectors.elements.map { elements =>
      // No vector has a cosine distance to a vector of zeros.
      if (index.metric == Metric.Cosine && index.column.query(elements).values.forall(_ == 0))
        new IndexSearch.Found(Neighbors.none, indices.uncovered(index))
      else search(elements, rows, parameters)
    }

  private def search(
      elements: Array[Double],
      rows: Option[RowSet],
      parameters: VectorQuery
  ): IndexSearch.Found = {
    val vector = Seq(index.column.query(elements))
    val found = indices.search(index, vector, parameters, rows, statistics)
    val answer = parameters.refineFactor.fold(found) { _ =>
      val source = new TableVectors(table, index.column)
      Refinement(found, index.column, vector, index.metric, parameters, source, statistics)
    }
    val nearest = answer.rows.take(query.numCandidates)
    new IndexSearch.Found(
      new Neighbors(
        nearest.rows,
        answer.addresses.take(nearest.numRows),
        nearest.distances
      ),
      answer.uncovered
    )
  }

  /** The parameters of each search. Rows are refined if the index does not cover all fragments, so that all rows have true
    * distances.
    */
  private lazy val parameters: VectorQuery = {
    val asked = query.parameters
    val refineFactor =
      if (asked.refineFactor.isDefined) asked.refineFactor
      else if (!query.refines && index.kind.contains("PQ"))
        Some(IndexSearch.refineFactorOfCodes(query.numCandidates))
      else if (!asked.fastSearch && !indices.uncovered(index).isEmpty) Some(1)
      else None
    val numCandidates = query.numCandidates * refineFactor.getOrElse(1)
    asked.copy(
      k = query.numCandidates,
      metric = Some(index.metric),
      refineFactor = refineFactor,
      // Users who set `ef` alone do not know how many candidates the default factor needs.
      ef = if (query.refines) asked.ef else asked.ef.map(math.max(_, numCandidates))
    )
  }
}

private[nearest] object IndexSearch {

  /** How many times `k` rows are refined by default, as the distances of product quantization are not accurate. */
  private def refineFactorOfCodes(k: Int): Int = math.max(1, math.min(10, maxRefined / k))

  /** Rows that are refined by default at most, unless `k` is greater. */
  private val maxRefined = 1 << 20

  /** The rows that an index found for one query.
    *
    * @param uncovered ids of the fragments that it does not cover
    */
  final class Found(val rows: Neighbors, val uncovered: RoaringBitmap)
}
