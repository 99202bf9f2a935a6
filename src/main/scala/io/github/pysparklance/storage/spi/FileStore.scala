// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import java.io.IOException

import scala.annotation.unused

import io.github.pysparklance.core.{Interrupts, LanceException, Log}
import io.github.pysparklance.storage.requests.StorageProfile

/** A file or folder in a listing.
  *
  * @param name its last path segment
  * @param sizeBytes length of a file, 0 for a folder
  * @param modifiedMillis last change in milliseconds since 1970 UTC, 0 where storage does not say
  */
final case class FileEntry(name: String, isFolder: Boolean, sizeBytes: Long, modifiedMillis: Long)

/** A file somewhere below a folder.
  *
  * @param relativePath its path from that folder on, segments joined by `/`
  * @param sizeBytes length
  * @param modifiedMillis last change in milliseconds since 1970 UTC, 0 where storage does not say
  */
final case class FoundFile(relativePath: String, sizeBytes: Long, modifiedMillis: Long)

/** What the connector needs of a file system or object store. Paths are whole: local paths or URIs, as users
  * write them. Safe for use from many threads.
  *
  * Trouble of the storage raises `java.io.IOException` with the path in its message.
  *
  * A file that was written survives a power loss, with its name and the folders above it, as soon as
  * [[OutputFile.close]], [[createIfAbsent]], [[replace]] or [[copy]] returns. So a manifest never survives without the
  * files that were closed before it was created. A removal may be undone by a power loss.
  */
trait FileStore extends Serializable {

  /** Opens a file after asking for its size.
    *
    * @throws io.github.pysparklance.core.NotFoundException when there is no such file
    */
  def open(path: String): RangeReader

  /** Opens a file whose size is known, without asking for it where storage allows.
    *
    * @throws io.github.pysparklance.core.NotFoundException when there is no such file; object stores may find
    *   out only when the first range is read
    */
  def open(path: String, sizeBytes: Long): RangeReader

  /** The storage of the files at and beside a path. */
  def profile(@unused path: String): StorageProfile = StorageProfile.local

  /** Starts a new file, with the folders above it; fails when the file is there already. */
  def create(path: String): OutputFile

  /** Makes a file with this content in one step, unless there is one of that name. Of any number of
    * concurrent callers one gets true, and no reader ever sees a part of the content.
    *
    * @return false when somebody else's file is there; it stays as it is
    * @throws io.github.pysparklance.core.UnsupportedFeatureException when the storage has no such operation
    * @throws UnconfirmedWriteException when storage did not confirm the write, which may still take effect
    */
  def createIfAbsent(path: String, bytes: Array[Byte]): Boolean

  /** Puts a file with this content in the place of whatever file is there. Readers see the old content or the new.
    *
    * @throws UnconfirmedWriteException when storage did not confirm the write, which may still take effect
    */
  def replace(path: String, bytes: Array[Byte]): Unit

  /** Replaces a file as [[replace]] does, but need not wait until the file survives a power loss. For files that may be
    * lost or damaged, such as hints.
    */
  def replaceUnsynced(path: String, bytes: Array[Byte]): Unit = replace(path, bytes)

  /** Copies a file, also from one storage to another. Readers of `to` see the whole copy, or what was there before.
    *
    * @param to a file of that name is replaced
    * @throws io.github.pysparklance.core.NotFoundException when there is no file at `from`
    */
  def copy(from: String, to: String): Unit

  /** How folders are listed here. */
  def listing(folder: String): Listing = Listing.Whole

  /** The files and folders right in a folder, in no order; none when there is no such folder. */
  def list(folder: String): IndexedSeq[FileEntry]

  /** Their names alone, which local disks tell sooner. */
  def listNames(folder: String): IndexedSeq[String] = list(folder).map(_.name)

  /** What [[list]] tells, where [[listing]] says `Ordered`: in the order of their names as bytes, and asking for no more than the
    * iterator is asked for.
    */
  def listInOrder(folder: String): Iterator[FileEntry] = list(folder).sortBy(_.name).iterator

  /** All files below a folder at any depth, in no order; none when there is no such folder. Files that come or go
    * meanwhile may be missing.
    */
  def listFiles(folder: String): Iterator[FoundFile] = {
    def below(prefix: String): Iterator[FoundFile] =
      list(if (prefix.isEmpty) folder else s"$folder/${prefix.dropRight(1)}").iterator.flatMap {
        case e if e.isFolder => below(s"$prefix${e.name}/")
        case e => Iterator.single(FoundFile(prefix + e.name, e.sizeBytes, e.modifiedMillis))
      }
    below("")
  }

  /** The same path in a form that means the same everywhere: with its scheme unless it is a local one, and with the
    * working folder before a relative one.
    */
  def qualify(path: String): String = path

  /** What is at this path, if anything. */
  def status(path: String): Option[FileEntry]

  /** Whether a file or folder is at this path. */
  final def exists(path: String): Boolean = status(path).isDefined

  /** Removes a file; false when there was none. */
  def delete(path: String): Boolean

  /** Removes a file that nobody needs. When storage fails it stays, for a clean-up to find. */
  final def discard(path: String): Unit =
    try Interrupts.defer(delete(path)): Unit
    catch {
      case e @ (_: IOException | _: LanceException) =>
        FileStore.log.warn(s"$path: not removed; the next clean-up finds it", e)
    }

  /** Removes files, with fewer requests than one for each where storage can. Those that are gone are no error; a
    * failure leaves the rest undone.
    */
  def deleteAll(paths: Seq[String]): Unit = paths.foreach(delete)

  /** Removes a folder with everything in it; false when there was none. */
  def deleteFolder(path: String): Boolean

  /** Gives a folder with everything in it another path in one step. The folders above the new one need not be there.
    *
    * @param to nothing is there
    * @return false when storage has no such operation, as object stores; nothing was done
    */
  def renameFolder(from: String, to: String): Boolean = false

  /** The database that decides about the versions of a table; none where that is left to the storage.
    *
    * @param root of the table or branch
    */
  def manifestIndex(root: String): Option[ManifestIndex] = None

  /** The lock under which versions of a table are committed; none where [[createIfAbsent]] decides.
    *
    * @param root of the table or branch
    */
  def commitLock(root: String): Option[CommitLock] = None
}

object FileStore {
  private val log = Log(classOf[FileStore])
  private val pieceBytes = 1 << 20

  /** Hands the whole content of a file to `write` in pieces: bytes, from where on they count and how many. */
  private[storage] def pour(in: RangeReader, write: (Array[Byte], Int, Int) => Unit): Unit = {
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
