// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.io.{FileNotFoundException, IOException, RandomAccessFile}
import java.net.URI
import java.nio.file.{Files, NoSuchFileException, Path => LocalPath, Paths}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import java.util.concurrent.locks.LockSupport

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/** A request that a [[SlowFileSystem]] completed.
  *
  * @param path the file or folder
  * @param offset position of the read; -1 if no bytes were read
  * @param begun start of the request, in nanoseconds of the store's clock
  * @param ended time of the last byte
  */
final case class SlowRequest(path: String, offset: Long, bytes: Long, begun: Long, ended: Long)

object SlowRequest {

  /** Returns the length of the longest chain of sequential requests: each one started after
    * the previous one had ended.
    */
  def rounds(requests: Iterable[SlowRequest]): Int =
    requests.toSeq.sortBy(_.ended).foldLeft((0, Long.MinValue)) { case ((n, end), r) =>
      if (r.begun >= end) (n + 1, r.ended) else (n, end)
    }._1
}

/** The timing of a remote store: each request has a latency, and all requests share the bandwidth.
  *
  * @param latencyNanos time until the first byte
  * @param bytesPerSecond bandwidth in bytes per second
  */
abstract class SlowStore(val latencyNanos: Long, val bytesPerSecond: Long) {
  private val answered = mutable.ArrayBuffer.empty[SlowRequest]
  private var lineFree = Long.MinValue
  private var begunCount = 0
  private var askedBytes = 0L

  /** Fails chosen requests. */
  @volatile var fault: (String, Long) => Unit = (_, _) => ()

  /** The store's clock, in nanoseconds. */
  protected def now: Long

  /** Waits until that time. Called without a lock. */
  protected def waitUntil(nanos: Long): Unit

  /** Waits for the duration of a request. */
  final def request(path: String, offset: Long, bytes: Long): Unit = {
    val (begun, end) = synchronized {
      val t = now
      lineFree = math.max(lineFree, t + latencyNanos) + nanosOf(bytes)
      begunCount += 1
      askedBytes += bytes
      (t, lineFree)
    }
    waitUntil(end)
    synchronized(answered += SlowRequest(path, offset, bytes, begun, end))
    fault(path, offset)
  }

  /** Nanoseconds to transfer a number of bytes. */
  final def nanosOf(bytes: Long): Long = (bytes.toDouble * 1e9 / bytesPerSecond).toLong

  /** The requests completed so far. */
  final def requests: IndexedSeq[SlowRequest] = synchronized(answered.toIndexedSeq)

  /** Number of started requests. */
  final def numBegun: Int = synchronized(begunCount)

  /** Number of requested bytes. */
  final def bytesAsked: Long = synchronized(askedBytes)

  /** Forgets the earlier requests. */
  final def reset(): Unit = synchronized {
    answered.clear()
    begunCount = 0
    askedBytes = 0
  }
}

/** A profile in real time. */
final class ThrottledStore(latencyMillis: Long, bytesPerSecond: Long)
    extends SlowStore(latencyMillis * 1000000L, bytesPerSecond) {
  protected def now: Long = System.nanoTime()

  protected def waitUntil(nanos: Long): Unit = {
    var left = nanos - System.nanoTime()
    while (left > 0) {
      LockSupport.parkNanos(left)
      left = nanos - System.nanoTime()
    }
  }
}

/** Read-only local files with the timing of a remote store: a request for each status, listing, and
  * read of a range. Opening a file makes no request. As in clients of object stores, concurrent
  * reads of a stream wait for each other, and are counted.
  *
  * Replaces the client of S3: `fs.s3a.impl` names this class.
  */
final class SlowFileSystem extends FileSystem {
  import SlowFileSystem._

  private var uri: URI = _

  override def initialize(name: URI, conf: Configuration): Unit = {
    super.initialize(name, conf)
    setConf(conf)
    uri = URI.create(s"${name.getScheme}://${name.getAuthority}")
  }

  override def getScheme: String = "s3a"

  override def getUri: URI = uri

  private def local(p: Path): LocalPath = Paths.get(p.toUri.getPath)

  override def open(p: Path, bufferSize: Int): FSDataInputStream = {
    openStreams.incrementAndGet()
    new FSDataInputStream(new SlowStream(local(p).toString))
  }

  override def getFileStatus(p: Path): FileStatus = {
    store.request(local(p).toString, -1, 0)
    status(local(p))
  }

  override def listStatus(p: Path): Array[FileStatus] = {
    store.request(local(p).toString, -1, 0)
    if (!Files.isDirectory(local(p))) throw new FileNotFoundException(p.toString)
    val names = Files.list(local(p))
    try names.iterator.asScala.toArray.sortBy(_.toString).map(status)
    finally names.close()
  }

  private def status(file: LocalPath): FileStatus = {
    val path = makeQualified(new Path(file.toString))
    try
      if (Files.isDirectory(file)) new FileStatus(0, true, 1, 0, 0, path)
      else
        new FileStatus(
          Files.size(file),
          false,
          1,
          64L << 20,
          Files.getLastModifiedTime(file).toMillis,
          path
        )
    catch { case _: NoSuchFileException => throw new FileNotFoundException(path.toString) }
  }

  override def setWorkingDirectory(p: Path): Unit = ()
  override def getWorkingDirectory: Path = new Path(uri.toString + "/")
  override def create(
      p: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = readOnly()
  override def append(p: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream =
    readOnly()
  override def rename(from: Path, to: Path): Boolean = readOnly()
  override def delete(p: Path, recursive: Boolean): Boolean = readOnly()
  override def mkdirs(p: Path, permission: FsPermission): Boolean = readOnly()

  private def readOnly(): Nothing = throw new IOException("to be read only")
}

object SlowFileSystem {

  /** The timing of requests in this process. */
  @volatile var store: SlowStore = new ThrottledStore(30, 100000000L)

  /** Number of open streams. */
  val openStreams = new AtomicInteger

  /** Number of reads that waited for another read of the same stream. */
  val meetings = new AtomicInteger

  /** Configuration with this class as the client of S3. */
  def configure(conf: Configuration): Configuration = {
    conf.set("fs.s3a.impl", classOf[SlowFileSystem].getName)
    conf
  }

  /** Returns the URI of a local file in this file system. */
  def path(local: String): String = s"s3a://bucket$local"

  final private class SlowStream(file: String) extends FSInputStream {
    private val isReading = new AtomicBoolean
    private val isOpen = new AtomicBoolean(true)

    override def readFully(
        position: Long,
        out: Array[Byte],
        at: Int,
        length: Int
    ): Unit = {
      if (!isReading.compareAndSet(false, true)) meetings.incrementAndGet()
      try {
        if (!Files.exists(Paths.get(file))) throw new FileNotFoundException(file)
        store.request(file, position, length.toLong)
        val in = new RandomAccessFile(file, "r")
        try {
          in.seek(position)
          in.readFully(out, at, length)
        } finally in.close()
      } finally isReading.set(false)
    }

    override def seek(position: Long): Unit = ()
    override def getPos: Long = 0L
    override def seekToNewSource(target: Long): Boolean = false
    override def read(): Int = throw new IOException("reads of ranges only")

    override def close(): Unit =
      if (isOpen.compareAndSet(true, false)) openStreams.decrementAndGet(): Unit
  }
}
