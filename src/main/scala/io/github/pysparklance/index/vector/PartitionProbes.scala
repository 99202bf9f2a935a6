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
  * until the query has enough rows. Each query probes the same partitions as in a separate search.
  * A partition is loaded once for all queries that probe it in the same round. Not thread-safe.
  *
  * @param query parameters of all searches, with bounds in the unit of the metric
  * @param scale scale of the results
  * @param read runs a read of the files of a segment; returns `None` if they cannot be read
  * @param tasks search large partitions; `None`: all are searched in this process
  */
final private[vector] class PartitionProbes(
    parts: IndexedSeq[SegmentPart],
    vectors: IndexedSeq[QueryVector],
    query: VectorQuery,
    scale: DistanceScale,
    statistics: SearchStatistics,
    read: PartitionProbes.Read,
    tasks: Option[ProbeTasks]
) {
  import PartitionProbes._

  private val buffers = new SearchBuffers
  private val queries = parts.map(p => query.onScale(p.open.quantizer.scale))
  private val searches = vectors.indices.map(new Search(_))

  /** Returns the nearest rows to each vector. */
  def run(): IndexedSeq[FoundRows] = {
    var probes = searches.flatMap(_.initial)
    while (probes.nonEmpty) {
      visit(probes, comparesAll = false)
      probes = searches.flatMap(_.more)
    }
    val incomplete = searches.filter(_.lacksRows).flatMap(_.byGraph)
    if (incomplete.nonEmpty) {
      visit(incomplete.flatMap(_.probed), comparesAll = true)
      incomplete.foreach(_.takeLarger())
    }
    searches.map(_.result)
  }

  /** Searches partitions of the first segment only.
    *
    * @param probes partitions for each vector
    * @return the nearest rows to each vector, at distances on the scale of the segment
    */
  def only(probes: IndexedSeq[VectorProbes], comparesAll: Boolean): IndexedSeq[FoundRows] = {
    val targets = searches.map(_.targets.head)
    val all = targets.zip(probes).flatMap { case (target, its) =>
      its.partitions.indices.map(i => new Probe(target, its.partitions(i), its.distances(i)))
    }
    visit(all, comparesAll)
    targets.map(_.found(comparesAll).result())
  }

  /** Searches partitions. A single query probes the nearest partition first, so that the distances
    * of later ones can be skipped. Several queries probe partitions in file order.
    */
  private def visit(probes: IndexedSeq[Probe], comparesAll: Boolean): Unit = {
    val byPartition = mutable.LinkedHashMap.empty[Long, mutable.ArrayBuffer[Probe]]
    probes.foreach { p =>
      if (parts(p.target.part).open.numVectors(p.partition) > 0) {
        val key = p.target.part.toLong << 32 | p.partition
        byPartition.getOrElseUpdate(key, new mutable.ArrayBuffer[Probe]) += p
      }
    }
    val keys = byPartition.keys.toArray
    if (vectors.length > 1) java.util.Arrays.sort(keys)
    tasks.filter(t => bytesToRead(keys) > t.bytesHere) match {
      case Some(its) => inTasks(its, keys, byPartition, comparesAll)
      case None => here(keys, byPartition, comparesAll)
    }
  }

  /** Loads partitions, a bounded number of bytes at a time, and searches them. */
  private def here(
      keys: Array[Long],
      byPartition: Long => Iterable[Probe],
      comparesAll: Boolean
  ): Unit = {
    var from = 0
    while (from < keys.length) {
      val part = (keys(from) >>> 32).toInt
      Interrupts.check(s"a search of ${parts(part).files.path}")
      val until = endOf(keys, from, bytesAtATime)
      val numbers = (from until until).map(i => keys(i).toInt)
      read(parts(part).segment) {
        parts(part).open.load(parts(part).files, numbers).zip(numbers).foreach {
          case (partition, number) =>
            val rows = parts(part).rowsOf(number, partition)
            byPartition(part.toLong << 32 | number).foreach(_.run(partition, rows, comparesAll))
        }
      }: Unit
      from = until
    }
  }

  /** Searches partitions in tasks, each about the same number of bytes. */
  private def inTasks(
      its: ProbeTasks,
      keys: Array[Long],
      byPartition: Long => Iterable[Probe],
      comparesAll: Boolean
  ): Unit = {
    val perTask =
      math.max(leastBytesOfTask, keys.iterator.map(bytesOf).sum / (2L * its.parallelism))
    val ends = Iterator.iterate(0)(endOf(keys, _, perTask)).takeWhile(_ < keys.length).toIndexedSeq
    val slices = ends.zip(ends.drop(1) :+ keys.length).map { case (a, b) =>
      keys.slice(a, b).toIndexedSeq.flatMap(byPartition(_)).groupBy(_.target).toIndexedSeq
    }
    val work = slices.map { targets =>
      val part = parts(targets.head._1.part)
      val probes = targets.map { case (target, some) =>
        new VectorProbes(
          vectors(target.vector).values,
          some.map(_.partition).toArray,
          some.map(_.distance).toArray
        )
      }
      new ProbeWork(part.segment.uuid, part.covered, query, probes, comparesAll)
    }
    its.run(work).zip(slices).foreach { case (found, targets) =>
      if (found.isEmpty) read.failed(parts(targets.head._1.part).segment)
      found.toSeq.flatten.zip(targets).foreach { case (rows, (target, _)) =>
        val top = target.found(comparesAll)
        rows.rows.indices.foreach(i => top.offer(rows.distances(i), rows.rows(i)))
      }
    }
  }

  /** Bytes of partitions that are not cached. */
  private def bytesToRead(keys: Array[Long]): Long = keys.iterator.filterNot { key =>
    val part = parts((key >>> 32).toInt)
    part.open.isCached(part.files, key.toInt)
  }.map(bytesOf).sum

  /** Row ids, codes, and approximate size of the neighbors of a partition. */
  private def bytesOf(key: Long): Long = {
    val open = parts((key >>> 32).toInt).open
    open.numVectors(key.toInt) *
      (8L + open.quantizer.bytesPerVector + (if (open.hasGraphs) graphBytes else 0L))
  }

  /** Returns the end of the partitions of one segment with at most some bytes, at least one
    * partition.
    */
  private def endOf(keys: Array[Long], from: Int, mostBytes: Long): Int = {
    var until = from
    var numBytes = 0L
    while (
      until < keys.length && keys(until) >>> 32 == keys(from) >>> 32 &&
      (until == from || numBytes < mostBytes)
    ) {
      numBytes += bytesOf(keys(until))
      until += 1
    }
    until
  }

  /** The search for one vector in all segments. */
  final private class Search(vector: Int) {
    val targets: IndexedSeq[Target] = parts.indices.map { i =>
      val own = new SegmentSearch(
        parts(i).open,
        vectors(vector),
        queries(i),
        parts(i).mask,
        statistics,
        buffers
      )
      new Target(vector, i, own, query.numCandidates)
    }
    // Segments with more partitions, in probe order. Each round starts with the first one.
    private var open = targets
    private var turn = 0

    def initial: IndexedSeq[Probe] = targets.flatMap(t => t.take(t.search.initialProbes))

    def lacksRows: Boolean = numFound < query.k

    private def numFound: Long = targets.iterator.map(_.top.size.toLong).sum

    /** Returns more partitions of the next segment, an increasing number per round, or none if
      * there are enough rows.
      */
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

    /** Called if a task could not read the segment. */
    def failed(segment: IndexSegment): Unit
  }

  /** The search for a vector in a segment.
    *
    * @param vector position of the query vector
    * @param part position of the segment
    */
  final private class Target(
      val vector: Int,
      val part: Int,
      val search: SegmentSearch,
      capacity: Int
  ) {
    var top = new TopRows(capacity)
    lazy val compared = new TopRows(capacity)

    /** Rows by the graphs, or by comparisons of all vectors. */
    def found(comparesAll: Boolean): TopRows = if (comparesAll) compared else top

    /** Number of partitions that were probed. */
    var next = 0

    /** Returns the next partitions. */
    def take(numPartitions: Int): IndexedSeq[Probe] = {
      val from = next
      next = math.min(from + numPartitions, search.maxProbes)
      (from until next).map(probe)
    }

    def probed: IndexedSeq[Probe] = (0 until next).map(probe)

    private def probe(rank: Int): Probe =
      new Probe(this, search.partition(rank), search.distance(rank))

    def takeLarger(): Unit = if (compared.size > top.size) top = compared
  }

  /** A partition to search.
    *
    * @param partition number of the partition
    * @param distance distance of its centroid
    */
  final private class Probe(val target: Target, val partition: Int, val distance: Float) {
    def run(loaded: VectorPartition, rows: Array[Long], comparesAll: Boolean): Unit =
      if (comparesAll)
        target.search.compareAll(partition, distance, loaded, rows, target.compared)
      else target.search.probe(partition, distance, loaded, rows, target.top)
  }

  /** Number of partitions to search at a time while rows are missing. */
  private val partitionsAtATime = 64

  /** Size of the neighbors of a vector in a graph: 40 numbers. */
  private val graphBytes = 160L

  /** Maximum bytes of row ids, codes, and graphs to load at a time, unless a partition is larger.
    */
  private val bytesAtATime = 64L << 20

  /** Bytes of the partitions that a task searches, at least. */
  private val leastBytesOfTask = 8L << 20
}
