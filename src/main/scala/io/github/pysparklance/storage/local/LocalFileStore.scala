// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.local

import java.io.{BufferedOutputStream, EOFException, IOException, OutputStream}
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.StandardCopyOption.{ATOMIC_MOVE, REPLACE_EXISTING}
import java.nio.file.StandardOpenOption.{CREATE_NEW, READ, WRITE}
import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.{
  AtomicMoveNotSupportedException,
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
import java.util.UUID

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

/** Files of this machine through `java.nio`, for bare paths and `file:` URIs. Writes no checksum files. */
object LocalFileStore extends FileStore {

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
    Files.createDirectories(file.getParent)
    LocalOutputFile(path, file)
  }

  /** Writes a temporary file in the same folder and links it to its name, which fails when the name is taken. */
  def createIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
    val file = local(path)
    val staged = stage(file, bytes)
    try {
      val won = link(file, staged, path)
      if (won) syncFolder(file.getParent)
      won
    } finally Files.deleteIfExists(staged): Unit
  }

  /** Writes a temporary file in the same folder and renames it. */
  def replace(path: String, bytes: Array[Byte]): Unit = {
    val file = local(path)
    val staged = stage(file, bytes)
    try Files.move(staged, file, ATOMIC_MOVE, REPLACE_EXISTING): Unit
    finally Files.deleteIfExists(staged): Unit
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

  /** The same from a file of another storage. */
  private[storage] def copyFrom(in: RangeReader, to: String): Unit =
    staged(local(to)) { temporary =>
      Using.resource(LocalOutputFile(to, temporary))(out => FileStore.pour(in, out.write))
    }

  /** Lets a temporary file be written and puts it in the place of `file`, safe on the disk. */
  private def staged(file: Path)(write: Path => Unit): Unit = {
    Files.createDirectories(file.getParent)
    val temporary = file.resolveSibling(s".tmp_${UUID.randomUUID()}")
    try {
      write(temporary)
      Using.resource(FileChannel.open(temporary, WRITE))(_.force(true))
      Files.move(temporary, file, ATOMIC_MOVE, REPLACE_EXISTING): Unit
    } finally Files.deleteIfExists(temporary): Unit
  }

  /** A temporary file beside `file` with its content, safe on the disk. */
  private def stage(file: Path, bytes: Array[Byte]): Path = {
    Files.createDirectories(file.getParent)
    val staged = file.resolveSibling(s".tmp_${UUID.randomUUID()}")
    try
      Using.resource(FileChannel.open(staged, CREATE_NEW, WRITE)) { channel =>
        val content = ByteBuffer.wrap(bytes)
        while (content.hasRemaining) channel.write(content)
        channel.force(true)
      }
    catch {
      case e: IOException =>
        Files.deleteIfExists(staged)
        throw e
    }
    staged
  }

  private def link(file: Path, staged: Path, path: String): Boolean =
    try {
      Files.createLink(file, staged)
      true
    } catch {
      case _: FileAlreadyExistsException => false
      case e @ (_: UnsupportedOperationException | _: FileSystemException)
          if refusesLinks(e) =>
        throw new UnsupportedFeatureException(
          "a file system without hard links, which commits need",
          Place(path = Some(path)),
          e
        )
    }

  /** Whether the file system has no links; other trouble says nothing about whether the link was made. */
  private[local] def refusesLinks(e: Throwable): Boolean = e match {
    case f: FileSystemException =>
      val reason = String.valueOf(f.getReason)
      Seq("not permitted", "not supported", "not implemented").exists(reason.contains(_))
    case _ => true
  }

  /** Makes the new name survive a power cut, where the system lets a folder be synced. */
  private def syncFolder(folder: Path): Unit =
    try Using.resource(FileChannel.open(folder, READ))(_.force(true))
    catch { case _: IOException => () }

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
    if (Files.isDirectory(top))
      Files.walkFileTree(
        top,
        java.util.EnumSet.of(FileVisitOption.FOLLOW_LINKS),
        Int.MaxValue,
        new SimpleFileVisitor[Path] {
          override def visitFile(file: Path, a: BasicFileAttributes): FileVisitResult = {
            val relative = top.relativize(file).iterator.asScala.mkString("/")
            found += FoundFile(relative, a.size, a.lastModifiedTime.toMillis)
            FileVisitResult.CONTINUE
          }
          override def visitFileFailed(file: Path, e: IOException): FileVisitResult = gone(e)
          override def postVisitDirectory(f: Path, e: IOException): FileVisitResult = gone(e)
          private def gone(e: IOException): FileVisitResult = e match {
            case null | _: NoSuchFileException => FileVisitResult.CONTINUE
            case other => throw other
          }
        }
      )
    found.result().iterator
  }

  override def qualify(path: String): String = local(path).toAbsolutePath.normalize.toString

  def status(path: String): Option[FileEntry] = statusOf(local(path))

  private def statusOf(file: Path): Option[FileEntry] =
    try {
      val a = Files.readAttributes(file, classOf[BasicFileAttributes])
      val size = if (a.isDirectory) 0L else a.size
      val name = Option(file.getFileName).fold("")(_.toString)
      Some(FileEntry(name, a.isDirectory, size, a.lastModifiedTime.toMillis))
    } catch {
      case _: NoSuchFileException | _: NotDirectoryException => None
      // Java reports a path below a plain file as "Not a directory" without a type of its own.
      case e: FileSystemException if e.getReason == "Not a directory" => None
    }

  def delete(path: String): Boolean = Files.deleteIfExists(local(path))

  def deleteFolder(path: String): Boolean = {
    val folder = local(path)
    val found = Files.isDirectory(folder)
    if (found)
      Using.resource(Files.walk(folder)) { files =>
        // Children come after their folder in the walk, so the reverse order empties folders first.
        files.iterator.asScala.toVector.reverse.foreach(f => Files.deleteIfExists(f))
      }
    found
  }

  override def renameFolder(from: String, to: String): Boolean = {
    val target = local(to)
    Files.createDirectories(target.getParent)
    // Without the option Java copies where the system cannot rename, which is not one step.
    try {
      Files.move(local(from), target, ATOMIC_MOVE)
      true
    } catch { case _: AtomicMoveNotSupportedException => false }
  }

  private def local(path: String): Path =
    Paths.get(TablePath.localName(path)).toAbsolutePath
}

/** Positional reads through a channel, which needs no lock. */
final private class LocalRangeReader(path: String, size: Long, channel: FileChannel)
    extends RangeReader(path, size) {

  def maxGapBytes: Int = 4096

  protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit = {
    var done = 0
    while (done < length) {
      // The JDK copies through a direct buffer of the size asked for and keeps it: small pieces keep it small.
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

/** A new file; small writes are gathered, large ones go through.
  *
  * @param stream writes to it
  */
final private class LocalOutputFile(val path: String, file: Path, stream: OutputStream)
    extends OutputFile {
  private val out = new BufferedOutputStream(stream, 1 << 16)
  private var written = 0L
  private var open = true

  def position: Long = written

  def write(bytes: Array[Byte], from: Int, length: Int): Unit = {
    out.write(bytes, from, length)
    written += length
  }

  def close(): Unit = if (open) {
    try {
      out.close()
      open = false
    } finally abort()
  }

  def abort(): Unit = if (open) {
    open = false
    try out.close()
    catch { case _: IOException => () }
    try Files.deleteIfExists(file): Unit
    catch { case _: IOException => () }
  }
}

private object LocalOutputFile {
  def apply(path: String, file: Path): LocalOutputFile =
    new LocalOutputFile(path, file, Files.newOutputStream(file, CREATE_NEW, WRITE))
}
