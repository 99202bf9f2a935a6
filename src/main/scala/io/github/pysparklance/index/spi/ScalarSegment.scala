// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import java.util.Locale

import scala.annotation.unused

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Field, LogicalType, RowRange}
import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.storage.spi.FileStore

/** An open segment of a scalar index. Thread-safe. Keeps only small data in memory. The rest is
  * read for each query, with the file store of the caller and its permissions.
  */
trait ScalarSegment extends IndexCache.Part {

  /** Returns the rows for which a predicate is true. Returns `None` if this kind of index cannot
    * evaluate the predicate.
    *
    * @param files files of the segment
    * @throws io.github.pysparklance.core.CorruptFileException if a file of the segment is damaged
    */
  def evaluate(files: IndexFiles, predicate: IndexPredicate): Option[SegmentResult]

  /** Estimates the cost and the result size of [[result]]. May read a part of the files. */
  def size(@unused files: IndexFiles, @unused predicate: IndexPredicate): ResultSize =
    ResultSize.small

  /** Ids of fragments whose rows [[result]] does not determine, although the segment covers them.
    */
  def undetermined(@unused files: IndexFiles, @unused predicate: IndexPredicate): RoaringBitmap =
    new RoaringBitmap

  /** Reads the data for [[result]] into the cache, as far as it fits. */
  def prewarm(@unused files: IndexFiles): Unit = ()

  /** Returns the fragments for which the segment has entries, among some fragments. May read a part
    * of the entries, and omit fragments with few of them.
    */
  def withEntries(@unused files: IndexFiles, among: RoaringBitmap): RoaringBitmap = among

  /** Id of the segment that had no outdated entries when it was written, see
    * [[IndexFiles.exactSegment]].
    */
  def exactSegment: Option[String] = None

  /** The type of the indexed values; `None` if it is irrelevant. */
  def valueType: Option[LogicalType]
}

/** The estimated size of an index result.
  *
  * @param entries entries of index files to read
  * @param rows rows of the result; 0 if unknown
  * @param runs runs of consecutive rows in the result; 0 if unknown
  */
final case class ResultSize(entries: Long, rows: Long, runs: Long)

/** Common sizes. */
object ResultSize {

  /** The size of results that read almost nothing. */
  val small: ResultSize = ResultSize(0L, 0L, 0L)
}

/** A segment that stores its rows in the order of their values. */
trait OrderedSegment extends ScalarSegment {

  /** Iterates over all rows in the order of their values. Null rows come first or last.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if values are not in order
    */
  def rows(files: IndexFiles, isAscending: Boolean, nullsFirst: Boolean): Iterator[Long]

  /** Iterates over all non-null rows in the order of their values.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if values are not in order
    */
  def entries(files: IndexFiles, isAscending: Boolean): Iterator[(Key, Long)]

  /** Checks that the values are in order. Reads all of them, or a sample of a large segment.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if they are not
    */
  def check(files: IndexFiles): Unit
}

/** A segment that stores the set of rows of each value. */
trait KeyedSegment extends ScalarSegment {

  /** Iterates over the values in their order, each with its rows. */
  def keys(files: IndexFiles, isAscending: Boolean): Iterator[(Key, RowSet)]
}

/** A segment that describes zones, which are runs of rows of a fragment, instead of single rows. */
trait ZonedSegment extends ScalarSegment {

  /** All zones, in the order of the file. */
  def zones: IndexedSeq[Zone]

  /** The zones of each fragment, ascending. */
  final lazy val zonesOf: Map[Long, IndexedSeq[RowRange]] =
    zones.groupBy(_.fragmentId).map { case (id, its) => id -> its.map(_.rows).sortBy(_.from) }

  /** The fragments whose rows all have the same value, as proved by the zones. The keys are
    * fragment ids.
    */
  def constants: Map[Long, Key] = Map.empty

  /** The zones that may have values, with their bounds if known. */
  def bounded: IndexedSeq[BoundedZone] = zones.map(BoundedZone(_, None))
}

