// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.local

import java.io.{EOFException, IOException}
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.StandardCopyOption.{ATOMIC_MOVE, REPLACE_EXISTING}
import java.nio.file.StandardOpenOption.{CREATE_NEW, READ, WRITE}
import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.{
  AtomicMoveNotSupportedException,
  DirectoryNotEmptyException,
  FileAlreadyExistsException,
  FileSystemException,
  FileVisitOption,
  FileVisitResult,
  Files,
  NoSuchFileException,
  NotDirectoryException,
  Path,
  Paths,
  SimpleFileVisitor
}
import java.util.{EnumSet, UUID}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.pysparklance.core.{NotFoundException, Place, UnsupportedFeatureException}
import io.github.pysparklance.storage.spi.{
  FileEntry,
  FileStore,
  FoundFile,
  OutputFile,
  RangeReader,
  TablePath
}

/** Local files through `java.nio`, for bare paths and `file:` URIs. Writes no checksum files. */
object LocalFileStore extends LocalFiles(Durability.disk)

/** Local files with replaceable syncs, for tests.
  *
  * @param durability syncs files and folders
  */
class LocalFiles private[pysparklance] (durability: Durability) extends FileStore {

  def open(path: String): RangeReader = openChannel(path, None)

  def open(path: String, sizeBytes: Long): RangeReader = openChannel(path, Some(sizeBytes))

  private def openChannel(path: String, sizeBytes: Option[Long]): RangeReader =
    try {
      val file = local(path)
      if (Files.isDirectory(file)) throw new NoSuchFileException(path)
      val channel = FileChannel.open(file, READ)
      new LocalRangeReader(path, sizeBytes.getOrElse(channel.size), channel)
    } catch {
      case e: NoSuchFileException =>
        throw new NotFoundException("file", Place(path = Some(path)), e)
    }

  def create(path: String): OutputFile = {
    val file = local(path)
    makeFolder(file.getParent)
    val stream = Files.newOutputStream(file, CREATE_NEW, WRITE)
    new LocalOutputFile(
      path,
      file,
      stream,
      () => {
        durability.syncFile(file)
        durability.syncFolder(file.getParent)
      }
    )
  }

  /** Creates a folder and its parents unless they exist. */
  private def makeFolder(folder: Path): Unit =
    if (!Files.isDirectory(folder)) {
      Option(folder.getParent).foreach(makeFolder)
      try Files.createDirectory(folder): Unit
      catch { case _: FileAlreadyExistsException if Files.isDirectory(folder) => () }
      durability.syncFolder(folder.getParent)
    }

