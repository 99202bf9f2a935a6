// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.SparkSession

import io.github.pysparklance.spark.common.{SchemaTasks, TableLocation}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.{NewColumns, NewFiles, SchemaUpdate}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.schema.SchemaChange
import io.github.pysparklance.table.transaction.CommitOptions

/** New columns and wider types of a MERGE. They are committed together with the rows. Before the
  * commit, plans read the base version as if it had these columns.
  *
  * {{{
  *   analysis     table: the changed columns; nothing is written, so EXPLAIN has no effect
  *   execution    during { … }: writes the files of columns with a wider type, runs the MERGE,
  *                deletes the files on failure
  *   commit       one version with the columns and the rows
  * }}}
  * Not thread-safe. For a single statement.
  *
  * @param location location of the table
  * @param latest the version that is read first
  */
final private[spark] class ColumnEvolution(
    location: TableLocation,
    latest: LanceTable,
    changes: Seq[SchemaChange]
) {
  private var update = SchemaUpdate.plan(latest, changes)
  private var written = IndexedSeq.empty[NewColumns]
  private var isHandedOver = false
  private var running = false

  /** Whether no column changes. */
  def isEmpty: Boolean = changes.isEmpty

  /** Whether the statement is running. */
  def isRunning: Boolean = running

  /** The version that the commit is based on. */
  def base: LanceTable = update.table

  /** The base version with the changed columns. */
  def table: LanceTable = update.preview(written)

  /** The change, for writes that commit it with their own files. */
  private[write] def plan: SchemaUpdate = update

  /** Returns the written files. Afterwards the commit is responsible for deleting them if it fails.
    */
  def handOver(): IndexedSeq[NewColumns] = {
    isHandedOver = true
    written
  }

  /** Runs the statement. Deletes the written files if it fails. */
  def during[A](session: SparkSession)(statement: => A): A = {
    running = true
    try {
      write(session)
      statement
    } catch {
      case e: Exception =>
        discard()
        throw e
    } finally running = false
  }

  /** Changes the base to a later version, after a conflict. */
  def moveTo(session: SparkSession, later: LanceTable): Unit = {
    discard()
    update = SchemaUpdate.plan(later, changes)
    write(session)
  }

  private def write(session: SparkSession): Unit = {
    written = SchemaTasks.write(session, location.taskStore(Some(base)), update)
    isHandedOver = false
  }

  private def discard(): Unit = {
    if (!isHandedOver) written.foreach(NewFiles.remove(location.store, base.path, _))
    written = IndexedSeq.empty
  }

  /** Commits the column changes and row changes as one version.
    *
    * @param files files of the columns, see [[handOver]]
    * @param rows offsets of deleted rows by fragment id
    * @param added new fragments
    * @throws io.github.pysparklance.core.CommitConflictException that is retryable, after any
    *   concurrent commit
    */
  def commit(
      files: Seq[NewColumns],
      rows: Map[Long, DeletionVector],
      added: IndexedSeq[Fragment],
      properties: Map[String, String],
      options: CommitOptions
  ): LanceTable =
    if (rows.valuesIterator.forall(_.isEmpty) && added.isEmpty)
      update.commit(files, properties, options)
    else update.commitRows(files, rows, added, properties, options)
}
