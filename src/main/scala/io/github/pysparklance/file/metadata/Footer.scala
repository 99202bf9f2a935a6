// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.metadata

import io.github.pysparklance.core.{
  Buffer,
  Checked,
  CorruptFileException,
  UnsupportedFeatureException
}

/** The last bytes of a 2.x data file: where its tables are.
  *
  * {{{
  *   0  u64  columnMetadataStart         A    24  u32  numGlobalBuffers  G
  *   8  u64  columnMetadataOffsetsStart  B    28  u32  numColumns        C
  *  16  u64  globalBufferOffsetsStart    Cg   32  u16  major   34  u16  minor   36  "LANC"
  *
  *   A <= B     B + 16 C = Cg     Cg + 16 G = file size - 40
  * }}}
  *
  * Source: format page of the file container, "Byte map".
  *
  * @param columnMetadataStart position of the first column's metadata
  * @param columnMetadataOffsetsStart position of the table with one entry a column
  * @param globalBufferOffsetsStart position of the table with one entry a global buffer
  */
final case class Footer(
    columnMetadataStart: Long,
    columnMetadataOffsetsStart: Long,
    globalBufferOffsetsStart: Long,
    numGlobalBuffers: Int,
    numColumns: Int,
    version: FileVersion
) {

  /** The footer as it stands in the file; numbers of the version are those of the footer. */
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

  /** Bytes of an entry in the tables of columns and of global buffers: position and length. */
  val tableEntryBytes: Int = 16

  /** Version and magic, which files of all versions end in. */
  private val commonBytes = 8

  /** "LANC" */
  private val magic = 0x434e414c

  /** The version of the file, which the end of all data files tells alike.
    *
    * @throws CorruptFileException when it is no Lance data file
    * @throws UnsupportedFeatureException for a file version that is unknown
    */
  def version(tail: Buffer, fileSize: Long): FileVersion = {
    CorruptFileException.check(
      tail.length >= commonBytes,
      s"a data file of $fileSize bytes, too small for a footer"
    )
    val end = tail.length
    CorruptFileException.check(
      tail.i32(end - 4) == magic,
      "no Lance data file: it does not end in the magic LANC"
    )
    FileVersion.of(tail.u16(end - 8), tail.u16(end - 6))
  }

  /** Reads the footer at the end of `tail`.
    *
    * @param tail the end of the file, all of it when it is shorter than a footer
    * @param fileSize bytes of the whole file
    * @throws CorruptFileException when these bytes are no footer or its positions contradict one another
    * @throws UnsupportedFeatureException for a file version that is unknown or not built
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
    // there the columns' table comes first, and the file descriptor behind it
    if (
      version == FileVersion.V2_0 && a < b && b < cg && b - a == numColumns * tableEntryBytes &&
      cg - b != numColumns * tableEntryBytes
    )
      throw new UnsupportedFeatureException(
        "data files of the experimental writer of release 0.10.18, which no later release reads"
      )
    CorruptFileException.check(
      a <= b && b <= cg && cg <= footerStart &&
        cg - b == numColumns * tableEntryBytes && footerStart - cg == numGlobalBuffers * tableEntryBytes,
      s"the footer's positions $a, $b, $cg do not fit $numColumns columns and $numGlobalBuffers " +
        s"global buffers before byte $footerStart"
    )
    CorruptFileException.check(
      numGlobalBuffers >= 1,
      "a data file without global buffers, so without a schema"
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