  /** Writes a temporary file in the same folder and hard-links it, which fails if the name exists.
    */
  def createIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
    val file = local(path)
    staging(file)(Files.write(_, bytes, CREATE_NEW, WRITE): Unit) { staged =>
      val won = link(file, staged, path)
      if (won) durability.syncFolder(file.getParent)
      won
    }
  }

  /** Writes a temporary file in the same folder and renames it. */
  def replace(path: String, bytes: Array[Byte]): Unit =
    staged(local(path))(Files.write(_, bytes, CREATE_NEW, WRITE): Unit)

  override def replaceUnsynced(path: String, bytes: Array[Byte]): Unit = {
    val file = local(path)
    makeFolder(file.getParent)
    val temporary = file.resolveSibling(s".tmp_${UUID.randomUUID()}")
    try {
      Files.write(temporary, bytes, CREATE_NEW, WRITE)
      Files.move(temporary, file, ATOMIC_MOVE, REPLACE_EXISTING): Unit
    } finally Files.deleteIfExists(temporary): Unit
  }

  /** Copies to a temporary file in the folder of `to` and renames it. */
  def copy(from: String, to: String): Unit =
    staged(local(to)) { temporary =>
      try Files.copy(local(from), temporary): Unit
      catch {
        case e: NoSuchFileException =>
          throw new NotFoundException("file", Place(path = Some(from)), e)
      }
    }

  /** Copies a file of another storage. */
  private[storage] def copyFrom(in: RangeReader, to: String): Unit =
    staged(local(to)) { temporary =>
      Using.resource(Files.newOutputStream(temporary, CREATE_NEW, WRITE)) { out =>
        FileStore.copyContent(in, out.write(_, _, _))
      }
    }

  /** Writes a temporary file, syncs it, and renames it to `file`. */
  private def staged(file: Path)(write: Path => Unit): Unit =
    staging(file)(write) { temporary =>
      Files.move(temporary, file, ATOMIC_MOVE, REPLACE_EXISTING)
      durability.syncFolder(file.getParent)
    }

  /** Writes a temporary file beside `file`, syncs it, runs `use`, and deletes it. */
  private def staging[A](file: Path)(write: Path => Unit)(use: Path => A): A = {
    makeFolder(file.getParent)
    val temporary = file.resolveSibling(s".tmp_${UUID.randomUUID()}")
    try {
      write(temporary)
      durability.syncFile(temporary)
      use(temporary)
    } finally Files.deleteIfExists(temporary): Unit
  }

  private def link(file: Path, staged: Path, path: String): Boolean =
    try {
      Files.createLink(file, staged)
      true
    } catch {
      case _: FileAlreadyExistsException => false
      case e @ (_: UnsupportedOperationException | _: FileSystemException)
          if rejectsLinks(e) =>
        throw new UnsupportedFeatureException(
          "commits on a file system without hard links",
          Place(path = Some(path)),
          e
        )
    }

  /** Whether the file system does not support links. Other errors leave open whether the link was
    * created.
    */
  private[local] def rejectsLinks(e: Throwable): Boolean = e match {
    case f: FileSystemException =>
      val reason = String.valueOf(f.getReason)
      Seq("not permitted", "not supported", "not implemented").exists(reason.contains(_))
    case _ => true
  }

  def list(folder: String): IndexedSeq[FileEntry] = children(folder)(statusOf)

  override def listNames(folder: String): IndexedSeq[String] =
    children(folder)(child => Some(child.getFileName.toString))

  private def children[A](folder: String)(what: Path => Option[A]): IndexedSeq[A] =
    try
      Using.resource(
        Files.newDirectoryStream(local(folder))
      )(_.asScala.flatMap(what(_)).toIndexedSeq)
    catch { case _: NoSuchFileException | _: NotDirectoryException => IndexedSeq.empty }

  override def listFiles(folder: String): Iterator[FoundFile] = {
    val top = local(folder)
    val found = IndexedSeq.newBuilder[FoundFile]
    def walk(from: Path, isLinked: Boolean): Unit = {
      val options =
        if (isLinked) EnumSet.of(FileVisitOption.FOLLOW_LINKS)
        else EnumSet.noneOf(classOf[FileVisitOption])
      Files.walkFileTree(
        from,
        options,
        Int.MaxValue,
        new SimpleFileVisitor[Path] {
          override def visitFile(file: Path, a: BasicFileAttributes): FileVisitResult = {
            if (a.isSymbolicLink && !isLinked) walk(file, isLinked = true)
            else {
              val relative = top.relativize(file).iterator.asScala.mkString("/")
              found += FoundFile(relative, a.size, a.lastModifiedTime.toMillis, isLinked)
            }
            FileVisitResult.CONTINUE
          }
          override def visitFileFailed(file: Path, e: IOException): FileVisitResult = gone(e)
          override def postVisitDirectory(f: Path, e: IOException): FileVisitResult = gone(e)
          private def gone(e: IOException): FileVisitResult = e match {
            case null | _: NoSuchFileException => FileVisitResult.CONTINUE
            case other => throw other
          }
        }
      ): Unit
    }
    if (Files.isDirectory(top)) walk(top, Files.isSymbolicLink(top))
    found.result().iterator
  }

  override def qualify(path: String): String = local(path).toAbsolutePath.normalize.toString

  /** Also resolves symbolic links. */
  override def canonical(path: String): String =
    TablePath.canonical(real(local(path)).normalize.toString)

  /** Resolves the links of the topmost folders that exist. */
  private def real(file: Path): Path =
    try file.toRealPath()
    catch {
      case _: FileSystemException if file.getParent != null =>
        real(file.getParent).resolve(file.getFileName)
    }

  override def isLink(path: String): Boolean = Files.isSymbolicLink(local(path))

  def status(path: String): Option[FileEntry] = statusOf(local(path))

  private def statusOf(file: Path): Option[FileEntry] =
    try {
      val a = Files.readAttributes(file, classOf[BasicFileAttributes])
      val size = if (a.isDirectory) 0L else a.size
      val name = Option(file.getFileName).fold("")(_.toString)
      Some(FileEntry(name, a.isDirectory, size, a.lastModifiedTime.toMillis))
    } catch {
      case _: NoSuchFileException | _: NotDirectoryException => None
      // Java reports a path below a plain file as "Not a directory", without a specific exception.
      case e: FileSystemException if e.getReason == "Not a directory" => None
    }

  def delete(path: String): Boolean = Files.deleteIfExists(local(path))

  def deleteFolder(path: String): Boolean = {
    val folder = local(path)
    val found = Files.isDirectory(folder)
    if (found)
      Using.resource(Files.walk(folder)) { files =>
        // A walk lists folders before their children, so the reverse order empties folders first.
        files.iterator.asScala.toVector.reverse.foreach(f => Files.deleteIfExists(f))
      }
    found
  }

  override def deleteEmptyFolder(path: String): Boolean = {
    val folder = local(path)
    try Files.isDirectory(folder, NOFOLLOW_LINKS) && Files.deleteIfExists(folder)
    catch { case _: DirectoryNotEmptyException => false }
  }

  override def renameFolder(from: String, to: String): Boolean = {
    val (source, target) = (local(from), local(to))
    makeFolder(target.getParent)
    // Without ATOMIC_MOVE, Java falls back to copying.
    try {
      Files.move(source, target, ATOMIC_MOVE)
      durability.syncFolder(target.getParent)
      durability.syncFolder(source.getParent)
      true
    } catch { case _: AtomicMoveNotSupportedException => false }
  }

  private def local(path: String): Path =
    Paths.get(TablePath.localName(path)).toAbsolutePath
}

/** Positional reads through a channel. Thread-safe without locks. */
final private class LocalRangeReader(path: String, size: Long, channel: FileChannel)
    extends RangeReader(path, size) {

  def maxGapBytes: Int = 4096

  protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit = {
    var done = 0
    while (done < length) {
      // The JDK keeps a direct buffer of the read's size per thread. Small pieces keep that buffer
      // small.
      val piece = math.min(length - done, LocalRangeReader.pieceBytes)
      val n = channel.read(ByteBuffer.wrap(out, outAt + done, piece), offset + done)
      if (n < 0) throw new EOFException(s"$path ends before byte ${offset + length}")
      done += n
    }
  }

  def close(): Unit = channel.close()
}

private object LocalRangeReader {
  val pieceBytes: Int = 256 << 10
}