/** A run of rows of a fragment, including deleted rows. */
final case class Zone(fragmentId: Long, rows: RowRange)

/** A zone with the minimum and maximum of its values.
  *
  * @param bounds lower and upper bound, inclusive; `None` if unknown
  */
final case class BoundedZone(zone: Zone, bounds: Option[(Key, Key)])

/** A kind of scalar index. */
trait ScalarIndexKind extends Serializable {

  /** The name in SQL, such as `BTREE`. */
  def name: String

  /** The name for `EXPLAIN`. */
  def description: String = name

  /** Other names in SQL. */
  def aliases: Seq[String] = Nil

  /** The name of the details message, such as `lance.table.BTreeIndexDetails`. */
  def detailsType: String

  /** The latest supported `index_version`. Segments with later versions are ignored. */
  def latestVersion: Int

  /** Opens a segment.
    *
    * @param files files of the segment
    * @throws io.github.pysparklance.core.CorruptFileException if its files are damaged
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if they use an unsupported
    *   feature
    */
  def open(files: IndexFiles): ScalarSegment

  /** Parameters of new segments. */
  def parameters: Seq[IndexParameter]

  /** Returns the parameters of a new index on a field. Throws if they do not fit its type. */
  def parametersOn(@unused field: Field, parameters: IndexParameters): IndexParameters = parameters

  /** Returns the parameters of a segment, for other segments of the same index. */
  def parametersOf(files: IndexFiles): Map[String, String]

  /** Returns the details message of a new segment. */
  def detailsOf(@unused parameters: IndexParameters): Array[Byte] = Array.emptyByteArray

  /** Returns the `index_version` of a new segment.
    *
    * @param hasAddresses whether it stores addresses in a table with stable row ids
    * @throws io.github.pysparklance.core.LanceException if parameters contradict each other, or are
    *   not supported
    */
  def versionOf(@unused hasAddresses: Boolean, @unused parameters: IndexParameters): Int = 0

  /** Whether this release can index rows. Otherwise it only reads and rewrites segments. */
  def isBuilt: Boolean = true

  /** Whether segments store addresses even in tables with stable row ids. */
  def isByAddress: Boolean = false

  /** Whether segments can be rewritten after a compaction moved their rows. Otherwise the compacted
    * fragments are removed from the index.
    */
  def isRemappable: Boolean = !isByAddress

  /** Whether segments can evaluate [[IndexPredicate.Within]]. */
  def findsValues: Boolean = true

  /** Whether a field can be indexed. */
  def supports(field: Field): Boolean

  /** Checks that the parameters suit a field.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException if they do not
    */
  def checkField(@unused field: Field, @unused parameters: IndexParameters): Unit = ()

  /** Whether segments on a field, with a details message, can be read, merged, and rewritten.
    *
    * @param way path from the top-level column to the field; empty if the table has it no more
    */
  def isKnown(@unused details: Array[Byte], @unused way: IndexedSeq[Field]): Boolean = true

  /** Whether segments on a field, see [[isKnown]], with the parameters of a segment can be written.
    * Reads its metadata.
    */
  def isWritable(@unused files: IndexFiles, @unused way: IndexedSeq[Field]): Boolean = true

  /** Whether [[merge]] can merge segments with each other. Otherwise their rows are indexed again.
    */
  def areMergeable(segments: Seq[IndexFiles]): Boolean = segments.forall(isMergeable)

  /** Whether [[merge]] can read a segment. Otherwise its rows are indexed again. */
  def isMergeable(@unused files: IndexFiles): Boolean = true

  /** Whether a segment with updated rows has outdated entries beside the current ones, so that its
    * rows are indexed again.
    */
  def isOutdated(@unused files: IndexFiles): Boolean = false

  /** Returns fragments whose entries are outdated and ignored, even if the segment covers them. */
  def ignoredFragments(@unused files: IndexFiles): RoaringBitmap = new RoaringBitmap

