// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.{FileNotFoundException, IOException}
import java.util.{Collections, EnumSet, UUID, WeakHashMap}

import scala.util.Using

import org.apache.hadoop.fs.permission.{FsCreateModes, FsPermission}
import org.apache.hadoop.fs.{
  CreateFlag,
  FSDataInputStream,
  FSDataOutputStream,
  FileAlreadyExistsException,
  FileContext,
  FileStatus,
  FileSystem,
  Options,
  ParentNotDirectoryException,
  Path,
  RemoteIterator,
  StreamCapabilities
}
import org.apache.hadoop.security.UserGroupInformation

import io.github.pysparklance.core.{
  LanceException,
  NotFoundException,
  ParallelReads,
  Place,
  UnsupportedFeatureException
}
import io.github.pysparklance.storage.local.LocalFileStore
import io.github.pysparklance.storage.requests.StorageProfile
import io.github.pysparklance.storage.spi.{
  FileEntry,
  FileStore,
  FoundFile,
  Listing,
  OutputFile,
  RangeReader,
  TablePath,
  UnconfirmedWriteException
}

/** A store for every file system with a Hadoop client: HDFS, S3A, GCS, ABFS.
  *
  * Atomic creation depends on the scheme:
  *  - HDFS and its views, and ABFS, whose `create` makes an empty file before it appends: a
  *    temporary file, renamed without overwrite;
  *  - local disks: as in [[LocalFileStore]];
  *  - S3A: a conditional put, since Hadoop 3.4.2;
  *  - GCS: `create` without overwrite, which the connector makes atomic.
  */
final class HadoopFileStore(conf: HadoopConf) extends FileStore {

  def open(path: String): RangeReader = {
    val p = new Path(path)
    val fs = fileSystem(p)
    val status =
      try fs.getFileStatus(p)
      catch { case e: FileNotFoundException => throw notFound(path, e) }
    if (status.isDirectory) throw notFound(path, null)
    reader(path, fs, p, status.getLen)
  }

  def open(path: String, sizeBytes: Long): RangeReader = {
    val p = new Path(path)
    reader(path, fileSystem(p), p, sizeBytes)
  }

  private def reader(path: String, fs: FileSystem, p: Path, sizeBytes: Long): RangeReader =
    new HadoopRangeReader(
      path,
      sizeBytes,
      () => openStream(fs, p, sizeBytes),
      HadoopFileStore.standIn(fs),
      HadoopFileStore.sharesStreams(fs.getUri.getScheme)
    )

  /** Files are opened as the current user, because Hadoop's clients belong to a user. */
  override def profile(path: String): StorageProfile = {
    val profile = StorageProfile.remote
    profile.copy(opens = new AsUser(profile.opens, UserGroupInformation.getCurrentUser))
  }

  private def openStream(fs: FileSystem, p: Path, sizeBytes: Long): FSDataInputStream =
    try
      fs.openFile(p)
        .opt("fs.option.openfile.read.policy", "random")
        .opt("fs.option.openfile.length", sizeBytes.toString)
        .build()
        .get()
    catch {
      case e: FileNotFoundException => throw notFound(p.toString, e)
      case e: java.util.concurrent.ExecutionException =>
        e.getCause match {
          case c: FileNotFoundException => throw notFound(p.toString, c)
          case c => throw c
        }
    }

  private def notFound(path: String, cause: Throwable): NotFoundException =
    new NotFoundException("file", Place(path = Some(path)), cause)

  def create(path: String): OutputFile = {
    val p = new Path(path)
    val fs = fileSystem(p)
    new HadoopOutputFile(path, fs, p, HadoopFileStore.create(fs, p, overwrite = false))
  }

