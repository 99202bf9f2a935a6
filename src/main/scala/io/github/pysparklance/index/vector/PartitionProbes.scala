// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.Interrupts
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.vector.search._
import io.github.pysparklance.index.vector.segment.{
  SearchBuffers,
  SegmentSearch,
  VectorPartition,
  VectorSegment
}
import io.github.pysparklance.table.manifest.IndexSegment

/** A segment, with the fragments that it is searched for.
  *
  * @param covered ids of the fragments
  * @param mask mask of rows as `rowsOf` returns them
  * @param rowsOf returns the result rows of a partition, by the number of the partition
  */
final private[vector] class SegmentPart(
    val segment: IndexSegment,
    val open: VectorSegment,
    val files: IndexFiles,
    val covered: RoaringBitmap,
    val mask: RowMask,
    val rowsOf: (Int, VectorPartition) => Array[Long]
)

/** Searches segments for several query vectors: first the near partitions of each query, then more
  * until the query has enough rows. Each query probes the same partitions as in a separate search. A
  * partition is loaded once for all queries that probe it in the same round. Not thread-safe.
  *
  * @param query parameters of all searches, with bounds in the unit of the metric
  * @param scale scale of the results
  * @param read runs a read of the files of a segment; returns `None` if they cannot be read
  */
final private[vector] class PartitionProbes(
    parts: IndexedSeq[SegmentPart],
    vectors: IndexedSeq[QueryVector],
    query: VectorQuery,
    scale: DistanceScale,
    statistics: SearchStatistics,
    read: PartitionProbes.Read
) {
  import PartitionProbes._

  private val buffers = new SearchBuffers
  private val queries = parts.map(p => query.onScale(p.open.quantizer.scale))
  private val searches = vectors.map(new Search(_))

  /** Returns the nearest rows to each vector. */
  def run(): IndexedSeq[FoundRows] = {
    var probes = searches.flatMap(_.initial)
    while (probes.nonEmpty) {
      visit(probes)(probe)
      probes = searches.flatMap(_.more)
    }
    val incomplete = searches.filter(_.lacksRows).flatMap(_.byGraph)
    if (incomplete.nonEmpty) {
      visit(incomplete.flatMap(_.probed))(compareAll)
      incomplete.foreach(_.takeLarger())
    }
    searches.map(_.result)
  }

  private def probe(p: Probe, partition: VectorPartition, rows: Array[Long]): Unit =
    p.target.search.probe(p.rank, partition, rows, p.target.top)

  private def compareAll(p: Probe, partition: VectorPartition, rows: Array[Long]): Unit =
    p.target.search.compareAll(p.rank, partition, rows, p.target.compared)

  /** Loads the partitions of probes, a limited number of bytes at a time. A single query probes the
    * nearest partition first, so that distances in later ones can be skipped. Several queries probe
    * partitions in file order.
    */
  private def visit(probes: IndexedSeq[Probe])(
      f: (Probe, VectorPartition, Array[Long]) => Unit
  ): Unit = {
    val byPartition = mutable.LinkedHashMap.empty[Long, mutable.ArrayBuffer[Probe]]
    probes.foreach { p =>
      if (parts(p.target.part).open.numVectors(p.partition) > 0) {
        val key = p.target.part.toLong << 32 | p.partition
        byPartition.getOrElseUpdate(key, new mutable.ArrayBuffer[Probe]) += p
      }
    }
    val keys = byPartition.keys.toArray
    if (vectors.length > 1) java.util.Arrays.sort(keys)
    var from = 0
    while (from < keys.length) {
      val part = (keys(from) >>> 32).toInt
      Interrupts.check(s"a search of ${parts(part).files.path}")
      val until = endOfLoad(keys, from)
      val numbers = (from until until).map(i => keys(i).toInt)
      read(parts(part).segment) {
        parts(part).open.load(parts(part).files, numbers).zip(numbers).foreach {
          case (partition, number) =>
            val rows = parts(part).rowsOf(number, partition)
            byPartition(part.toLong << 32 | number).foreach(f(_, partition, rows))
        }
      }: Unit
      from = until
    }
  }

  /** Returns the end of the partitions to load together, which are in one segment. */
  private def endOfLoad(keys: Array[Long], from: Int): Int = {
    val part = keys(from) >>> 32
    val open = parts(part.toInt).open
    // Row id, code, and approximate size of the neighbors.
    val bytesPerVector =
      8L + open.quantizer.bytesPerVector + (if (open.hasGraphs) graphBytes else 0L)
    var until = from
    var numBytes = 0L
    while (
      until < keys.length && keys(until) >>> 32 == part &&
      (until == from || numBytes < bytesAtATime)
    ) {
      numBytes += open.numVectors(keys(until).toInt) * bytesPerVector
      until += 1
    }
    until
  }

  /** The search for one vector in all segments. */
  final private class Search(vector: QueryVector) {
    private val targets = parts.indices.map { i =>
      val own =
        new SegmentSearch(parts(i).open, vector, queries(i), parts(i).mask, statistics, buffers)
      new Target(i, own, query.numCandidates)
    }
    // Segments with more partitions, in probe order. Each round starts with the first one.
    private var open = targets
    private var turn = 0

    def initial: IndexedSeq[Probe] = targets.flatMap(t => t.take(t.search.initialProbes))

    def lacksRows: Boolean = numFound < query.k

    private def numFound: Long = targets.iterator.map(_.top.size.toLong).sum

    /** Returns more partitions of the next segment, an increasing number per round, or none if there are
      * enough rows. */
    def more: IndexedSeq[Probe] = {
      var found = IndexedSeq.empty[Probe]
      while (found.isEmpty && open.nonEmpty && lacksRows) {
        if (turn >= open.length) turn = 0
        val target = open(turn)
        found = target.take(math.max(1, math.min(target.next / 4, partitionsAtATime)))
        if (found.isEmpty) open = open.patch(turn, Nil, 1) else turn += 1
      }
      found
    }

    /** Returns the segments whose graphs may have missed rows. */
    def byGraph: IndexedSeq[Target] = targets.filter(t => parts(t.part).open.hasGraphs)

    def result: FoundRows = FoundRows.merge(
      targets.map { t =>
        val own = parts(t.part).open.quantizer.scale
        if (own == scale) t.top.result() else t.top.result().withDistances(own.toMetric)
      },
      query.numCandidates
    )
  }
}

