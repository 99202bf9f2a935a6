// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import scala.annotation.unused

import io.github.pysparklance.core.{Field, LogicalType, RowRange}
import io.github.pysparklance.storage.spi.FileStore

/** A segment of a scalar index, open for look-ups by any number of threads. Keeps what is small beside the files of the
  * segment; the rest is read for each answer, with the rights of whoever asks.
  */
trait ScalarSegment extends IndexCache.Part {

  /** The rows for which a predicate is true, as the segment knows rows; none when this kind of index cannot tell.
    *
    * @param files of the segment
    * @throws io.github.pysparklance.core.CorruptFileException when a file of the segment contradicts the format
    */
  def answer(files: IndexFiles, predicate: IndexPredicate): Option[SegmentAnswer]

  /** How much work [[answer]] is, and how many rows it returns. May read a part of the files. */
  def size(@unused files: IndexFiles, @unused predicate: IndexPredicate): AnswerSize =
    AnswerSize.small

  /** Reads what [[answer]] needs into the cache, as far as it fits. */
  def prewarm(@unused files: IndexFiles): Unit = ()

  /** The type of the values that were indexed; none where it does not matter. */
  def valueType: Option[LogicalType]
}

/** The size of an answer, estimated before it is made.
  *
  * @param entries of index files that are read
  * @param rows of the answer; 0 if unknown
  * @param runs of consecutive rows among them; 0 if unknown
  */
final case class AnswerSize(entries: Long, rows: Long, runs: Long)

object AnswerSize {

  /** Of answers that read next to nothing. */
  val small: AnswerSize = AnswerSize(0L, 0L, 0L)
}

/** A segment that has its rows in the order of their values. */
trait OrderedSegment extends ScalarSegment {

  /** All rows as the segment knows rows, by their values, rows without a value before or behind all others.
    *
    * @throws io.github.pysparklance.core.CorruptFileException when values are not in order
    */
  def rows(files: IndexFiles, isAscending: Boolean, nullsFirst: Boolean): Iterator[Long]

  /** All rows with a value, by their values.
    *
    * @throws io.github.pysparklance.core.CorruptFileException when values are not in order
    */
  def entries(files: IndexFiles, isAscending: Boolean): Iterator[(Key, Long)]
}

/** A segment that has the set of rows of each value. */
trait KeyedSegment extends ScalarSegment {

  /** The values in their order, each with its rows as the segment knows rows. */
  def keys(files: IndexFiles, isAscending: Boolean): Iterator[(Key, RowSet)]
}

/** A segment that knows nothing of single rows but of zones: runs of rows of a fragment. */
trait ZonedSegment extends ScalarSegment {

  /** All zones, in the order of the file. */
  def zones: IndexedSeq[Zone]

  /** The zones of each fragment, ascending. */
  final lazy val zonesOf: Map[Long, IndexedSeq[RowRange]] =
    zones.groupBy(_.fragmentId).map { case (id, its) => id -> its.map(_.rows).sortBy(_.from) }

  /** The value that all rows of a fragment have, by the id of the fragment, where the zones prove that there is one. */
  def constants: Map[Long, Key] = Map.empty

  /** The zones that may have a value, with their bounds if they have bounds. */
  def bounded: IndexedSeq[BoundedZone] = zones.map(BoundedZone(_, None))
}

/** A run of rows of a fragment, deleted ones among them. */
final case class Zone(fragmentId: Long, rows: RowRange)

/** A zone and the values of its rows.
  *
  * @param bounds no value is below the first or above the second; `None` if they are unknown
  */
final case class BoundedZone(zone: Zone, bounds: Option[(Key, Key)])

/** A kind of scalar index. */
trait ScalarIndexKind extends Serializable {

  /** What users call it, such as `BTREE`. */
  def name: String

  /** The name of the details message, such as `lance.table.BTreeIndexDetails`. */
  def detailsType: String

  /** The newest `index_version` that is read. Segments of later ones are not used. */
  def newestVersion: Int

  /** Opens a segment.
    *
    * @param files of the segment
    * @throws io.github.pysparklance.core.CorruptFileException when its files contradict the format
    * @throws io.github.pysparklance.core.UnsupportedFeatureException when they use a feature that is not built
    */
  def open(files: IndexFiles): ScalarSegment

  /** Parameters of new segments. */
  def parameters: Seq[IndexParameter]

  /** The parameters of a segment, for others of the same index. */
  def parametersOf(files: IndexFiles): Map[String, String]

  /** The details message of a new segment. */
  def detailsOf(@unused parameters: IndexParameters): Array[Byte] = Array.emptyByteArray

  /** The `index_version` of a new segment.
    *
    * @param hasAddresses whether it knows rows by address in a table with stable row ids
    */
  def versionOf(@unused hasAddresses: Boolean): Int = 0

  /** Whether segments know rows by address also in tables with stable row ids. */
  def isByAddress: Boolean = false

  /** Whether a new segment can have the rows of others in their new places after a compaction. Otherwise a compaction
    * takes its fragments out of the index.
    */
  def isRemappable: Boolean = !isByAddress

  /** Whether segments answer [[IndexPredicate.Within]]. */
  def findsValues: Boolean = true

  /** Whether a column of that type can be indexed. */
  def supports(field: Field): Boolean

  /** Whether [[merge]] can read a segment. Otherwise its rows are indexed again. */
  def isMergeable(@unused files: IndexFiles): Boolean = true

  /** Writes one segment with the rows of several.
    *
    * @param sources their rows are disjoint
    * @param field the indexed column
    */
  def merge(
      sources: Seq[SegmentSource],
      field: Field,
      parameters: IndexParameters,
      into: NewSegment
  ): Unit
}

/** A kind whose segments are built from rows in the order of the table. */
trait GatheredIndexKind extends ScalarIndexKind {

  /** Starts to build a segment.
    *
    * @param field the indexed column
    */
  def builder(field: Field, parameters: IndexParameters, into: NewSegment): SegmentBuilder
}

/** Builds a segment from rows of a table. Its memory is bounded however many there are, but for what the file has of
  * them as one value. Not thread-safe.
  */
trait SegmentBuilder extends AutoCloseable {

  /** Adds the live rows of a batch. Batches come in the order of the table. */
  def add(batch: IndexBatch): Unit

  /** Writes the files, or what is left of them. */
  def finish(): Unit

  /** Gives up, unless it is finished. Files that are complete stay in the folder. */
  def close(): Unit
}

/** A segment whose rows go into another one.
  *
  * @param rows which of its rows do, and as what
  */
final case class SegmentSource(files: IndexFiles, rows: RowTransfer) {

  /** The same segment, read by another store. */
  def on(store: FileStore): SegmentSource = copy(files = files.on(store))
}

/** Which rows of a segment go into another one, and as what. */
trait RowTransfer extends Serializable {

  /** The row as the new segment has it, [[RowTransfer.none]] if it has not. */
  def apply(row: Long): Long

  /** Whether zones of a fragment go on as they are. */
  def keepsFragment(fragmentId: Long): Boolean

  /** The rows of a set as the new segment has them. */
  final def apply(rows: RowSet): RowSet = {
    val kept = new RowSetBuilder
    rows.foreach { row =>
      val now = apply(row)
      if (now != RowTransfer.none) kept.add(now): Unit
    }
    kept.result()
  }
}

object RowTransfer {

  /** No row. */
  val none: Long = -1L

  /** All rows as they are. */
  object All extends RowTransfer {
    def apply(row: Long): Long = row
    def keepsFragment(fragmentId: Long): Boolean = true
  }
}
