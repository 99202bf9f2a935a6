// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import java.io.IOException

import scala.annotation.unused

import io.github.pysparklance.core.{Interrupts, LanceException, Log}
import io.github.pysparklance.storage.requests.StorageProfile

/** A file or folder in a listing.
  *
  * @param name last segment of the path
  * @param sizeBytes length of a file, 0 for a folder
  * @param modifiedMillis last change in milliseconds since 1970 UTC, 0 if unknown
  */
final case class FileEntry(name: String, isFolder: Boolean, sizeBytes: Long, modifiedMillis: Long)

/** A file at any depth below a listed folder.
  *
  * @param relativePath its path relative to that folder, segments joined by `/`
  * @param sizeBytes length
  * @param modifiedMillis last change in milliseconds since 1970 UTC, 0 if unknown
  * @param isLinked whether a symbolic link leads to it, which can be the listed folder
  */
final case class FoundFile(
    relativePath: String,
    sizeBytes: Long,
    modifiedMillis: Long,
    isLinked: Boolean = false
)

/** The operations that the connector needs from a file system or object store. Paths are absolute
  * local paths or URIs, as users write them. Thread-safe.
  *
  * Failures of the storage throw `java.io.IOException` with the path in the message.
  *
  * Files are durable, with their names and parent folders, as soon as [[OutputFile.close]],
  * [[createIfAbsent]], [[replace]], or [[copy]] returns. So a manifest never survives a power loss
  * without the files that were closed before it was created. A power loss may undo a removal.
  */
trait FileStore extends Serializable {

  /** Opens a file and requests its size.
    *
    * @throws io.github.pysparklance.core.NotFoundException if the file does not exist
    */
  def open(path: String): RangeReader

  /** Opens a file of known size, without requesting the size if the storage allows that.
    *
    * @throws io.github.pysparklance.core.NotFoundException if the file does not exist; object
    *   stores may report that only when the first range is read
    */
  def open(path: String, sizeBytes: Long): RangeReader

  /** The characteristics of the storage that holds a path. */
  def profile(@unused path: String): StorageProfile = StorageProfile.local

  /** Creates a file and its parent folders. Fails if the file exists. */
  def create(path: String): OutputFile

  /** Creates a file with this content atomically unless it exists. Of concurrent callers exactly
    * one gets true. Readers never see partial content.
    *
    * @return false if the file exists, and is not changed, or if a request of any client to create
    *   it is in flight
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if the storage cannot create
    *   files atomically
    * @throws UnconfirmedWriteException if storage did not confirm the write, which may still take
    *   effect
    */
  def createIfAbsent(path: String, bytes: Array[Byte]): Boolean

  /** Creates or replaces a file atomically. Readers see either the old or the new content.
    *
    * @throws UnconfirmedWriteException if storage did not confirm the write, which may still take
    *   effect
    */
  def replace(path: String, bytes: Array[Byte]): Unit

  /** Like [[replace]], but may return before the file is durable. For files that can be lost or
    * damaged without harm, such as hints.
    */
  def replaceUnsynced(path: String, bytes: Array[Byte]): Unit = replace(path, bytes)

  /** Copies a file, also between storages. Readers of `to` see the complete copy or the previous
    * file.
    *
    * @param to path of the copy; an existing file is replaced
    * @throws io.github.pysparklance.core.NotFoundException if `from` does not exist
    */
  def copy(from: String, to: String): Unit

  /** The kind of listing that the storage of a folder offers. */
  def listing(folder: String): Listing = Listing.Whole

  /** Lists the files and folders directly in a folder, in no order. Empty if the folder does not
    * exist.
    */
  def list(folder: String): IndexedSeq[FileEntry]

  /** Like [[list]], but only names, which is faster on local disks. */
  def listNames(folder: String): IndexedSeq[String] = list(folder).map(_.name)

  /** Like [[list]], but in byte order of the names. If [[listing]] is [[Listing.Ordered]], pages
    * are requested only as the iterator advances.
    */
  def listInOrder(folder: String): Iterator[FileEntry] = list(folder).sortBy(_.name).iterator

  /** Lists all files below a folder at any depth, in no order. Empty if the folder does not exist.
    * May miss files that are added or removed meanwhile.
    */
  def listFiles(folder: String): Iterator[FoundFile] = {
    def below(prefix: String): Iterator[FoundFile] =
      list(if (prefix.isEmpty) folder else s"$folder/${prefix.dropRight(1)}").iterator.flatMap {
        case e if e.isFolder => below(s"$prefix${e.name}/")
        case e => Iterator.single(FoundFile(prefix + e.name, e.sizeBytes, e.modifiedMillis))
      }
    below("")
  }

  /** Returns the path in a form that is valid everywhere: absolute, and with its scheme unless it
    * is local.
    */
  def qualify(path: String): String = path

  /** Returns the canonical form of the path of a folder, which need not exist. All paths of a
    * folder have the same form. It serves comparisons only, see [[TablePath.canonical]].
    */
  def canonical(path: String): String = TablePath.canonical(qualify(path))

  /** Whether a path itself is a symbolic link, without the folders above it. */
  def isLink(@unused path: String): Boolean = false

  /** Returns the file or folder at a path, if it exists. */
  def status(path: String): Option[FileEntry]

  /** Whether a file or folder exists at a path. */
  final def exists(path: String): Boolean = status(path).isDefined

  /** Deletes a file. Returns false if it does not exist. */
  def delete(path: String): Boolean

  /** Deletes an unreferenced file. If that fails, logs it and leaves the file to the next clean-up.
    */
  final def discard(path: String): Unit =
    try Interrupts.defer(delete(path)): Unit
    catch {
      case e @ (_: IOException | _: LanceException) =>
        FileStore.log.warn(s"$path: not removed; the next clean-up retries", e)
    }

  /** Deletes files, with batch requests if the storage supports them. Missing files are not an
    * error. A failure may leave later files in place.
    */
  def deleteAll(paths: Seq[String]): Unit = paths.foreach(delete)

  /** Deletes a folder with its content. Returns false if it does not exist. */
  def deleteFolder(path: String): Boolean

  /** Deletes a folder unless it contains files or folders, including concurrently added ones.
    *
    * @return false if nothing was deleted, as on storage that has no folders
    */
  def deleteEmptyFolder(@unused path: String): Boolean = false

  /** Renames a folder atomically. Creates the parent folders of the new path.
    *
    * @param to must not exist
    * @return false if the storage cannot rename folders atomically, as object stores; nothing was
    *   changed
    */
  def renameFolder(from: String, to: String): Boolean = false

  /** The external manifest store that decides which writer commits a version, or `None` if
    * [[createIfAbsent]] decides.
    *
    * @param root root of the table or branch
    */
  def manifestIndex(root: String): Option[ManifestIndex] = None

  /** The lock that protects commits of a table, or `None` if [[createIfAbsent]] suffices.
    *
    * @param root root of the table or branch
    */
  def commitLock(root: String): Option[CommitLock] = None
}

object FileStore {
  private val log = Log(classOf[FileStore])
  private val pieceBytes = 1 << 20

  /** Copies the content of a file to `write` in pieces of at most 1 MiB: array, first index, and
    * number of bytes.
    */
  private[storage] def copyContent(
      in: RangeReader,
      write: (Array[Byte], Int, Int) => Unit
  ): Unit = {
    val piece = new Array[Byte](math.min(in.size, pieceBytes.toLong).toInt)
    var at = 0L
    while (at < in.size) {
      val n = math.min(in.size - at, piece.length.toLong).toInt
      in.readInto(at, piece, 0, n)
      write(piece, 0, n)
      at += n
    }
  }
}