private[vector] object PartitionProbes {

  /** Runs reads of index files, and handles their failures. */
  trait Read {
    def apply(segment: IndexSegment)(body: => Unit): Option[Unit]
  }

  /** The search for a vector in a segment.
    *
    * @param part position of the segment
    */
  final private class Target(val part: Int, val search: SegmentSearch, capacity: Int) {
    var top = new TopRows(capacity)
    lazy val compared = new TopRows(capacity)

    /** Number of probed partitions. */
    var next = 0

    /** Returns the next partitions. */
    def take(numPartitions: Int): IndexedSeq[Probe] = {
      val from = next
      next = math.min(from + numPartitions, search.maxProbes)
      (from until next).map(new Probe(this, _))
    }

    def probed: IndexedSeq[Probe] = (0 until next).map(new Probe(this, _))

    def takeLarger(): Unit = if (compared.size > top.size) top = compared
  }

  /** A partition to search.
    *
    * @param rank rank of the partition
    */
  final private class Probe(val target: Target, val rank: Int) {
    def partition: Int = target.search.partition(rank)
  }

  /** Number of partitions to search at a time while rows are missing. */
  private val partitionsAtATime = 64

  /** Size of the neighbors of a vector in a graph: 40 numbers. */
  private val graphBytes = 160L

  /** Maximum bytes of row ids, codes, and graphs to load at a time, unless a partition is larger. */
  private val bytesAtATime = 64L << 20
}
