// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import java.util.{Locale, UUID}

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core._
import io.github.pysparklance.index.cache.{IndexCache, IndexMeter}
import io.github.pysparklance.index.spi._
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.search._
import io.github.pysparklance.index.vector.segment.VectorSegment
import io.github.pysparklance.index.{IndexUse, RowMapping, SegmentFiles}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment

/** The vector indices of a version of a table that this release can use. Thread-safe.
  *
  * A segment is searched for the live rows of fragments that it covers and that the version still
  * has. All other fragments need a search without the index. A segment is not used if it is
  * damaged, has an unknown generation or version, or does not record the fragments that it covers.
  *
  * Source: format page of indices, "Vector indices" and "From index result to rows".
  *
  * @param meter counts reads of index files
  */
final class VectorIndices(
    table: LanceTable,
    meter: IndexMeter = new IndexMeter,
    cache: IndexCache = IndexCache.shared
) {
  import VectorIndices._

  private val place = Place(path = Some(table.path), version = Some(table.version))
  private val mapping = new RowMapping(table)
  private val masks = new SegmentMasks(table, mapping)
  private val files = new SegmentFiles(table, meter, cache)

  /** Names and field ids of the vector indices, in the order of the manifest. Does not read files.
    */
  val names: IndexedSeq[(Int, String)] =
    candidates.map(s => s.fields.head -> s.name).toIndexedSeq.distinct

  private def candidates: Seq[IndexSegment] =
    all.filter(VectorIndices.isUsable)

  /** All segments of vector indices, including unusable ones. */
  private def all: Seq[IndexSegment] =
    table.indices.filter(s => !s.isSystem && s.fields.nonEmpty && isVectorIndex(s))

  /** A segment is identified by its first field. */
  private def isVectorIndex(segment: IndexSegment): Boolean =
    VectorIndices.isVectorIndex(table, segment)

  /** Returns the first usable index on a field.
    *
    * @param metric metric that the index must have; `None` for any
    */
  def find(fieldId: Int, metric: Option[Metric]): Option[VectorIndex] =
    names.iterator.filter(_._1 == fieldId).flatMap { case (_, name) => open(fieldId, name) }
      .find(index => metric.forall(_ == index.metric))

  /** Returns the metric of the first index on a field, even if the index is unusable, or `None` if
    * the field has no vector index.
    *
    * @throws InvalidRequestException if neither the files nor the details of the index show it
    */
  def metricOf(fieldId: Int): Option[Metric] =
    for {
      column <- VectorColumn.of(table.schema, fieldId)
      first <- all.find(_.fields.head == fieldId)
    } yield {
      val segments = all.filter(s => s.name == first.name && s.fields.head == fieldId)
      val read = segments.iterator.filter(_.indexVersion <= latestVersion)
        .flatMap(s => files.readable(s)(opened(s, column).metric))
      val declared =
        segments.iterator.flatMap(s => VectorDetails.metric(s)).filter(column.elementType.takes)
      (read ++ declared).buffered.headOption.getOrElse(
        throw new InvalidRequestException(
          s"the metric of the index ${first.name} is unknown, because the index cannot be read: " +
            "pass the metric to search without it, or create the index again",
          place
        )
      )
    }

  /** Checks that all segments of an index can be used. Ignores segments whose fragments are not in
    * the version.
    *
    * @throws InvalidRequestException naming a segment that cannot be used
    */
  def checkComplete(index: VectorIndex): Unit = {
    val used = index.segments.map(_._1.uuid).toSet
    all.find { s =>
      s.name == index.name && s.fields.head == index.column.field.id && !used(s.uuid) &&
      (s.bitmap.isEmpty || !mapping.covered(s).isEmpty)
    }.foreach(s => incomplete(index, s.uuid))
  }

  private def incomplete(index: VectorIndex, segment: UUID): Nothing =
    throw new InvalidRequestException(
      s"fast_search reads only the index ${index.name}, and its segment $segment cannot be used: " +
        "leave fast_search out, or create the index again",
      place
    )

  /** Opens the segments of an index. Segments that cannot be read are skipped, with a warning. */
  def open(fieldId: Int, name: String): Option[VectorIndex] =
    VectorColumn.of(table.schema, fieldId).flatMap { column =>
      val segments = candidates.filter(s => s.name == name && s.fields.head == fieldId)
        .flatMap(s => files.readable(s)(opened(s, column)).map(s -> _)).toIndexedSeq
      segments.headOption.map { case (_, first) =>
        VectorIndex(name, column, first.metric, segments.filter(_._2.metric == first.metric))
      }
    }

  private def opened(segment: IndexSegment, column: VectorColumn): VectorSegment = {
    val files = filesOf(segment)
    val found = files.cache("segment")(VectorSegment.open(files))
    CorruptFileException.check(
      found.dimension == column.dimension && column.elementType.takes(found.metric),
      s"the index ${segment.name} has vectors of ${found.dimension} dimensions and the metric ${found.metric}; " +
        s"the column ${column.name} has ${column.dimension} of ${column.elementType}"
    )
    found
  }

  /** Returns the files of a segment. */
  def filesOf(segment: IndexSegment): IndexFiles = files.of(segment)

  /** Returns the ids of the fragments of the version that a segment covers. */
  def covered(segment: IndexSegment): RoaringBitmap = mapping.covered(segment)

  /** Returns a segment as the source of a merge.
    *
    * @param coverage fragments whose rows are merged
    */
  def source(segment: IndexSegment, coverage: RoaringBitmap): SegmentSource =
    SegmentSource(SegmentFiles.uncached(table, segment), mapping.transfer(segment, coverage))

  /** Returns the ids of the fragments that no segment of an index covers. */
  def uncovered(index: VectorIndex): RoaringBitmap = {
    val all = new RoaringBitmap
    index.segments.foreach { case (segment, _) => all.or(mapping.covered(segment)) }
    RoaringBitmap.andNot(mapping.present, all)
  }

  /** Whether an index may find updated rows by their old vectors. Releases of pylance before 12
    * keep the entries of old vectors, next to the current ones, when they merge segments.
    */
  def mayBeOutdated(index: VectorIndex): Boolean = index.segments.exists { case (segment, _) =>
    masks.mayBeOutdated(segment, filesOf(segment), mapping.covered(segment))
  }

  /** Returns the nearest rows in an index, with the distances of its codes.
    *
    * @param vectors query vectors; one unless the column has lists of vectors
    * @param query parameters of the search, with bounds in the unit of the metric. If rows are
    *   refined, the upper bound is ignored, because the distances of codes are inaccurate
    * @param rows addresses of rows that may be found; `None` for all rows of the table
    * @return at most `k` times the refine factor rows
    */
  def search(
      index: VectorIndex,
      vectors: Seq[QueryVector],
      query: VectorQuery,
      rows: Option[AddressSet] = None,
      statistics: SearchStatistics = new SearchStatistics
  ): VectorResult = searchAll(index, IndexedSeq(vectors), query, rows, statistics).head

  /** Searches for several queries, like [[search]]. Reads a partition once for all queries that
    * probe it first. With several queries, IVF_RQ may skip other vectors by the error bounds of
    * their codes.
    *
    * @param queries the vectors of each query. Takes about [[bytesPerQuery]] of memory for each
    * @param tasks search partitions that are not cached here if they are large; `None`: all
    *   partitions are searched in this process
    * @return a result for each query. All results leave out the same fragments
    */
  def searchAll(
      index: VectorIndex,
      queries: IndexedSeq[Seq[QueryVector]],
      query: VectorQuery,
      rows: Option[AddressSet] = None,
      statistics: SearchStatistics = new SearchStatistics,
      tasks: Option[ProbeTasks] = None
  ): IndexedSeq[VectorResult] = {
    queries.find(q => q.isEmpty || q.length > 1 && !index.column.isMulti).foreach { q =>
      throw new InvalidRequestException(
        s"${q.length} query vectors for the column ${index.column.name}: batches are searched one by one"
      )
    }
    if (query.fastSearch) checkComplete(index)
    searched(index, queries, query, rows, statistics, tasks, Set.empty)
  }

  /** Searches partitions of a segment, for [[ProbeTasks]].
    *
    * @param rows addresses of rows that may be found; `None`: all rows of the covered fragments
    * @return the nearest rows to each vector, at distances on the scale of the segment; `None` if
    *   it cannot be read
    */
  def probe(
      index: VectorIndex,
      work: ProbeWork,
      rows: Option[AddressSet],
      statistics: SearchStatistics
  ): Option[IndexedSeq[FoundRows]] =
    index.segments.find(_._1.uuid == work.segment).flatMap { case (segment, open) =>
      val failed = mutable.HashSet.empty[UUID]
      val found = new PartitionProbes(
        IndexedSeq(part(segment, open, work.covered, rows)),
        work.vectors.map(v => index.column.query(v.vector)),
        work.query,
        open.quantizer.scale,
        statistics,
        reads(failed),
        tasks = None
      ).only(work.vectors, work.comparesAll)
      Optional.when(failed.isEmpty)(found)
    }

  private def part(
      segment: IndexSegment,
      open: VectorSegment,
      covered: RoaringBitmap,
      rows: Option[AddressSet]
  ): SegmentPart = {
    val files = filesOf(segment)
    val mask = masks.of(files, covered, rows)
    new SegmentPart(segment, open, files, covered, mask, masks.rowsOf(files))
  }

  /** @param ids gets the segments that cannot be read */
  private def reads(ids: mutable.Set[UUID]): PartitionProbes.Read =
    new PartitionProbes.Read {
      def apply(segment: IndexSegment)(body: => Unit): Option[Unit] = {
        val found = files.readable(segment)(body)
        if (found.isEmpty) failed(segment)
        found
      }
      def failed(segment: IndexSegment): Unit = ids += segment.uuid
    }

  /** Approximate memory of a query in [[searchAll]], in bytes. */
  def bytesPerQuery(index: VectorIndex, query: VectorQuery): Long =
    index.segments.iterator.map { case (_, open) =>
      8L * open.numPartitions + open.quantizer.bytesPerQuery + 16L * query.numCandidates + 1024
    }.sum + 24L * index.column.dimension

  /** @param damaged ids of segments to skip, because they could not be read */
  private def searched(
      index: VectorIndex,
      queries: IndexedSeq[Seq[QueryVector]],
      query: VectorQuery,
      rows: Option[AddressSet],
      statistics: SearchStatistics,
      tasks: Option[ProbeTasks],
      damaged: Set[UUID]
  ): IndexedSeq[VectorResult] = {
    val usable = index.segments.filterNot { case (s, _) => damaged(s.uuid) }
    val done = new RoaringBitmap
    val parts = usable.flatMap { case (segment, open) =>
      val covered = RoaringBitmap.andNot(mapping.covered(segment), done)
      done.or(covered)
      Optional.unless(covered.isEmpty)(part(segment, open, covered, rows))
    }
    statistics.searched(parts.length)
    val scale = parts.map(_.open.quantizer.scale).distinct match {
      case IndexedSeq(only) => only
      case _ => DistanceScale.OfMetric
    }
    val failed = mutable.HashSet.empty[UUID]
    def nearest(vectors: IndexedSeq[QueryVector], of: VectorQuery): IndexedSeq[FoundRows] =
      new PartitionProbes(
        parts,
        vectors,
        of,
        scale,
        statistics,
        reads(failed),
        tasks
      ).run()
    val bounded = if (query.refineFactor.isDefined) query.copy(upperBound = None) else query
    val found =
      if (!index.column.isMulti) nearest(queries.map(_.head), bounded).map(_.distinct)
      else {
        val all = nearest(queries.flatten, MultiVectors.single(bounded))
        val ends = queries.scanLeft(0)(_ + _.length)
        queries.indices.map { i =>
          MultiVectors.merge(all.slice(ends(i), ends(i + 1)), bounded.onScale(scale))
        }
      }
    if (query.fastSearch) failed.foreach(incomplete(index, _))
    if (failed.nonEmpty) searched(index, queries, query, rows, statistics, tasks, damaged ++ failed)
    else {
      val uses = parts.map(p => IndexUse(index.name, p.open.kind, p.covered))
      val uncovered = RoaringBitmap.andNot(mapping.present, done)
      val addressOf = addresses(found)
      found.map(f => new VectorResult(f, addressOf(f), scale, uses, uncovered))
    }
  }

  /** Returns a function from found rows to their addresses. Looks up all ids at once. */
  private def addresses(found: IndexedSeq[FoundRows]): FoundRows => Array[Long] =
    if (!table.hasStableRowIds) _.rows
    else {
      val ids = found.flatMap(_.rows).toArray
      java.util.Arrays.sort(ids)
      val all = table.rowIdIndex.addressesOf(ids)
      _.rows.map(id => all(java.util.Arrays.binarySearch(ids, id)))
    }

  /** Reads partitions of an index into the cache, until it is full.
    *
    * @return `None` if there is no such index
    */
  def prewarm(fieldId: Int, name: String): Option[VectorIndex] = {
    val found = open(fieldId, name)
    found.foreach(_.segments.foreach { case (segment, open) =>
      val files = filesOf(segment)
      var left = files.cacheBytes
      (0 until open.numPartitions).grouped(prewarmPartitions).takeWhile(_ => left > 0).foreach {
        some => left -= open.load(files, some).map(_.sizeInBytes).sum
      }
    })
    found
  }
}

object VectorIndices {

  /** Whether a segment belongs to a vector index, supported or not. */
  def isVectorIndex(table: LanceTable, segment: IndexSegment): Boolean = {
    val kind = segment.detailsType.toLowerCase(Locale.ROOT)
    kind.endsWith(detailsType) ||
    // Early releases did not record the type.
    kind.isEmpty && VectorColumn.of(table.schema, segment.fields.head).isDefined
  }

  /** Whether this release can use a segment of a vector index. */
  def isUsable(segment: IndexSegment): Boolean =
    segment.bitmap.isDefined && segment.indexVersion <= latestVersion

  /** The name of the details message, in lower case. */
  private val detailsType = "vectorindexdetails"

  /** The latest supported `index_version`. */
  private val latestVersion = 2

  private val prewarmPartitions = 64
}
