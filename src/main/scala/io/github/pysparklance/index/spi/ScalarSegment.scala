// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import io.github.pysparklance.core.{LogicalType, RowRange}

/** A segment of a scalar index, open for look-ups by any number of threads. Keeps what is small beside the files of the
  * segment; the rest is read for each answer, with the rights of whoever asks.
  */
trait ScalarSegment {

  /** The rows for which a predicate is true, as the segment knows rows; none when this kind of index cannot tell.
    *
    * @param files of the segment
    * @throws io.github.pysparklance.core.CorruptFileException when a file of the segment contradicts the format
    */
  def answer(files: IndexFiles, predicate: IndexPredicate): Option[SegmentAnswer]

  /** The type of the values that were indexed; none where it does not matter. */
  def valueType: Option[LogicalType]

  /** Memory that it takes, about. */
  def sizeInBytes: Long
}

/** A segment that knows nothing of single rows but of zones: runs of rows of a fragment. */
trait ZonedSegment extends ScalarSegment {

  /** All zones, in the order of the file. */
  def zones: IndexedSeq[Zone]

  /** The zones of each fragment, ascending. */
  final lazy val zonesOf: Map[Long, IndexedSeq[RowRange]] =
    zones.groupBy(_.fragmentId).map { case (id, its) => id -> its.map(_.rows).sortBy(_.from) }
}

/** A run of rows of a fragment, deleted ones among them. */
final case class Zone(fragmentId: Long, rows: RowRange)

/** A kind of scalar index. */
trait ScalarIndexKind {

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
}
