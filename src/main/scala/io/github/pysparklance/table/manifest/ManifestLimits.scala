// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import scala.jdk.CollectionConverters._

import com.google.protobuf.Descriptors.Descriptor
import com.google.protobuf.{ByteString, UnsafeByteOperations}

import io.github.pysparklance.core.{
  Buffer,
  CorruptFileException,
  Optional,
  Printable,
  UnsupportedFeatureException,
  Values
}
import io.github.pysparklance.file.metadata.{FieldMessages, MessageHeap}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.proto

/** Limits on the memory and time that reading a manifest may take. Tables stay far below the limits
  * of their parts. A larger part is damaged or malicious. The size of the whole manifest is limited
  * by the heap.
  */
private[table] object ManifestLimits {

  /** Maximum characters of one configuration or metadata value of the table, its schema, or a
    * field.
    */
  val MaxPropertyLength: Int = 16 << 20

  /** A manifest message may have at most this fraction of the heap: 1/8. In memory it takes several
    * times its size.
    */
  val HeapShare: Int = 8

  /** The years 1 to 9999, for which the message `Timestamp` is defined, in seconds since 1970. */
  private val firstSecond = -62135596800L
  private val lastSecond = 253402300799L

  /** Checks the length of a message, which is within its file, before it is read.
    *
    * @param what names the message in the error
    * @throws UnsupportedFeatureException if reading it would take too much of the heap
    */
  def checkMessage(bytes: Long, what: String = "manifest"): Unit = {
    val heap = Runtime.getRuntime.maxMemory
    if (bytes > Values.maxArrayLength)
      throw new UnsupportedFeatureException(s"a $what of $bytes bytes, more than 2 GiB")
    if (bytes > heap / HeapShare)
      tooLarge(
        s"a $what of $bytes bytes, more than 1/$HeapShare of the heap of $heap bytes",
        Math.multiplyExact(bytes, HeapShare.toLong)
      )
  }

  private def tooLarge(problem: String, neededHeap: Long): Nothing = {
    val gib = 1L << 30
    throw new UnsupportedFeatureException(
      s"$problem; increase spark.driver.memory (for tasks, spark.executor.memory) to at least " +
        s"${(neededHeap + gib - 1) / gib} GiB, and merge small fragments with OPTIMIZE, so that the " +
        "manifest becomes smaller"
    )
  }

  /** Returns the number of versions to read in parallel. All their manifests together may be as
    * large as a single one. If no size is known, gets the size of the latest version.
    */
  def readersOf(
      store: FileStore,
      root: TablePath,
      locations: IndexedSeq[ManifestLocation]
  ): Int = {
    def latest = Optional.unless(locations.isEmpty)(locations.maxBy(_.version))
    val known = locations.flatMap(_.sizeBytes)
    val sizes =
      if (known.nonEmpty) known
      else latest.flatMap(l => store.status(l.path)).map(_.sizeBytes).toIndexedSeq
    val budget = Runtime.getRuntime.maxMemory / HeapShare / sizes.foldLeft(1L)(_ max _)
    math.max(1L, math.min(store.profile(root.root).filesInParallel.toLong, budget)).toInt
  }

  /** Counts the entries of a manifest before it is parsed, because two bytes in the file can become
    * a fragment, data file, or field of several hundred bytes in memory.
    *
    * @throws CorruptFileException if there are more than [[FieldMessages.MaxFields]] fields
    * @throws UnsupportedFeatureException if there are too many entries for the heap
    */
  def checkEntries(message: Buffer): Unit = {
    checkMessage(message.length.toLong)
    val bytes = UnsafeByteOperations.unsafeWrap(message.array, message.offset, message.length)
    val heap = MessageHeap.of(bytes, proto.Manifest.getDescriptor, bytesOfEntry)
    FieldMessages.checkCount(heap.numOf(proto.Manifest.FIELDS_FIELD_NUMBER))
    checkHeap(heap, "manifest", "fragments, fields, and properties")
  }

  /** Counts the entries of another message before it is parsed.
    *
    * @param what names the message in the error
    * @throws UnsupportedFeatureException if there are too many entries for the heap
    */
  def checkEntries(message: ByteString, kind: Descriptor, what: String): Unit =
    checkHeap(MessageHeap.of(message, kind, bytesOfEntry), what, "entries")

  private def checkHeap(found: MessageHeap, what: String, entries: String): Unit = {
    val heap = Runtime.getRuntime.maxMemory
    if (found.bytes > heap)
      tooLarge(
        s"a $what of ${found.numEntries} $entries, too many for a heap of $heap bytes",
        found.bytes
      )
  }

  /** Minimum heap per fragment, field, or configuration entry of a manifest. */
  private val bytesOfEntry = 1024L

  /** @throws CorruptFileException with the first limit that a manifest exceeds */
  def check(m: proto.Manifest): Unit = {
    FieldMessages.checkCount(m.getFieldsCount.toLong)
    val seconds = m.getTimestamp.getSeconds
    CorruptFileException.check(
      seconds >= firstSecond && seconds <= lastSecond,
      s"corrupt manifest: its time of $seconds seconds after 1970 is outside of the years 1 to 9999"
    )
    m.getConfigList.forEach(e => checkProperty("config", e.getKey, e.getValue.length))
    m.getTableMetadataList.forEach(e =>
      checkProperty("table metadata", e.getKey, e.getValue.length)
    )
    m.getSchemaMetadataList.forEach(e =>
      checkProperty("schema metadata", e.getKey, e.getValue.size)
    )
    for (f <- m.getFieldsList.asScala if f.getMetadataCount > 0)
      f.getMetadataList.forEach(e => checkProperty("field metadata", e.getKey, e.getValue.size))
  }

  private def checkProperty(kind: String, key: String, length: Int): Unit =
    CorruptFileException.check(
      key.length <= MaxPropertyLength && length <= MaxPropertyLength,
      s"corrupt manifest: the entry ${Printable.line(key.take(100))} of its $kind has $length characters, more than " +
        s"$MaxPropertyLength"
    )
}