  def createIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
    val p = new Path(path)
    val fs = fileSystem(p)
    val scheme = fs.getUri.getScheme
    scheme match {
      case "hdfs" | "viewfs" | "webhdfs" | "ofs" | "o3fs" | "abfs" | "abfss" =>
        renameIfAbsent(p, bytes)
      // Hadoop's local rename checks and renames in two steps.
      case "file" => LocalFileStore.createIfAbsent(p.toUri.getPath, bytes)
      case "s3a" | "s3" | "s3n" => putIfAbsent(fs, p, bytes)
      case "gs" =>
        try {
          writeAll(fs, fs.create(p, false))(_.write(bytes), confirming(p))
          true
        } catch {
          case _: FileAlreadyExistsException => false
          case e: IOException if ServiceErrors.isLostRace(e) => false
        }
      case other =>
        throw new UnsupportedFeatureException(
          s"commits on storage of the scheme $other, which has no known atomic create; " +
            "a lock makes them safe, see lance.commit.lock",
          Place(path = Some(path))
        )
    }
  }

  private def renameIfAbsent(p: Path, bytes: Array[Byte]): Boolean =
    try {
      rename(p, Options.Rename.NONE)(_.write(bytes))
      true
    } catch { case _: FileAlreadyExistsException => false }

  private def rename(p: Path, how: Options.Rename)(write: FSDataOutputStream => Unit): Unit = {
    val context = FileContext.getFileContext(p.toUri, conf.value)
    val staged = new Path(p.getParent, s".tmp_${UUID.randomUUID()}")
    val fs = fileSystem(p)
    try {
      val out = HadoopFileStore.create(fs, staged, overwrite = false)
      writeAll(fs, out)(write)
      context.rename(staged, p, how)
    } catch {
      case e: FileAlreadyExistsException =>
        discardStaged(fs, staged, e): Unit
        throw e
      case e: LanceException =>
        discardStaged(fs, staged, e): Unit
        throw e
      case e: IOException =>
        // While the staged file exists, a rename without a response may still happen.
        if (discardStaged(fs, staged, e)) throw e
        else throw new UnconfirmedWriteException(p.toString, e)
    }
  }

  /** @return whether the file is certainly gone */
  private def discardStaged(fs: FileSystem, staged: Path, failure: Exception): Boolean =
    try {
      fs.delete(staged, false)
      true
    } catch {
      case e: IOException =>
        failure.addSuppressed(e)
        false
    }

  def replace(path: String, bytes: Array[Byte]): Unit = put(new Path(path))(_.write(bytes))

  /** Writes a file and replaces an existing one atomically. */
  private def put(p: Path)(write: FSDataOutputStream => Unit): Unit = {
    val fs = fileSystem(p)
    fs.getUri.getScheme match {
      case scheme if HadoopFileStore.renames(scheme) =>
        rename(p, Options.Rename.OVERWRITE)(write)
      // An object becomes visible only when its upload completes on close.
      case _ => writeAll(fs, fs.create(p, true))(write, confirming(p))
    }
  }

  def copy(from: String, to: String): Unit =
    Using.resource(open(from))(copyFrom(_, to))

  /** Copies a file of any storage. */
  private[storage] def copyFrom(in: RangeReader, to: String): Unit = {
    val p = new Path(to)
    put(p)(out => FileStore.copyContent(in, out.write(_, _, _)))
  }

  private def putIfAbsent(fs: FileSystem, p: Path, bytes: Array[Byte]): Boolean =
    try {
      val out = fs
        .createFile(p)
        .overwrite(false)
        .must("fs.option.create.conditional.overwrite", true)
        .recursive()
        .build()
      writeAll(fs, out)(_.write(bytes), confirming(p))
      true
    } catch {
      case _: FileAlreadyExistsException => false
      case e: IllegalArgumentException =>
        throw new UnsupportedFeatureException(
          "commits on S3 with this Hadoop client: conditional create requires hadoop-aws 3.4.2 or later; " +
            "without it a path s3+ddb://bucket/path?ddbTableName=table or a lock makes them safe",
          Place(path = Some(p.toString)),
          e
        )
      case e: IOException if ServiceErrors.isLostRace(e) => false
    }

  /** Publishes an object by closing it.
    *
    * @throws UnconfirmedWriteException if the client does not learn the outcome
    */
  private def confirming(p: Path)(close: => Unit): Unit =
    try close
    catch {
      case e: FileAlreadyExistsException => throw e
      case e: IOException if !ServiceErrors.isLostRace(e) && !ServiceErrors.isRejection(e) =>
        throw new UnconfirmedWriteException(p.toString, e)
    }

  /** Writes a file and closes it. Closing publishes an object, so it is skipped after a failed
    * write.
    *
    * @param publishing runs the close
    */
  private def writeAll(fs: FileSystem, out: FSDataOutputStream)(
      write: FSDataOutputStream => Unit,
      publishing: (=> Unit) => Unit = close => close
  ): Unit =
    try {
      write(out)
      publishing(HadoopFileStore.finish(fs, out))
    } catch {
      case e @ (_: IOException | _: LanceException) =>
        try out.abort(): Unit
        catch { case _: UnsupportedOperationException => closeAfter(e, out) }
        throw e
    }

  private def closeAfter(failure: Throwable, out: FSDataOutputStream): Unit =
    try out.close()
    catch { case e: IOException => failure.addSuppressed(e) }

  override def listing(folder: String): Listing = {
    val uri = fileSystem(new Path(folder)).getUri
    uri.getScheme match {
      case "s3a" | "s3" | "s3n" if HadoopFileStore.isExpress(uri.getHost) => Listing.Slow
      case "hdfs" | "webhdfs" | "s3a" | "s3" | "s3n" | "gs" | "abfs" | "abfss" => Listing.Ordered
      case _ => Listing.Whole
    }
  }

  override def listInOrder(folder: String): Iterator[FileEntry] = {
    val p = new Path(folder)
    found(fileSystem(p).listStatusIterator(p)).map(entry)
  }

  /** Iterates over a listing. Empty if the folder does not exist, which some clients notice only
    * when they request the first page.
    */
  private def found[A](listing: => RemoteIterator[A]): Iterator[A] = {
    def ifExists[B](otherwise: B)(request: => B): B =
      try request
      catch { case _: FileNotFoundException => otherwise }
    ifExists(Iterator.empty: Iterator[A]) {
      val it = listing
      Iterator.continually(()).takeWhile(_ => ifExists(false)(it.hasNext)).map(_ => it.next())
    }
  }

  def list(folder: String): IndexedSeq[FileEntry] = {
    val p = new Path(folder)
    val found = IndexedSeq.newBuilder[FileEntry]
    try {
      val it = fileSystem(p).listStatusIterator(p)
      while (it.hasNext) found += entry(it.next())
    } catch { case _: FileNotFoundException => () }
    found.result()
  }

  override def listFiles(folder: String): Iterator[FoundFile] = {
    val p = new Path(folder)
    val fs = fileSystem(p)
    if (HadoopFileStore.listsRecursively(fs)) listRecursively(fs, p)
    else listBelow(folder, "", listInOrder(folder))
  }

  private def listRecursively(fs: FileSystem, p: Path): Iterator[FoundFile] = {
    val top = fs.makeQualified(p).toUri.getPath.stripSuffix("/") + "/"
    found(fs.listFiles(p, true)).map { s =>
      FoundFile(s.getPath.toUri.getPath.stripPrefix(top), s.getLen, s.getModificationTime)
    }
  }

  /** Lists folder by folder, as Hadoop does, but the folders in a folder in parallel.
    *
    * @param prefix path relative to the folder at the top, with a slash at its end, or empty
    * @param entries the content of the folder at `prefix`
    */
  private def listBelow(
      top: String,
      prefix: String,
      entries: Iterator[FileEntry]
  ): Iterator[FoundFile] = {
    val inside = IndexedSeq.newBuilder[String]
    val files = entries.flatMap { e =>
      if (e.isFolder) {
        inside += s"$prefix${e.name}/"
        Iterator.empty
      } else Iterator.single(FoundFile(prefix + e.name, e.sizeBytes, e.modifiedMillis))
    }
    def inFolders = {
      val folders = inside.result()
      val lists = new ParallelReads(folders, profile(top).filesInParallel)(f =>
        list(s"$top/${f.dropRight(1)}")
      )
      folders.indices.iterator.flatMap(i => listBelow(top, folders(i), lists(i).iterator))
    }
    files ++ inFolders
  }

  override def qualify(path: String): String = conf.qualify(path)

  def status(path: String): Option[FileEntry] = {
    val p = new Path(path)
    try Some(entry(fileSystem(p).getFileStatus(p)))
    catch { case _: FileNotFoundException | _: ParentNotDirectoryException => None }
  }

  private def entry(s: FileStatus): FileEntry = FileEntry(
    s.getPath.getName,
    s.isDirectory,
    if (s.isDirectory) 0L else s.getLen,
    s.getModificationTime
  )

  def delete(path: String): Boolean = {
    val p = new Path(path)
    fileSystem(p).delete(p, false)
  }

  override def deleteAll(paths: Seq[String]): Unit =
    paths.groupBy(path => fileSystem(new Path(path))).foreach { case (fs, its) =>
      HadoopBulkDelete(fs) match {
        case Some(bulk) => bulk(its)
        case None => its.foreach(delete)
      }
    }

  def deleteFolder(path: String): Boolean = {
    val p = new Path(path)
    fileSystem(p).delete(p, true)
  }

  override def deleteEmptyFolder(path: String): Boolean =
    try list(path).isEmpty && delete(path)
    catch { case _: IOException if list(path).nonEmpty => false }

  override def renameFolder(from: String, to: String): Boolean = {
    val source = new Path(from)
    val target = new Path(to)
    val sourceFs = fileSystem(source)
    val scheme = sourceFs.getUri.getScheme
    val inOneStep = HadoopFileStore.renames(scheme) && sourceFs.getUri == fileSystem(target).getUri
    if (inOneStep) {
      sourceFs.mkdirs(target.getParent)
      FileContext
        .getFileContext(source.toUri, conf.value)
        .rename(source, target, Options.Rename.NONE)
    }
    inOneStep
  }

  private def fileSystem(p: Path): FileSystem =
    try conf.fileSystem(p)
    catch {
      case e: org.apache.hadoop.fs.UnsupportedFileSystemException =>
        val scheme = TablePath.scheme(p.toString).getOrElse("none")
        throw new UnsupportedFeatureException(
          s"paths of the scheme $scheme, for which Hadoop has no file system configured",
          Place(path = Some(p.toString)),
          e
        )
    }
}

