// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import com.google.protobuf.InvalidProtocolBufferException

import io.github.pysparklance.core._
import io.github.pysparklance.file.proto
import io.github.pysparklance.file.spi.FileTail

/** The metadata of a legacy data file.
  *
  * {{{
  *   pages | page table | statistics | dictionaries | M: u32 length, FileManifest | T: u32 length, Metadata
  *   -16  i64 T    -8  i16 major = 0    -6  i16 minor = 0, 1 or 2    -4  "LANC"
  * }}}
  * Little-endian, without alignment.
  *
  * Source: message `Metadata`, file_v0_1.proto; format page of the legacy format, "Byte map" and
  * "Metadata message".
  *
  * @param batchOffsets first row of each batch, followed by the number of rows of the file
  * @param pageTablePosition position of the page table, which is also the end of the pages
  */
final private[v0_1] class Metadata private (
    tail: FileTail,
    message: proto.Metadata,
    val batchOffsets: Array[Int],
    val pageTablePosition: Long
) {

  /** Number of batches, which are groups of rows shared by all columns. */
  def numBatches: Int = batchOffsets.length - 1

  def numRows: Long = batchOffsets(numBatches).toLong

  /** Returns the batch that contains a row of the file. */
  def batchOf(row: Long): Int = {
    val at = java.util.Arrays.binarySearch(batchOffsets, row.toInt)
    if (at < 0) -at - 2
    else {
      var last = at // empty batches start at the same row
      while (last < numBatches && batchOffsets(last + 1) == batchOffsets(last)) last += 1
      last
    }
  }

  def statistics: Option[proto.StatisticsMetadata] =
    if (message.hasStatistics) Some(message.getStatistics) else None

  /** Returns the smallest field id of the file. A manifest replaces ids of columns that were moved
    * to other files by a marker, but the file itself does not.
    *
    * @param fieldIds the `fields` of the manifest's `DataFile`
    */
  def minId(fieldIds: IndexedSeq[Int]): Int = {
    val inFile =
      if (fieldIds.forall(_ >= 0)) fieldIds
      else fields.fold(fieldIds.filter(_ >= 0))(_.map(_.getId))
    inFile.reduceOption(_ min _).getOrElse(0)
  }

  /** The flat list of fields in the schema of the file; none if the file has no schema. */
  lazy val fields: Option[IndexedSeq[proto.Field]] =
    if (message.getManifestPosition == 0) None
    else {
      val position = message.getManifestPosition
      val manifest = Metadata.section(tail, position, "manifest")
      tail.in(position) {
        val parsed = Metadata.parsed("manifest")(
          proto.FileManifest.parseFrom(manifest.toByteBuffer)
        )
        Some((0 until parsed.getFieldsCount).map(parsed.getFields(_)))
      }
    }
}

private[v0_1] object Metadata {

  /** Size in bytes of the position, version, and magic at the end of a file. */
  val footerBytes: Int = 16

  /** Far more than any file needs, so a larger length means corruption. */
  private val maxSectionBytes = 64L << 20

  /** Reads the metadata, usually from the tail alone.
    *
    * @throws CorruptFileException if the metadata violates the format
    */
  def read(tail: FileTail): Metadata = {
    CorruptFileException.check(
      tail.bytes.length >= footerBytes,
      s"a data file of ${tail.fileSize} bytes, too small for a footer"
    )
    val position = tail.bytes.u63(tail.bytes.length - footerBytes, "position of the metadata")
    val bytes = section(tail, position, "metadata")
    tail.in(position) {
      CorruptFileException.check(
        position + 4 + bytes.length == tail.fileSize - footerBytes,
        s"the metadata of ${bytes.length} bytes does not end at the footer"
      )
      val message = parsed("metadata")(proto.Metadata.parseFrom(bytes.toByteBuffer))
      val pageTable = message.getPageTablePosition
      CorruptFileException.check(
        pageTable >= 0 && pageTable <= position,
        s"the page table at $pageTable is not before the metadata at $position"
      )
      new Metadata(tail, message, batchOffsets(message), pageTable)
    }
  }

  private def batchOffsets(message: proto.Metadata): Array[Int] = {
    val offsets = new Array[Int](math.max(1, message.getBatchOffsetsCount))
    var i = 0
    while (i < message.getBatchOffsetsCount) {
      offsets(i) = message.getBatchOffsets(i)
      CorruptFileException.check(
        offsets(i) >= (if (i == 0) 0 else offsets(i - 1)),
        s"batch $i starts at row ${offsets(i)}, before the start of the previous batch"
      )
      i += 1
    }
    CorruptFileException.check(offsets(0) == 0, s"the first batch starts at row ${offsets(0)}")
    offsets
  }

  /** Reads a message with a length prefix. */
  private def section(tail: FileTail, position: Long, what: String): Buffer = tail.in(position) {
    val end = tail.fileSize - footerBytes
    CorruptFileException.check(
      position >= 0 && position <= end - 4,
      s"the $what at $position exceeds the file of ${tail.fileSize} bytes"
    )
    val length = tail.read(IndexedSeq(ByteRange(position, 4))).head.u32(0)
    CorruptFileException.check(
      length <= end - 4 - position && length <= maxSectionBytes,
      s"the $what of $length bytes at $position exceeds the file of ${tail.fileSize} bytes"
    )
    tail.read(IndexedSeq(ByteRange(position + 4, length))).head
  }

  private def parsed[A](what: String)(parse: => A): A =
    try parse
    catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException(s"invalid protobuf in the $what: ${e.getMessage}", cause = e)
    }
}
