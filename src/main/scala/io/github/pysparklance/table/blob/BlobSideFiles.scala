// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import java.io.IOException

import io.github.pysparklance.core.{Interrupts, LanceException, Log}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** Names of the files with the blobs of one data file. They are in a folder beside the data file,
  * named like it without `.lance`.
  *
  * {{{
  *   data/0101..ab.lance    data/0101..ab/10000000000000000000000000000000.blob     the bits of blob_id, lowest first
  * }}}
  * Source: format page of the table, "Blobs".
  *
  * @param dataFile path of the data file
  * @param name its name in the manifest, which `dataFile` ends with
  */
final private[table] class BlobSideFiles(dataFile: String, name: String) {
  private val parent = TablePath(dataFile.dropRight(name.length))
  private val key = name.substring(name.lastIndexOf('/') + 1).stripSuffix(".lance")

  /** Returns the file of a blob id. */
  def path(blobId: Int): String = {
    val bits = Integer.reverse(blobId).toBinaryString
    parent.resolve(s"$key/${"0" * (32 - bits.length)}$bits.blob")
  }

  /** Deletes the side files. Logs failures of the storage. */
  def delete(store: FileStore): Unit =
    try Interrupts.defer(store.deleteFolder(parent.resolve(key))): Unit
    catch {
      case e @ (_: IOException | _: LanceException) =>
        BlobSideFiles.log.warn(
          s"${parent.resolve(key)}: not removed; the next clean-up retries",
          e
        )
    }
}

object BlobSideFiles {
  private val log = Log(classOf[BlobSideFiles])

  /** Returns the folder of a data file's side files, relative to the same folder as the data file's
    * name.
    */
  private[table] def folderOf(name: String): Option[String] =
    Some(name.stripSuffix(".lance")).filter(_ != name).map(k => k.substring(k.lastIndexOf('/') + 1))

  /** Deletes the side files of an unreferenced data file. Logs failures of the storage. */
  def delete(store: FileStore, dataFile: String, name: String): Unit =
    new BlobSideFiles(dataFile, name).delete(store)
}
