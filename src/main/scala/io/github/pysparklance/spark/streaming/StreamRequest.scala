// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import io.github.pysparklance.table.changes.ChangeBound

/** What a stream reads of a table.
  *
  * @param identifierColumns `None` to read appended rows; otherwise reads the change feed, with the columns that
  *   identify rows, see [[io.github.pysparklance.table.changes.ChangeFeed.read]]
  * @param failsOnDataLoss whether the stream fails if versions were cleaned up before they were read
  * @param keepsUnread whether a tag keeps the versions that were not read yet
  */
final private[spark] case class StreamRequest(
    start: StreamStart,
    limits: StreamLimits,
    changeCommits: ChangeCommits,
    identifierColumns: Option[Seq[String]],
    failsOnDataLoss: Boolean,
    keepsUnread: Boolean
)

/** Where a new query starts. A query with a checkpoint continues where it was. */
sealed private[spark] trait StreamStart

private[spark] object StreamStart {

  /** With the rows of the latest version. */
  case object Snapshot extends StreamStart

  /** With the commit after the latest version. */
  case object Latest extends StreamStart

  /** With the first commit whose changes can be read. */
  case object Earliest extends StreamStart

  /** With the commit of a version, or the first one at a time or later. */
  final case class At(bound: ChangeBound) extends StreamStart
}

/** How much a micro-batch reads. Fragments are never split, and at least one is read. */
final private[spark] case class StreamLimits(
    rows: Option[Long] = None,
    bytes: Option[Long] = None,
    fragments: Option[Long] = None
) {

  /** The smaller one of each limit. */
  def and(other: StreamLimits): StreamLimits = {
    def least(a: Option[Long], b: Option[Long]): Option[Long] = (a ++ b).reduceOption(_ min _)
    StreamLimits(
      least(rows, other.rows),
      least(bytes, other.bytes),
      least(fragments, other.fragments)
    )
  }
}

/** What a stream of appended rows does with commits that delete or change rows. */
sealed private[spark] trait ChangeCommits

private[spark] object ChangeCommits {

  /** Fails. */
  case object Fail extends ChangeCommits

  /** Skips commits that only delete rows, and fails for others. */
  case object IgnoreDeletes extends ChangeCommits

  /** Reads the rows that they write, also if these replace others. */
  case object IgnoreChanges extends ChangeCommits

  /** Skips them. */
  case object Skip extends ChangeCommits
}