private[hadoop] object HadoopFileStore {
  private val standIns = Collections.synchronizedMap(new WeakHashMap[FileSystem, AnyRef])

  /** Returns an object that identifies a client and can be cached without keeping the client in
    * memory.
    */
  def standIn(fs: FileSystem): AnyRef = standIns.computeIfAbsent(fs, _ => new Object)

  /** Whether a client lists all files below a folder with few requests, as S3A does. Others inherit
    * a method that lists folder by folder.
    */
  def listsRecursively(fs: FileSystem): Boolean =
    fs.getClass
      .getMethod("listFiles", classOf[Path], java.lang.Boolean.TYPE)
      .getDeclaringClass != classOf[FileSystem]

  /** Whether renames are atomic. */
  def renames(scheme: String): Boolean =
    Set("hdfs", "viewfs", "webhdfs", "ofs", "o3fs", "file")(scheme)

  /** Whether several threads can read a stream in parallel. Clients of object stores serialize such
    * reads.
    */
  def sharesStreams(scheme: String): Boolean =
    Set("hdfs", "viewfs", "webhdfs", "ofs", "o3fs", "file")(scheme)

  /** Whether a bucket is an S3 Express bucket, whose listings are unordered. */
  def isExpress(bucket: String): Boolean = bucket != null && bucket.endsWith("--x-s3")

  /** Whether files are created with a flag that syncs their blocks on all replicas. */
  private def syncsBlocks(scheme: String): Boolean = Set("hdfs", "webhdfs", "viewfs")(scheme)

  /** Whether files must be synced to be durable. Object stores confirm an object only when it is
    * durable.
    */
  private def needsSync(scheme: String): Boolean = renames(scheme)

  /** Creates a file whose blocks are durable once [[finish]] returns. HDFS syncs each block on its
    * data nodes when the block is complete. An `hsync` would sync the last block only.
    *
    * @param overwrite whether an existing file is replaced
    */
  def create(fs: FileSystem, p: Path, overwrite: Boolean): FSDataOutputStream =
    if (syncsBlocks(fs.getUri.getScheme)) {
      val flags = EnumSet.of(CreateFlag.CREATE, CreateFlag.SYNC_BLOCK)
      if (overwrite) flags.add(CreateFlag.OVERWRITE)
      // The permission before the umask is kept, to which a default ACL of the folder applies
      // instead.
      val permission =
        FsCreateModes.applyUMask(FsPermission.getFileDefault, FsPermission.getUMask(fs.getConf))
      val bufferBytes = fs.getConf.getInt("io.file.buffer.size", 4096)
      fs.create(
        p,
        permission,
        flags,
        bufferBytes,
        fs.getDefaultReplication(p),
        fs.getDefaultBlockSize(p),
        null
      )
    } else fs.create(p, overwrite)

  /** Closes a file that [[create]] returned. Views of other file systems may drop the flag, and
    * Ozone does not support it, so the last block is synced here, too.
    */
  def finish(fs: FileSystem, out: FSDataOutputStream): Unit = {
    val scheme = fs.getUri.getScheme
    if (needsSync(scheme) && scheme != "hdfs" && out.hasCapability(StreamCapabilities.HSYNC))
      out.hsync()
    out.close()
  }
}
