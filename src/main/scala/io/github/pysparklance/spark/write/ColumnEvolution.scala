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

/** New columns and wider types of a MERGE. They are committed together with its rows: until then, plans
  * read the version that it is based on as if it had them.
  *
  * {{{
  *   analysis     table: the columns as they become; nothing is written, so that EXPLAIN changes nothing
  *   execution    during { … }: writes the files of columns with a wider type, runs the MERGE, removes them on failure
  *   commit       one version with the columns and the rows
  * }}}
  * Not thread-safe: of one statement.
  *
  * @param location where the table is
  * @param newest the version that is read first
  */
final private[spark] class ColumnEvolution(
    location: TableLocation,
    newest: LanceTable,
    changes: Seq[SchemaChange]
) {
  private var update = SchemaUpdate.plan(newest, changes)
  private var written = IndexedSeq.empty[NewColumns]
  private var isHandedOver = false
  private var running = false

  /** Whether the columns change at all. */
  def isEmpty: Boolean = changes.isEmpty

  /** Whether the statement runs. */
  def isRunning: Boolean = running

  /** The version that the commit is based on. */
  def base: LanceTable = update.table

  /** The same with the columns as they become. */
  def table: LanceTable = update.preview(written)

  /** The change, for a commit of it with files of its own. */
  private[write] def plan: SchemaUpdate = update

  /** Returns the written files. From now on the commit deletes them if it fails. */
  def handOver(): IndexedSeq[NewColumns] = {
    isHandedOver = true
    written
  }

  /** Runs the statement. */
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

  /** From now on a later version is read, and the commit is based on it. */
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

  /** Commits the columns and changes of rows as one version.
    *
    * @param files of the columns, see [[handOver]]
    * @param rows offsets by fragment id, of rows that go
    * @param added new fragments
    * @throws io.github.pysparklance.core.CommitConflictException that is retryable when somebody else committed anything
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
