// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage

import java.io.IOException
import java.lang.ref.Reference
import java.util.concurrent.ConcurrentLinkedQueue

import io.github.pysparklance.storage.hadoop.{HadoopConf, ServiceErrors}
import io.github.pysparklance.storage.requests.StorageProfile
import io.github.pysparklance.storage.spi.{
  DelegatingFileStore,
  FileEntry,
  FileStore,
  FoundFile,
  ManifestIndex,
  OutputFile,
  RangeReader,
  StorageVendor,
  VendedOptions
}

/** The storage of a table whose catalog returns storage options. [[VendedAccess]] renews them. If
  * the storage denies an operation, and the catalog returns other options, the operation is
  * repeated. Denied operations have no effect, so this is safe.
  *
  * Open files and listings continue with the new options. A file that is being written keeps the
  * options that it was created with.
  *
  * Each set of options has file system clients of its own, and applies to the storage of the table
  * only, see [[hadoop.VendedProperties]].
  *
  * @param base configuration of the session
  * @param path path of the table
  */
final class VendedStorage(
    base: HadoopConf,
    path: String,
    val vendor: StorageVendor,
    first: VendedOptions
) extends DelegatingFileStore {
  import VendedAccess.Opened
  import VendedStorage._

  private val access = new VendedAccess(base, path, vendor, first)

  /** Whether the options must be renewed before the next use. */
  def isStale: Boolean = access.isStale

  /** Replaces the current options with options of a later response of the catalog, if the current
    * ones are stale, or never expire and changed.
    */
  def offer(options: VendedOptions): Unit = access.offer(options)

  protected def using[A](run: FileStore => A): A = withAccess(opened => run(opened.store))

  private def withAccess[A](run: Opened => A): A = {
    val opened = access.current()
    ifDenied(opened)(run(opened))(run)
  }

  /** Runs an operation, and repeats it with other options if the storage denies it. */
  private def ifDenied[A](opened: Opened)(run: => A)(again: Opened => A): A =
    try run
    catch {
      case e: Exception if ServiceErrors.isDenied(e) =>
        access.afterDenial(opened, e) match {
          case Some(other) =>
            try again(other)
            finally Reference.reachabilityFence(other)
          case None => throw e
        }
    } finally Reference.reachabilityFence(opened)

  override def open(path: String): RangeReader =
    withAccess(opened => new Reader(opened.store.open(path), opened))

  override def open(path: String, sizeBytes: Long): RangeReader =
    withAccess(opened => new Reader(opened.store.open(path, sizeBytes), opened))

  override def create(path: String): OutputFile =
    withAccess(opened => new Output(opened.store.create(path), opened))

  override def listInOrder(folder: String): Iterator[FileEntry] =
    new Listed(_.listInOrder(folder))

  override def listFiles(folder: String): Iterator[FoundFile] = new Listed(_.listFiles(folder))

  override def manifestIndex(root: String): Option[ManifestIndex] =
    vendor.manifestIndex(root).orElse(super.manifestIndex(root))

  /** Reads a file with the current options, also if they are renewed meanwhile. Readers are closed
    * at the end only, because other threads may be using them.
    */
  final private class Reader(first: RangeReader, opened: Opened)
      extends RangeReader(first.path, first.size) {
    private val earlier = new ConcurrentLinkedQueue[RangeReader]
    @volatile private var now = (opened, first)
    private var isClosed = false

    def maxGapBytes: Int = first.maxGapBytes

    override def profile: StorageProfile = first.profile

    override def origin: Option[AnyRef] = first.origin

    protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit = {
      val latest = access.current()
      ifDenied(latest)(reader(latest).readInto(offset, out, outAt, length)) { other =>
        reader(other).readInto(offset, out, outAt, length)
      }
    }

    private def reader(latest: Opened): RangeReader =
      if (now._1 eq latest) now._2
      else
        synchronized {
          if (!(now._1 eq latest)) {
            if (isClosed) throw new IOException(s"${this.path}: the file is closed")
            val again = latest.store.open(this.path, size)
            earlier.add(now._2): Unit
            now = (latest, again)
          }
          now._2
        }

    def close(): Unit = synchronized {
      isClosed = true
      earlier.forEach(_.close())
      now._2.close()
    }
  }

  /** A listing. If the storage denies one of its pages, it starts again with other options, and
    * skips the entries up to the last one that it has returned.
    */
  final private class Listed[A](list: FileStore => Iterator[A]) extends Iterator[A] {
    private var opened = access.current()
    private var last: Option[A] = None
    private var entries = ifDenied(opened)(list(opened.store)) { other =>
      opened = other
      list(other.store)
    }

    def hasNext: Boolean = step(_.hasNext)

    def next(): A = {
      val entry = step(_.next())
      last = Some(entry)
      entry
    }

    private def step[B](take: Iterator[A] => B): B =
      ifDenied(opened)(take(entries)) { other =>
        val again = list(other.store)
        if (!last.forall(entry => again.contains(entry)))
          throw new IOException(s"$path: files changed while they were listed; list them again")
        opened = other
        entries = again
        take(again)
      }
  }
}

private object VendedStorage {

  /** Keeps the clients open while the file is written. */
  final private class Output(inner: OutputFile, opened: VendedAccess.Opened) extends OutputFile {
    def path: String = inner.path
    def position: Long = inner.position
    def write(bytes: Array[Byte], from: Int, length: Int): Unit = inner.write(bytes, from, length)
    def close(): Unit = {
      inner.close()
      Reference.reachabilityFence(opened)
    }
    def abort(): Unit = {
      inner.abort()
      Reference.reachabilityFence(opened)
    }
  }
}
