// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import scala.jdk.CollectionConverters._

import com.google.protobuf.{CodedInputStream, WireFormat}

import io.github.pysparklance.core.{CorruptFileException, Printable}
import io.github.pysparklance.file.metadata.FieldMessages
import io.github.pysparklance.table.proto

/** What a manifest may take of the memory and time of its readers. Tables stay far below these limits; a file beyond them
  * is damaged, or was made to stop its readers.
  */
private[table] object ManifestLimits {

  /** Characters of one setting, at most, of the table, its schema, or a field. */
  val MaxSettingLength: Int = 16 << 20

  /** Parts of the heap that one message of a manifest may take in its file. In memory it takes several times as much. */
  val HeapShare: Int = 8

  /** The years 1 to 9999: what the message `Timestamp` is defined for, in seconds since 1970. */
  private val firstSecond = -62135596800L
  private val lastSecond = 253402300799L

  /** Checks the length of a message before it is read.
    *
    * @throws CorruptFileException when reading it would take too much of the heap
    */
  def checkMessage(bytes: Long): Unit = {
    val heap = Runtime.getRuntime.maxMemory
    CorruptFileException.check(
      bytes <= heap / HeapShare,
      s"corrupt manifest: a message of $bytes bytes, more than 1/$HeapShare of the heap of $heap bytes; if the table is " +
        "really so large, give the driver more memory (spark.driver.memory)"
    )
  }

  /** Counts the entries of a manifest before it is parsed: two bytes in a file can become a fragment or field of some
    * hundred bytes in memory.
    *
    * @throws CorruptFileException when there are too many for the heap, or more than [[FieldMessages.MaxFields]] fields
    */
  def checkEntries(message: Array[Byte]): Unit = {
    val in = CodedInputStream.newInstance(message)
    var fields = 0L
    var entries = 0L
    var tag = in.readTag()
    while (tag != 0) {
      entries += 1
      if (WireFormat.getTagFieldNumber(tag) == proto.Manifest.FIELDS_FIELD_NUMBER) fields += 1
      in.skipField(tag)
      tag = in.readTag()
    }
    FieldMessages.checkCount(fields)
    val heap = Runtime.getRuntime.maxMemory
    CorruptFileException.check(
      entries <= heap / bytesOfEntry,
      s"corrupt manifest: $entries entries, too many for a heap of $heap bytes; if the table is really so large, give " +
        "the driver more memory (spark.driver.memory)"
    )
  }

  /** Heap for each fragment, field, or setting of a manifest, at least. */
  private val bytesOfEntry = 1024L

  /** @throws CorruptFileException that names the first limit that a manifest exceeds */
  def check(m: proto.Manifest): Unit = {
    FieldMessages.checkCount(m.getFieldsCount.toLong)
    val seconds = m.getTimestamp.getSeconds
    CorruptFileException.check(
      seconds >= firstSecond && seconds <= lastSecond,
      s"corrupt manifest: its time is $seconds seconds after 1970, outside of the years 1 to 9999"
    )
    m.getConfigList.forEach(e => checkSetting("config", e.getKey, e.getValue.length))
    m.getTableMetadataList.forEach(e =>
      checkSetting("table metadata", e.getKey, e.getValue.length)
    )
    m.getSchemaMetadataList.forEach(e =>
      checkSetting("schema metadata", e.getKey, e.getValue.size)
    )
    for (f <- m.getFieldsList.asScala if f.getMetadataCount > 0)
      f.getMetadataList.forEach(e => checkSetting("field metadata", e.getKey, e.getValue.size))
  }

  private def checkSetting(kind: String, key: String, length: Int): Unit =
    CorruptFileException.check(
      key.length <= MaxSettingLength && length <= MaxSettingLength,
      s"corrupt manifest: the entry ${Printable.line(key.take(100))} of its $kind has $length characters, more than " +
        s"$MaxSettingLength"
    )
}
