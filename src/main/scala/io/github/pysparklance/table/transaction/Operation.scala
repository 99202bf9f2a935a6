// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import io.github.pysparklance.core.Schema
import io.github.pysparklance.file.FileVersion
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment

/** What a commit does to the table.
  *
  * Source: the operations of message `Transaction`, transaction.proto.
  */
sealed trait Operation

object Operation {

  /** Adds fragments.
    *
    * @param fragments without ids
    */
  final case class Append(fragments: IndexedSeq[Fragment]) extends Operation

  /** Replaces the whole content, or creates the table.
    *
    * @param fragments without ids and without deletion files
    * @param schema with the field ids that the files use
    * @param fileVersion version of the files and of those to come
    * @param configUpserts merged into the settings of the table
    * @param stableRowIds whether a table that is created has stable row ids; a table that is there keeps what it has
    */
  final case class Overwrite(
      fragments: IndexedSeq[Fragment],
      schema: Schema,
      fileVersion: FileVersion,
      configUpserts: Map[String, String] = Map.empty,
      stableRowIds: Boolean = false
  ) extends Operation

  /** An operation that deletes rows. Rows that others deleted meanwhile in the same fragments stay deleted. */
  sealed trait DeletesRows extends Operation {

    /** Offsets of the rows to be deleted, by fragment id. */
    def rows: Map[Long, DeletionVector]
  }

  /** Deletes rows.
    *
    * @param predicate the condition in SQL, for people
    */
  final case class Delete(rows: Map[Long, DeletionVector], predicate: String) extends DeletesRows

  /** Deletes rows and adds others, most of all the same rows with new values.
    *
    * @param added fragments without ids; with stable row ids they name the rows that moved, see
    *   [[Fragment.unassigned]]
    * @param changedFields ids of the fields, at any depth, whose values the moved rows have new; indices on other
    *   fields go on covering these rows
    */
  final case class Update(
      rows: Map[Long, DeletionVector],
      added: IndexedSeq[Fragment],
      changedFields: Set[Int]
  ) extends DeletesRows
}
