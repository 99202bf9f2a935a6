// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.metadata

import io.github.pysparklance.core.{
  Buffer,
  Checked,
  CorruptFileException,
  UnsupportedFeatureException
}

/** The footer of a 2.x data file, with the positions of its tables.
  *
  * {{{
  *    0  u64  columnMetadataStart         A    24  u32  numGlobalBuffers  G
  *    8  u64  columnMetadataOffsetsStart  B    28  u32  numColumns        C
  *   16  u64  globalBufferOffsetsStart    Cg   32  u16  major   34  u16  minor   36  "LANC"
  *
  *    A <= B     B + 16 C = Cg     Cg + 16 G = file size - 40
  * }}}
  *
  * Source: format page of the file container, "Byte map".
  *
  * @param columnMetadataStart position of the metadata of the first column
  * @param columnMetadataOffsetsStart position of the table with one entry per column
  * @param globalBufferOffsetsStart position of the table with one entry per global buffer
  */
final case class Footer(
    columnMetadataStart: Long,
    columnMetadataOffsetsStart: Long,
    globalBufferOffsetsStart: Long,
    numGlobalBuffers: Int,
    numColumns: Int,
    version: FileVersion
) {

  /** Returns the serialized footer, with the version numbers that footers use. */
  def toBytes: Array[Byte] = {
    val bytes = new Array[Byte](Footer.numBytes)
    Buffer.putLong(bytes, 0, columnMetadataStart)
    Buffer.putLong(bytes, 8, columnMetadataOffsetsStart)
    Buffer.putLong(bytes, 16, globalBufferOffsetsStart)
    Buffer.putInt(bytes, 24, numGlobalBuffers)
    Buffer.putInt(bytes, 28, numColumns)
    val (major, minor) = if (version == FileVersion.V2_0) (0, 3) else (version.major, version.minor)
    Buffer.putShort(bytes, 32, major.toShort)
    Buffer.putShort(bytes, 34, minor.toShort)
    Buffer.putInt(bytes, 36, Footer.magic)
    bytes
  }
}

object Footer {
  val numBytes: Int = 40

  /** Size in bytes of a table entry for a column or global buffer: position and length. */
  val tableEntryBytes: Int = 16

  /** Size in bytes of version and magic, with which files of all versions end. */
  private val commonBytes = 8

  /** "LANC" */
  private val magic = 0x434e414c

  /** Reads the file version, which is stored in the same place in all versions.
    *
    * @throws CorruptFileException if the file is not a Lance data file
    * @throws UnsupportedFeatureException for an unknown file version
    */
  def version(tail: Buffer, fileSize: Long): FileVersion = {
    CorruptFileException.check(
      tail.length >= commonBytes,
      s"a data file of $fileSize bytes, too small for a footer"
    )
    val end = tail.length
    CorruptFileException.check(
      tail.i32(end - 4) == magic,
      "not a Lance data file: it does not end with the magic bytes LANC"
    )
    FileVersion.of(tail.u16(end - 8), tail.u16(end - 6))
  }

  /** Reads the footer at the end of `tail`.
    *
    * @param tail the end of the file, or the whole file if it is shorter than a footer
    * @param fileSize size in bytes of the whole file
    * @throws CorruptFileException if the bytes are not a footer or its positions are inconsistent
    * @throws UnsupportedFeatureException for an unknown or unsupported file version
    */
  def parse(tail: Buffer, fileSize: Long): Footer = {
    val version = this.version(tail, fileSize)
    val end = tail.length
    checkBuilt(version)
    CorruptFileException.check(
      tail.length >= numBytes,
      s"a data file of $fileSize bytes, too small for a footer"
    )
    val at = tail.slice(end.toLong - numBytes, numBytes.toLong)
    val numGlobalBuffers = at.u32(24)
    val numColumns = at.u32(28)
    val a = at.u63(0, "position of the column metadata")
    val b = at.u63(8, "position of the column metadata offsets")
    val cg = at.u63(16, "position of the global buffer offsets")
    val footerStart = fileSize - numBytes
    // That writer placed the column table before the file descriptor.
    if (
      version == FileVersion.V2_0 && a < b && b < cg && b - a == numColumns * tableEntryBytes &&
      cg - b != numColumns * tableEntryBytes
    )
      throw new UnsupportedFeatureException(
        "data files of the experimental writer of release 0.10.18, which no later release can read"
      )
    CorruptFileException.check(
      a <= b && b <= cg && cg <= footerStart &&
        cg - b == numColumns * tableEntryBytes && footerStart - cg == numGlobalBuffers * tableEntryBytes,
      s"the footer's positions $a, $b, $cg do not match $numColumns columns and $numGlobalBuffers " +
        s"global buffers before byte $footerStart"
    )
    CorruptFileException.check(
      numGlobalBuffers >= 1,
      "the data file has no global buffers, so it has no schema"
    )
    Footer(
      a,
      b,
      cg,
      Checked.int(numGlobalBuffers, "global buffers"),
      Checked.int(numColumns, "columns"),
      version
    )
  }

  private def checkBuilt(version: FileVersion): Unit = version match {
    case FileVersion.V2_0 | FileVersion.V2_1 | FileVersion.V2_2 | FileVersion.V2_3 => ()
    case FileVersion.V0_1 =>
      throw new UnsupportedFeatureException(s"data files of version $version")
  }
}
