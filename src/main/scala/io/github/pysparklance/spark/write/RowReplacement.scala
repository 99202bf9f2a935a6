// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import io.github.pysparklance.core.{CommitConflictException, Place}
import io.github.pysparklance.spark.commit.{CommitInfo, StatementRetry}
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.rows.MatchingRows
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.SchemaUpdate
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.transaction.Retry
import io.github.pysparklance.table.transaction.conflict.StoredConstraints

/** Commits new rows, and deletes the rows that they replace, in one version. After a conflict, only
  * the search for the replaced rows is repeated, not the query of the new rows.
  *
  * @param base the version for which the new rows were planned
  * @param find finds the replaced rows of a version
  */
final private[write] class RowReplacement(
    location: TableLocation,
    base: LanceTable,
    info: CommitInfo,
    find: MatchingRows => Map[Long, DeletionVector]
) {

  /** @return the new version, or the previous one if nothing changed, and the number of deleted
    *   rows
    * @throws io.github.pysparklance.core.CommitConflictException if all retries failed, or the
    *   columns changed
    */
  def apply(fragments: IndexedSeq[Fragment]): (LanceTable, Long) = {
    val options = info.unlessRowsChanged.options
    new StatementRetry(Retry.of(info.options))
      .from(base)(_ => Some(RowReplacement.latest(base))) { table =>
        info.checkNewIn(table)
        val rows = find(new MatchingRows(location, table))
        // An update even if it replaces no rows, so that concurrent replacements detect its rows.
        val replaced = table.update(rows, fragments, Set.empty, info.properties, options)
        (replaced, rows.valuesIterator.map(_.numDeletedRows.toLong).sum)
      }
  }
}

/** Functions on statements that replace rows. */
private[spark] object RowReplacement {

  /** Returns the latest version, to which rows can be added that were written for a base version.
    *
    * @throws CommitConflictException if columns or constraints changed meanwhile
    */
  def latest(base: LanceTable): LanceTable = {
    val found = base.latest
    SchemaUpdate.checkSameColumns(base, found)
    if (!StoredConstraints.areSame(found.manifest, base.manifest))
      throw new CommitConflictException(
        "not committed: the constraints were changed meanwhile; run the write again",
        found.version,
        retryable = false,
        Place(path = Some(base.path))
      )
    found
  }
}
