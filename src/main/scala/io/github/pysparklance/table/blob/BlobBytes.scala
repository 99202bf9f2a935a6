// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import java.io.IOException

import io.github.pysparklance.core.{LanceException, Log, Workers}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{DataFile, Fragment}

/** Bytes of the side files of a table's fragments. No manifest records them, so they are listed.
  * Does not count objects outside the table. Folders that cannot be listed count as empty and are
  * logged.
  *
  * @param blobFields ids of the fields with blobs of version 2
  * @param pathOf returns the path of a data file, which ends with its name
  */
final private[table] class BlobBytes(
    store: FileStore,
    blobFields: Set[Int],
    pathOf: DataFile => String,
    known: FolderSizes = FolderSizes.shared
) {
  import BlobBytes._

  /** Returns the bytes of each fragment's side files. */
  def exact(fragments: IndexedSeq[Fragment]): IndexedSeq[Long] =
    listed(fragments).map(_.getOrElse(0L))

  /** Estimates the bytes of each fragment's side files for planning. Lists at most 64 fragments and
    * applies their bytes per row to the others.
    *
    * @param rows physical rows of each fragment
    */
  def estimated(fragments: IndexedSeq[Fragment], rows: IndexedSeq[Long]): IndexedSeq[Long] = {
    val holders = fragments.indices.filter(i => fragments(i).files.exists(hasBlobs))
    val step = math.max(1, (holders.length + maxListed - 1) / maxListed)
    val sample = holders.indices.by(step).map(holders)
    val found = sample.zip(listed(sample.map(fragments))).collect { case (i, Some(bytes)) =>
      i -> bytes
    }.toMap
    val sampledRows = math.max(1L, found.keysIterator.map(rows).sum)
    val bytesOfRow = found.valuesIterator.sum.toDouble / sampledRows
    val isHolder = holders.toSet
    fragments.indices.map { i =>
      found.getOrElse(i, if (isHolder(i)) (rows(i) * bytesOfRow).toLong else 0L)
    }
  }

  private def hasBlobs(f: DataFile): Boolean = f.fields.exists(blobFields)

  /** Returns the bytes of each fragment's side files, or `None` if a folder cannot be listed. */
  private def listed(fragments: IndexedSeq[Fragment]): IndexedSeq[Option[Long]] = {
    val found = Workers.map(fragments, threads) { f =>
      try Right(f.files.filter(hasBlobs).map(beside).sum)
      catch { case e @ (_: IOException | _: LanceException) => Left(e) }
    }
    val failures = found.collect { case Left(e) => e }
    failures.headOption.foreach { first =>
      val path = fragments(found.indexWhere(_.isLeft)).files.find(hasBlobs).fold("")(pathOf)
      log.warn(
        s"$path: its blob files cannot be listed, nor the files of ${failures.length - 1} other " +
          "fragments; their bytes are not counted",
        first
      )
    }
    found.map(_.toOption)
  }

  private def beside(f: DataFile): Long = {
    val path = pathOf(f)
    BlobSideFiles.folderOf(f.path).fold(0L) { key =>
      val folder = TablePath(path.dropRight(f.path.length)).resolve(key)
      known(folder, f.fileSizeBytes) {
        store.list(folder).filterNot(_.isFolder).map(_.sizeBytes).sum
      }
    }
  }
}

private object BlobBytes {
  private val log = Log(classOf[BlobBytes])
  private val maxListed = 64
  private val threads = 8
}
