// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import io.github.pysparklance.core.{CommitConflictException, CommitStateUnknownException}
import io.github.pysparklance.table.LanceTable

/** The result of a commit.
  *
  * @param table the new version; the previous version if nothing changed; `None` if the table is
  *   created later
  * @param replacedRows number of rows that the commit removed
  * @param latest the version after follow-up commits, such as updates of zone maps
  */
final private[spark] case class Published(
    table: Option[LanceTable],
    replacedRows: Long = 0L,
    latest: Option[LanceTable] = None
)

/** The outcome of a commit, see [[TableCommit]]. */
sealed abstract private[spark] class CommitOutcome {

  /** Returns the result.
    *
    * @return `None` if the table already contained the write
    * @throws CommitConflictException if nothing was committed because of a conflict
    * @throws CommitStateUnknownException if storage does not report whether the version was
    *   committed
    */
  def published: Option[Published]
}

/** Kinds of outcomes. */
private[spark] object CommitOutcome {

  /** The table contains the write.
    *
    * @param published `None` if another attempt of the same write committed it
    */
  final case class Committed(published: Option[Published]) extends CommitOutcome

  /** Another writer committed a conflicting change. Nothing was committed. */
  final case class Conflict(error: CommitConflictException) extends CommitOutcome {
    def published: Option[Published] = throw error
  }

  /** Storage failed, and the version may exist or not. */
  final case class Unknown(error: CommitStateUnknownException) extends CommitOutcome {
    def published: Option[Published] = throw error
  }
}
