// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.DataFile

/** A commit that a reader follows.
  *
  * @param version the version that it made
  * @param fragmentsBefore [[VersionId.fragments]] of the version before, if that version was
  *   cleaned up
  * @param schemaChange the difference between the columns of the reader and of this version, which
  *   has later columns; the rows cannot be read then
  * @param removesRows whether the commit deleted rows, or replaced them by other rows
  * @param changesRows whether it changed rows: in place, by removing and adding rows, or by
  *   restoring deleted rows, which a stream may have read before
  * @param parts the rows to read
  * @param size size of the table after the commit
  * @param maxFragmentId see [[ReadFragments.maxId]]
  * @param isLost whether its rows are skipped, because versions that are needed to read them were
  *   cleaned up
  */
final case class FollowedCommit private[changes] (
    version: Long,
    id: VersionId,
    fragmentsBefore: Option[String],
    schemaChange: Option[String],
    removesRows: Boolean,
    changesRows: Boolean,
    parts: IndexedSeq[Changes.Part],
    size: TableSize,
    maxFragmentId: Option[Long],
    isLost: Boolean = false
) {

  /** The fragments of the version. */
  def fragments: ReadFragments = ReadFragments(id.fragments, maxFragmentId)
}

/** Size of a version, as far as its manifest has it. */
final case class TableSize(numRows: Long, numBytes: Long)

object TableSize {

  /** The size of a version. */
  def of(table: LanceTable): TableSize = TableSize(
    table.rowCount.getOrElse(table.manifest.fragments.iterator.flatMap(_.physicalRows).sum),
    table.manifest.fragments.iterator.flatMap(f => DataFile.totalBytes(f.files)).sum
  )
}
