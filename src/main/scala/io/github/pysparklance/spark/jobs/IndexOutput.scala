// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.util.UUID

import io.github.pysparklance.core.Interrupts
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.index.spi.{IndexFiles, NewSegment, SegmentFile}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.UncommittedFiles
import io.github.pysparklance.table.manifest.IndexSegment

/** The files of an uncommitted segment.
  *
  * @param uuid id of the segment, which names its folder
  */
final private[jobs] case class BuiltSegment(uuid: UUID, files: Seq[SegmentFile])

/** The destination of segments. Serialized to the executors.
  *
  * @param root root of the table or branch
  * @param fileVersion file version of the index files
  * @param isExact whether segments have no outdated entries
  * @param hasAddresses whether segments store row addresses
  */
final private[jobs] case class IndexOutput(
    store: FileStore,
    root: TablePath,
    fileVersion: FileVersion,
    isExact: Boolean = false,
    hasAddresses: Boolean = false
) {

  /** Writes a segment to a new folder, and removes it on failure. */
  def write(files: NewSegment => Unit): BuiltSegment = {
    val uuid = UUID.randomUUID()
    val into = folder(uuid)
    try {
      files(into)
      BuiltSegment(uuid, into.files)
    } catch {
      case e: Throwable => // killed tasks must remove their files, too
        Interrupts.defer(remove(uuid))
        throw e
    }
  }

  /** Writes files of a segment that several tasks write, and removes them on failure. */
  def removedOnFailure[A](into: NewSegment)(write: => A): A =
    try write
    catch {
      case e: Throwable => // killed tasks must remove their files, too
        Interrupts.defer(into.files.foreach(f => into.remove(f.name)))
        throw e
    }

  /** Removes files of an uncommitted segment. */
  def removeFiles(uuid: UUID, files: Seq[SegmentFile]): Unit = {
    val in = folder(uuid).folder
    files.foreach(f => store.discard(in.resolve(f.name)))
  }

  /** Returns the folder of a segment. */
  def folder(uuid: UUID): NewSegment =
    new NewSegment(
      store,
      IndexSegment.newFolder(root, uuid),
      fileVersion,
      NewSegment.exactness(uuid, isExact, hasAddresses)
    )

  /** Returns the files of a segment, for reading. */
  def files(segment: BuiltSegment): IndexFiles = new IndexFiles(
    store,
    IndexSegment.newFolder(root, segment.uuid),
    Array.emptyByteArray,
    0,
    segment.files.map(f => f.name -> f.sizeBytes).toMap
  )

  /** Removes an uncommitted segment. */
  def remove(uuid: UUID): Unit = UncommittedFiles.removeSegment(store, root.root, uuid)
}
