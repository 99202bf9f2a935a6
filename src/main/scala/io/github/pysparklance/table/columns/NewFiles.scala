// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import io.github.pysparklance.core.Schema
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.table.rowid.RowLineage
import io.github.pysparklance.table.{LanceTable, UncommittedFiles}

/** Adds new files to fragments, and removes them after failed commits. */
private[pysparklance] object NewFiles {

  /** Returns the fragment with the new file after the others. Entries of the same columns in other
    * files become tombstones. Files without columns of the schema are dropped.
    */
  private[columns] def inFragment(fragment: Fragment, file: DataFile, schema: Schema): Fragment = {
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

  /** Removes an uncommitted file. Logs failures of the storage.
    *
    * @param table path of the table
    */
  def remove(store: FileStore, table: String, columns: NewColumns): Unit = {
    val file = TablePath(table).folder(LanceTable.dataFolder).resolve(columns.file.path)
    UncommittedFiles.remove(store, file, columns.file.path)
  }

  /** Runs a commit and removes the files if it fails, unless the outcome is unknown. */
  def removedOnFailure[A](table: LanceTable, files: Seq[NewColumns])(commit: => A): A =
    UncommittedFiles.removedOnFailure(files.foreach(remove(table.store, table.path, _)))(commit)
}