  /** Writes a segment with the rows of several segments.
    *
    * @param sources segments with disjoint rows
    * @param field the indexed column
    */
  def merge(
      sources: Seq[SegmentSource],
      field: Field,
      parameters: IndexParameters,
      into: NewSegment
  ): Unit
}

/** A kind of index whose segments are built from rows in table order. */
trait GatheredIndexKind extends ScalarIndexKind {

  /** Returns a builder of a segment.
    *
    * @param field the indexed column
    */
  def builder(field: Field, parameters: IndexParameters, into: NewSegment): SegmentBuilder
}

/** A kind of index whose segments consist of independent partitions, which different tasks write.
  */
trait PartitionedIndexKind extends ScalarIndexKind {

  /** Checks on the driver that tasks can build partitions.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if a library is missing
    */
  def checkBuild(parameters: IndexParameters): Unit

  /** Returns a builder of the partitions of some rows.
    *
    * @param firstId id of the first partition; the others follow
    * @param maxBytes approximate memory of a partition
    */
  def partitions(
      field: Field,
      parameters: IndexParameters,
      firstId: Long,
      maxBytes: Long,
      into: NewSegment
  ): PartitionsBuilder

  /** Writes what the partitions of a segment have in common.
    *
    * @param ids ids of all partitions
    */
  def finish(parameters: IndexParameters, ids: Seq[Long], into: NewSegment): Unit
}

/** Writes partitions of a segment. Not thread-safe. */
trait PartitionsBuilder {

  /** Adds the live rows of a batch. Batches must be in table order. */
  def add(batch: IndexBatch): Unit

  /** Writes the remaining rows, and returns the ids of all partitions. */
  def finish(): Seq[Long]
}

/** Builds a segment from rows of a table. Memory is bounded, except for data that the file stores
  * as a single value. Not thread-safe.
  */
trait SegmentBuilder extends AutoCloseable {

  /** Adds the live rows of a batch. Batches must be in table order. */
  def add(batch: IndexBatch): Unit

  /** Writes the remaining data, and finishes the files. */
  def finish(): Unit

  /** Discards the segment unless it is finished. Completed files stay in the folder. */
  def close(): Unit
}

/** A segment that is merged into another segment.
  *
  * @param rows selects and maps its rows
  */
final case class SegmentSource(files: IndexFiles, rows: RowTransfer) {

  /** Returns the same segment with another file store. */
  def on(store: FileStore): SegmentSource = copy(files = files.on(store))
}

/** Maps the rows of a segment to the rows of the merged segment. */
trait RowTransfer extends Serializable {

  /** Returns the row in the new segment, or [[RowTransfer.none]] to drop it. */
  def apply(row: Long): Long

  /** Whether the zones of a fragment are kept unchanged. */
  def keepsFragment(fragmentId: Long): Boolean

  /** Maps the rows of a set. */
  final def apply(rows: RowSet): RowSet = {
    val kept = new RowSetBuilder
    rows.foreach { row =>
      val now = apply(row)
      if (now != RowTransfer.none) kept.add(now): Unit
    }
    kept.result()
  }
}

/** Common transfers. */
object RowTransfer {

  /** No row. */
  val none: Long = -1L

  /** Keeps all rows unchanged. */
  object All extends RowTransfer {
    def apply(row: Long): Long = row
    def keepsFragment(fragmentId: Long): Boolean = true
  }
}

/** Compares kinds with stored details. */
object ScalarIndexKind {

  /** Whether two types of details messages have the same name. Their packages differ between
    * releases.
    */
  def haveSameMessage(detailsType: String, other: String): Boolean =
    messageName(detailsType) == messageName(other)

  /** `/lance.table.BTreeIndexDetails` → `btreeindexdetails`. */
  private def messageName(detailsType: String): String =
    detailsType.drop(
      detailsType.lastIndexWhere(c => c == '.' || c == '/') + 1
    ).toLowerCase(Locale.ROOT)
}
