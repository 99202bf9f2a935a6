// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage

import java.io.IOException
import java.lang.ref.Reference
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.locks.ReentrantLock

import io.github.pysparklance.core.{LanceException, Log}
import io.github.pysparklance.storage.hadoop.{HadoopConf, VendedProperties}
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

/** The storage of a table whose catalog returns storage options that expire. Renews them before
  * they expire, on the driver and in tasks:
  *
  * {{{
  *   received                                    renewed            expire
  *   |-------------------------------------------|------------------|
  *                                                a quarter of the time, at most 5 minutes
  * }}}
  * If the catalog does not return new options in time, the current ones are used until they expire.
  * Open files continue with the new options. A file that is being written keeps the options that it
  * was created with.
  *
  * Each set of options has file system clients of its own, and applies to the storage of the table
  * only, see [[VendedProperties]].
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
  import VendedStorage._

  @volatile private var held = received(first, vendor.clock.millis())
  @transient @volatile private var open: Opened = _
  @transient private lazy val renewing = new ReentrantLock

  /** Whether the options must be renewed before the next use. */
  def isStale: Boolean = vendor.clock.millis() >= held.renewAtMillis

  /** Replaces the current options with options of a later response of the catalog, if the current
    * ones are stale, or never expire and changed.
    */
  def offer(options: VendedOptions): Unit = exclusively {
    val isOther = held.options.expiresAtMillis.isEmpty && !held.options.isLike(options)
    if (isStale || isOther) held = received(options, vendor.clock.millis())
  }

  private def current(): Opened = {
    val known = open
    val isCurrent = known != null && (known.options eq held.options)
    if (isCurrent && !isStale) known
    else if (isCurrent && !hasExpired(known.options)) {
      // One thread renews the options. The others use the current ones meanwhile.
      if (renewing.tryLock())
        try renewed()
        finally renewing.unlock()
      else known
    } else exclusively(renewed())
  }

  private def exclusively[A](change: => A): A = {
    renewing.lock()
    try change
    finally renewing.unlock()
  }

  private def renewed(): Opened = {
    if (isStale) held = next()
    if (open == null || !(open.options eq held.options)) open = opened(held.options)
    open
  }

  private def next(): Held =
    try received(vendor.vend(), vendor.clock.millis())
    catch {
      case e @ (_: IOException | _: LanceException) if !hasExpired(held.options) =>
        log.warn(s"$path: the catalog did not renew the credentials; the current ones are used", e)
        held.copy(renewAtMillis = vendor.clock.millis() + retryMillis)
    }

  private def hasExpired(options: VendedOptions): Boolean =
    options.expiresAtMillis.exists(_ <= vendor.clock.millis())

  private def opened(options: VendedOptions): Opened =
    new Opened(options, Storage(base.vended(VendedProperties(path, options.values))))

  protected def using[A](run: FileStore => A): A = {
    val opened = current()
    try run(opened.store)
    finally Reference.reachabilityFence(opened)
  }

  override def open(path: String): RangeReader = {
    val opened = current()
    val reader = opened.store.open(path)
    new Reader(reader, opened)
  }

  override def open(path: String, sizeBytes: Long): RangeReader = {
    val opened = current()
    new Reader(opened.store.open(path, sizeBytes), opened)
  }

  override def create(path: String): OutputFile = {
    val opened = current()
    new Output(opened.store.create(path), opened)
  }

  override def listInOrder(folder: String): Iterator[FileEntry] = {
    val opened = current()
    keeping(opened)(opened.store.listInOrder(folder))
  }

  override def listFiles(folder: String): Iterator[FoundFile] = {
    val opened = current()
    keeping(opened)(opened.store.listFiles(folder))
  }

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

    protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit =
      reader().readInto(offset, out, outAt, length)

    private def reader(): RangeReader = {
      val latest = current()
      if (now._1 eq latest) now._2
      else
        synchronized {
          if (!(now._1 eq latest)) {
            if (isClosed) throw new IOException(s"$path: the file is closed")
            val again = latest.store.open(path, size)
            earlier.add(now._2): Unit
            now = (latest, again)
          }
          now._2
        }
    }

    def close(): Unit = synchronized {
      isClosed = true
      earlier.forEach(_.close())
      now._2.close()
    }
  }
}

private object VendedStorage {
  private val log = Log(classOf[VendedStorage])

  private val maxMarginMillis = 5 * 60 * 1000L
  private val marginOfLifetime = 4

  /** Pause before another renewal if one failed, or if options have expired when they arrive. */
  private val retryMillis = 1000L

  /** Storage options and the time to renew them. */
  final private case class Held(options: VendedOptions, renewAtMillis: Long)

  /** @param at when the options arrived */
  private def received(options: VendedOptions, at: Long): Held = Held(
    options,
    options.expiresAtMillis.fold(Long.MaxValue) { expiry =>
      // Options that have expired on arrival may come from a clock that is behind.
      if (expiry <= at) at + retryMillis
      else expiry - math.min(maxMarginMillis, (expiry - at) / marginOfLifetime)
    }
  )

  /** The store of one set of options. Its clients are closed when it is no longer reachable. */
  final private class Opened(val options: VendedOptions, val store: FileStore)

  private def keeping[A](opened: Opened)(entries: Iterator[A]): Iterator[A] = entries.map { e =>
    Reference.reachabilityFence(opened)
    e
  }

  /** Keeps the clients open while the file is written. */
  final private class Output(inner: OutputFile, opened: Opened) extends OutputFile {
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
