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

/** The files of a segment that no version names yet.
  *
  * @param uuid of its folder
  */
final private[jobs] case class BuiltSegment(uuid: UUID, files: Seq[SegmentFile])

/** Where tasks write segments. Goes to the executors.
  *
  * @param root of the table or branch
  * @param fileVersion of the files
  */
final private[jobs] case class IndexOutput(
    store: FileStore,
    root: TablePath,
    fileVersion: FileVersion
) {

  /** Writes a segment to a folder of its own, and removes it on failure. */
  def write(files: NewSegment => Unit): BuiltSegment = {
    val uuid = UUID.randomUUID()
    val into = folder(uuid)
    try {
      files(into)
      BuiltSegment(uuid, into.files)
    } catch {
      case e: Throwable => // a task that is killed must not leave files either
        Interrupts.defer(remove(uuid))
        throw e
    }
  }

  /** The folder of a segment. */
  def folder(uuid: UUID): NewSegment =
    new NewSegment(store, IndexSegment.newFolder(root, uuid), fileVersion)

  /** The files of a segment, to be read. */
  def files(segment: BuiltSegment): IndexFiles = new IndexFiles(
    store,
    IndexSegment.newFolder(root, segment.uuid),
    Array.emptyByteArray,
    0,
    segment.files.map(f => f.name -> f.sizeBytes).toMap
  )

  /** Removes a segment that no version will name. */
  def remove(uuid: UUID): Unit = UncommittedFiles.removeSegment(store, root.root, uuid)
}
