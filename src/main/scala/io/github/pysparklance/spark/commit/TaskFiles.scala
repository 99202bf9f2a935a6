// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import java.util.UUID

import org.apache.spark.sql.connector.write.WriterCommitMessage

import io.github.pysparklance.index.zones.FragmentZones
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.UncommittedFiles
import io.github.pysparklance.table.columns.{NewColumns, NewFiles}
import io.github.pysparklance.table.manifest.{BasePath, Fragment}

/** The message of a task that wrote fragments. */
private[spark] trait FragmentMessage extends WriterCommitMessage {

  /** The new fragments as serialized messages, without ids. */
  def fragments: IndexedSeq[Array[Byte]]

  /** Zones of their columns, for the zone maps of the table. */
  def zones: IndexedSeq[FragmentZones] = IndexedSeq.empty
}

/** Files that tasks wrote for a commit.
  *
  * @param fragments new fragments
  * @param columns new files of existing fragments
  * @param bases base paths of files of `fragments`
  * @param segments ids of new index segments
  * @param zones zones of the new files, which are added to zone maps after the commit
  */
final private[spark] case class TaskFiles(
    fragments: IndexedSeq[Fragment] = IndexedSeq.empty,
    columns: IndexedSeq[NewColumns] = IndexedSeq.empty,
    bases: IndexedSeq[BasePath] = IndexedSeq.empty,
    segments: Seq[UUID] = Nil,
    zones: IndexedSeq[FragmentZones] = IndexedSeq.empty
) {

  /** Deletes the files, as far as storage allows.
    *
    * @param path path of the table or branch
    */
  private[commit] def remove(store: FileStore, path: String): Unit = {
    UncommittedFiles.remove(store, path, fragments, bases)
    columns.foreach(NewFiles.remove(store, path, _))
    segments.foreach(UncommittedFiles.removeSegment(store, path, _))
  }
}

/** Collects the files of tasks. */
private[spark] object TaskFiles {

  /** For commits without new files. */
  val none: TaskFiles = TaskFiles()

  /** Returns the files in the messages of all tasks. Messages of failed tasks are null. */
  def of(messages: Array[WriterCommitMessage]): TaskFiles = {
    val all = messages.toIndexedSeq.collect { case m: FragmentMessage => m }
    TaskFiles(all.flatMap(_.fragments.map(Fragment.parse)), zones = all.flatMap(_.zones))
  }
}
