// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import io.github.pysparklance.core.Schema
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.table.rowid.RowLineage
import io.github.pysparklance.table.{LanceTable, UncommittedFiles}

/** What new files with columns make of fragments. */
private[pysparklance] object NewFiles {

  /** The fragment with the new file behind the others, which lose the columns that it has: their entries become
    * tombstones. Files without a column of the schema go.
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

  /** Removes a file that no version will name, as far as storage allows.
    *
    * @param table its path
    */
  def remove(store: FileStore, table: String, columns: NewColumns): Unit = {
    val file = TablePath(table).folder(LanceTable.dataFolder).resolve(columns.file.path)
    UncommittedFiles.remove(store, file, columns.file.path)
  }

  /** Removes the files when the commit fails, unless nobody knows whether it did. */
  def removedOnFailure[A](table: LanceTable, files: Seq[NewColumns])(commit: => A): A =
    UncommittedFiles.removedOnFailure(files.foreach(remove(table.store, table.path, _)))(commit)
}
