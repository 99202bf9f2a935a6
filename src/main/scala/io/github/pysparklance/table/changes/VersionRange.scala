// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import java.time.Instant
import java.time.temporal.ChronoUnit.MICROS

/** Versions whose changes are read, the first and the last included. Without any if the last one is
  * the one before the first.
  */
final case class VersionRange(begin: Long, end: Long) {
  def isEmpty: Boolean = end < begin
}

/** The first or the last version whose changes are read. */
sealed trait ChangeBound

object ChangeBound {

  /** The changes of a version by its number. */
  final case class Version(number: Long) extends ChangeBound

  /** As the first version: the first one that was committed at that time or later. As the last
    * version: the last one that was committed at that time or earlier. Clocks of writers differ;
    * the highest version number counts, as in [[io.github.pysparklance.table.refs.Revision.AsOf]].
    *
    * Versions have times in nanoseconds, and a change feed shows microseconds. Both bounds
    * therefore include the whole microsecond, so that the time that is shown for a commit selects
    * this commit.
    */
  final case class Time(instant: Instant) extends ChangeBound {

    /** First nanosecond of the microsecond. */
    private[changes] def first: Instant = instant.truncatedTo(MICROS)

    /** Last nanosecond of the microsecond. */
    private[changes] def last: Instant = first.plusNanos(999)
  }
}
