// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{InvalidRequestException, Optional, RowRange, RowSelection}
import io.github.pysparklance.index.cache.IndexMeter
import io.github.pysparklance.index.spi.AddressSet
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.search.{FoundRows, SearchStatistics}
import io.github.pysparklance.index.vector.{ProbeWork, VectorColumn, VectorIndex, VectorIndices}
import io.github.pysparklance.spark.scan.task.ReadTask
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.FragmentScan
import io.github.pysparklance.table.{LanceTable, TableHandle}

/** Searches for batches of queries in the process of a task. Reads each partition of the index, and
  * each fragment that the index does not cover, once for all queries of a batch. Separate
  * searches return the same results. Sent to the executors, where all tasks of a process share it.
  *
  * @param index name of the index; `None` for exact searches
  * @param query query without vectors
  * @param before addresses of the rows that may be found; `None` for all rows
  * @param after addresses of the nearest rows to keep; `None` for all rows
  * @param read reads the vector column and the identity of rows
  */
final private[nearest] class BatchSearch(
    handle: TableHandle,
    store: FileStore,
    field: VectorColumn,
    metric: Metric,
    index: Option[String],
    query: NearestQuery,
    before: Option[AddressSet],
    after: Option[AddressSet],
    read: ReadTask
) extends Serializable {

  /** The version to search. */
  def table: LanceTable = handle.table

  // Thread-safe, because all tasks share it.
  @transient private lazy val indices = new VectorIndices(table, meter)

  @transient private lazy val opened: Option[VectorIndex] =
    index.flatMap(indices.open(field.field.id, _))

  /** Counts the reads of index files in this process. */
  @transient lazy val meter: IndexMeter = new IndexMeter

  /** Returns the nearest rows to each query.
    *
    * @param statistics counts the work
    */
  def apply(
      queries: IndexedSeq[IndexedSeq[Array[Double]]],
      statistics: SearchStatistics
  ): IndexedSeq[Neighbors] = {
    queries.iterator.flatten.foreach(SearchedColumn.check(field, _, query.undefined))
    val found = opened.fold(exact(queries, None))(byIndex(_, queries, statistics))
    after.fold(found)(rows => found.map(_.filter(rows.contains))).map(_.drop(query.offset))
  }

  /** Searches partitions of the index; `None` if they cannot be read.
    *
    * @param statistics counts the work
    */
  def probe(work: ProbeWork, statistics: SearchStatistics): Option[IndexedSeq[FoundRows]] =
    opened.flatMap(indices.probe(_, work, before, statistics))

  /** Number of queries to search for together. */
  @transient lazy val queriesAtATime: Int = opened.fold(exactQueries) { i =>
    new IndexSearch(table, indices, i, query).queriesAtATime
  }

  /** Number of queries that are compared with all vectors together. */
  private def exactQueries: Int =
    math.max(1, math.min(BatchSearch.maxQueries, BatchSearch.maxFound / query.numCandidates))

  private def byIndex(
      index: VectorIndex,
      queries: IndexedSeq[IndexedSeq[Array[Double]]],
      statistics: SearchStatistics
  ): IndexedSeq[Neighbors] = {
    val search = new IndexSearch(table, indices, index, query)
    if (before.exists(search.prefersExact)) exact(queries, None)
    else {
      val found = search.run(queries, before)(uncovered => exact(queries, Some(uncovered)))
      statistics.add(search.statistics)
      found
    }
  }

  /** Compares the vectors of rows.
    *
    * @param fragments ids of the fragments to search; `None` for all
    */
  private def exact(
      queries: IndexedSeq[IndexedSeq[Array[Double]]],
      fragments: Option[RoaringBitmap]
  ): IndexedSeq[Neighbors] = {
    if (query.parameters.fastSearch)
      throw new InvalidRequestException(
        s"fast_search reads only the index ${index.mkString}, which cannot be read: leave fast_search out"
      )
    val scans = table.fragments.indices
      .filter(i => fragments.forall(_.contains(table.fragments(i).id.toInt)))
      .flatMap(scan)
    queries.grouped(exactQueries).flatMap { some =>
      val vectors = new QueryVectors(some, isBatch = true, isNested = false)
      new ExactTask(field, metric, query.copy(vectors = vectors))(read, store, scans, table.path)
    }.toIndexedSeq
  }

  private def scan(fragment: Int): Option[FragmentScan] = {
    val all = RowRange(0, table.physicalRows(table.fragments(fragment)))
    val selected = before.map { rows =>
      val offsets = rows.offsets(table.fragments(fragment).id).toArray
      RowSelection.of(offsets.map(_ & 0xffffffffL))
    }
    Optional.unless(selected.exists(_.isEmpty))(
      FragmentScan(
        table,
        fragment,
        all,
        selected,
        FragmentScan.gapRows(field.numBytes),
        read.allComputed
      )
    )
  }

  /** Returns scans of rows, in the order of the table.
    *
    * @param addresses each once
    * @param read of the columns
    * @param rowBytes estimated size of a row
    */
  def scansOf(
      addresses: Array[Long],
      read: ReadTask,
      rowBytes: Long
  ): IndexedSeq[FragmentScan] = {
    val byFragment = addresses.groupBy(RowAddress.fragmentId)
    table.fragments.indices.flatMap { i =>
      byFragment.get(table.fragments(i).id).map { rows =>
        FragmentScan(
          table,
          i,
          RowRange(0, table.physicalRows(table.fragments(i))),
          Some(RowSelection.of(rows.map(RowAddress.offset))),
          FragmentScan.gapRows(rowBytes),
          read.allComputed
        ).allowing(read.options.blobUris)
      }
    }
  }
}

private object BatchSearch {

  /** Maximum number of queries to compare with all vectors together. */
  val maxQueries = 4096

  /** Maximum number of rows that these queries find, unless a single query finds more. */
  val maxFound: Int = 1 << 20
}
