// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.metadata

import java.util

import com.google.protobuf.ByteString

import io.github.pysparklance.file.proto.{BytesEntry, TextEntry}

/** Converts between maps and their entries in messages, see `BytesEntry` in file.proto. If a key
  * occurs several times, the last entry counts, as in a map field.
  */
private[pysparklance] object MapEntries {

  /** Reads a string map. */
  def texts(entries: util.List[TextEntry]): Map[String, String] = {
    val map = Map.newBuilder[String, String]
    entries.forEach(e => map += e.getKey -> e.getValue)
    map.result()
  }

  /** Reads a map of bytes. */
  def bytes(entries: util.List[BytesEntry]): Map[String, ByteString] = {
    val map = Map.newBuilder[String, ByteString]
    entries.forEach(e => map += e.getKey -> e.getValue)
    map.result()
  }

  /** Writes a string map. */
  def ofTexts(map: Iterable[(String, String)]): util.List[TextEntry] = {
    val entries = new util.ArrayList[TextEntry](map.size)
    map.foreach { case (k, v) => entries.add(TextEntry.newBuilder().setKey(k).setValue(v).build()) }
    entries
  }

  /** Writes a string map as a map of UTF-8 bytes. */
  def ofBytes(map: Iterable[(String, String)]): util.List[BytesEntry] = {
    val entries = new util.ArrayList[BytesEntry](map.size)
    map.foreach { case (k, v) =>
      entries.add(BytesEntry.newBuilder().setKey(k).setValue(ByteString.copyFromUtf8(v)).build())
    }
    entries
  }
}
