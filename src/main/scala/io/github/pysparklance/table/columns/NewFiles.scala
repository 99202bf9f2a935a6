// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import java.io.IOException

import io.github.pysparklance.core.{CommitStateUnknownException, Schema}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.blob.BlobSideFiles
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.table.rowid.RowLineage

/** What new files with columns make of fragments. */
private[columns] object NewFiles {

  /** The fragment with the new file behind the others, which lose the columns that it has: their entries become
    * tombstones. Files without a column of the schema go.
    */
  def inFragment(fragment: Fragment, file: DataFile, schema: Schema): Fragment = {
    val replaced = file.fields.filter(_ >= 0).toSet
    val live = schema.flatten.map(_.id).toSet ++ RowLineage.fields
    val b = fragment.message.toBuilder.clearFiles()
    fragment.message.getFilesList.forEach { old =>
      val m = old.toBuilder
      (0 until m.getFieldsCount).foreach { i =>
        if (replaced(m.getFields(i))) m.setFields(i, DataFile.tombstone)
      }
      if ((0 until m.getFieldsCount).exists(i => live(m.getFields(i)))) b.addFiles(m): Unit
    }
    Fragment(b.addFiles(file.toMessage).build())
  }

  /** Removes files that no version names, as far as storage allows. */
  def remove(table: LanceTable, columns: NewColumns): Unit = {
    val path = table.pathOf(columns.file)
    try table.store.delete(path): Unit
    catch { case _: IOException => () }
    BlobSideFiles.delete(table.store, path, columns.file.path)
  }

  /** Removes the files when `body` fails, unless it does not know whether they were committed. */
  def removedOnFailure[A](table: LanceTable, files: Seq[NewColumns])(
      body: => A
  ): A =
    try body
    catch {
      case e: CommitStateUnknownException => throw e
      case e: Exception =>
        files.foreach(remove(table, _))
        throw e
    }
}
