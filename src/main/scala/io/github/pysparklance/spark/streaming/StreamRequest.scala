// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import io.github.pysparklance.table.changes.ChangeBound

/** The rows of a table that a stream reads.
  *
  * @param identifierColumns columns that identify rows in the change feed, see
  *   [[io.github.pysparklance.table.changes.ChangeFeed.read]]; `None` to read appended rows
  * @param failsOnDataLoss whether the stream fails if versions were cleaned up before they were
  *   read
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

/** The start of a new query. A query with a checkpoint continues at its last offset. */
sealed private[spark] trait StreamStart

private[spark] object StreamStart {

  /** Starts with the rows of the latest version. */
  case object Snapshot extends StreamStart

  /** Starts with the commit after the latest version. */
  case object Latest extends StreamStart

  /** Starts with the first commit whose changes can be read. */
  case object Earliest extends StreamStart

  /** Starts with the commit of a version, or with the first commit at or after a time. */
  final case class At(bound: ChangeBound) extends StreamStart
}

/** The limits of a micro-batch. Fragments are never split, and a micro-batch reads at least one. */
final private[spark] case class StreamLimits(
    rows: Option[Long] = None,
    bytes: Option[Long] = None,
    fragments: Option[Long] = None
) {

  /** Returns the smaller of each limit. */
  def and(other: StreamLimits): StreamLimits = {
    def least(a: Option[Long], b: Option[Long]): Option[Long] = (a ++ b).reduceOption(_ min _)
    StreamLimits(
      least(rows, other.rows),
      least(bytes, other.bytes),
      least(fragments, other.fragments)
    )
  }
}

/** The policy of a stream of appended rows for commits that delete or change rows. */
sealed private[spark] trait ChangeCommits

private[spark] object ChangeCommits {

  /** Fails. */
  case object Fail extends ChangeCommits

  /** Skips commits that only delete rows, and fails for others. */
  case object IgnoreDeletes extends ChangeCommits

  /** Reads the rows that the commits write, even if they replace other rows. */
  case object IgnoreChanges extends ChangeCommits

  /** Skips the commits. */
  case object Skip extends ChangeCommits
}
