// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import com.google.protobuf.InvalidProtocolBufferException

import io.github.pysparklance.core._
import io.github.pysparklance.file.proto
import io.github.pysparklance.file.spi.FileTail

/** What a legacy data file says of itself.
  *
  * {{{
  *   pages | page table | statistics | dictionaries | M: u32 length, FileManifest | T: u32 length, Metadata
  *   -16  i64 T    -8  i16 major = 0    -6  i16 minor = 0, 1 or 2    -4  "LANC"
  * }}}
  * Little endian, nothing is aligned.
  *
  * Source: message `Metadata`, file_v0_1.proto; format page of the legacy format, "Byte map" and "Metadata message".
  *
  * @param batchOffsets first row of each batch, then the rows of the file; one entry more than batches
  * @param pageTablePosition where the page table begins; the pages lie before it
  */
final private[v0_1] class Metadata private (
    tail: FileTail,
    message: proto.Metadata,
    val batchOffsets: Array[Int],
    val pageTablePosition: Long
) {

  /** Batches: groups of rows that all columns share. */
  def numBatches: Int = batchOffsets.length - 1

  def numRows: Long = batchOffsets(numBatches).toLong

  /** The batch that holds a row of the file. */
  def batchOf(row: Long): Int = {
    val at = java.util.Arrays.binarySearch(batchOffsets, row.toInt)
    if (at < 0) -at - 2
    else {
      var last = at // batches without rows begin at the same row
      while (last < numBatches && batchOffsets(last + 1) == batchOffsets(last)) last += 1
      last
    }
  }

  def statistics: Option[proto.StatisticsMetadata] =
    if (message.hasStatistics) Some(message.getStatistics) else None

  /** The smallest id of the file's fields. A manifest marks ids that other files replaced; the file itself does not.
    *
    * @param fieldIds the `fields` of the manifest's `DataFile`
    */
  def minId(fieldIds: IndexedSeq[Int]): Int = {
    val inFile =
      if (fieldIds.forall(_ >= 0)) fieldIds
      else fields.fold(fieldIds.filter(_ >= 0))(_.map(_.getId))
    inFile.reduceOption(_ min _).getOrElse(0)
  }

  /** The fields of the schema that the file itself holds, flat; none when it holds none. */
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

  /** Bytes of the position, the version and the magic at the end of a file. */
  val footerBytes: Int = 16

  /** Far more than any file needs; a larger length is damage. */
  private val maxSectionBytes = 64L << 20

  /** Reads the metadata, as a rule from the tail alone.
    *
    * @throws CorruptFileException when they contradict the format
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
        s"metadata of ${bytes.length} bytes that do not end at the footer"
      )
      val message = parsed("metadata")(proto.Metadata.parseFrom(bytes.toByteBuffer))
      val pageTable = message.getPageTablePosition
      CorruptFileException.check(
        pageTable >= 0 && pageTable <= position,
        s"the page table is at $pageTable, the metadata behind it at $position"
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
        s"batch $i begins at row ${offsets(i)}, before the one before it"
      )
      i += 1
    }
    CorruptFileException.check(offsets(0) == 0, s"the first batch begins at row ${offsets(0)}")
    offsets
  }

  /** The bytes of a message behind its length. */
  private def section(tail: FileTail, position: Long, what: String): Buffer = tail.in(position) {
    val end = tail.fileSize - footerBytes
    CorruptFileException.check(
      position >= 0 && position <= end - 4,
      s"the $what is at $position of a file of ${tail.fileSize} bytes"
    )
    val length = tail.read(IndexedSeq(ByteRange(position, 4))).head.u32(0)
    CorruptFileException.check(
      length <= end - 4 - position && length <= maxSectionBytes,
      s"a $what of $length bytes at $position of a file of ${tail.fileSize} bytes"
    )
    tail.read(IndexedSeq(ByteRange(position + 4, length))).head
  }

  private def parsed[A](what: String)(parse: => A): A =
    try parse
    catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException(s"a $what that is no protobuf: ${e.getMessage}", cause = e)
    }
}
