// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import io.github.pysparklance.core.{Buffer, CorruptFileException}

/** The codes of a partition of an IVF_RQ index, in the order in which they are searched.
  *
  * @param bits one bit for each dimension: byte by byte of all rows
  * @param extended codes of several bits: a byte for each dimension, row by row, with all bits of
  *   the code if there are at most 8, otherwise the lower 8; null for codes of one bit
  * @param errors error factors; null if the file has none
  * @param extendedAdd summands of codes with several bits; null for codes of one bit
  */
final private[quantizer] class RabitCodes(
    val numRows: Int,
    val bits: Array[Byte],
    val add: Array[Float],
    val scale: Array[Float],
    val errors: Array[Float],
    val extended: Array[Byte],
    val extendedAdd: Array[Float],
    val extendedScale: Array[Float]
) extends Codes {
  def sizeInBytes: Long = bits.length + 8L * numRows +
    (if (errors == null) 0L else 4L * numRows) +
    (if (extended == null) 0L else extended.length + 8L * numRows)
}

/** Layouts of RaBitQ codes in files.
  *
  * Source: verified page of indices, "IVF_RQ (RaBitQ) arithmetic".
  */
private[quantizer] object RabitCodes {

  /** Number of rows whose bits are stored together. */
  val groupRows: Int = 32

  /** The row of the lower half of each byte of a group. The upper half belongs to this row + 16. */
  private val order = Array(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)

  /** Returns the bits of a partition column by column.
    *
    * {{{
    *   each 32 rows: for each byte of a row 32 bytes
    *     byte j < 16    low half: low half of row order(j)    high half: low half of row order(j) + 16
    *     byte 16 + j    the same with the high halves
    *   the rest: byte by byte of all these rows
    * }}}
    *
    * @param isPacked whether the bits are stored in this layout; otherwise, row by row
    * @param codeBytes number of bytes of a row
    */
  def unpacked(bytes: Array[Byte], numRows: Int, codeBytes: Int, isPacked: Boolean): Array[Byte] =
    if (!isPacked) ByteMatrix.transposed(bytes, numRows, codeBytes)
    else {
      val out = new Array[Byte](bytes.length)
      val groups = numRows / groupRows
      var group = 0
      while (group < groups) {
        var b = 0
        while (b < codeBytes) {
          val from = (group * codeBytes + b) * groupRows
          val to = b * numRows + group * groupRows
          var j = 0
          while (j < 16) {
            val low = bytes(from + j) & 0xff
            val high = bytes(from + 16 + j) & 0xff
            out(to + order(j)) = (low & 15 | (high & 15) << 4).toByte
            out(to + order(j) + 16) = (low >> 4 | high & 0xf0).toByte
            j += 1
          }
          b += 1
        }
        group += 1
      }
      val packed = groups * groupRows
      val rest = numRows - packed
      var b = 0
      while (b < codeBytes) {
        System.arraycopy(bytes, packed * codeBytes + b * rest, out, b * numRows + packed, rest)
        b += 1
      }
      out
    }

  /** Returns packed codes for codes that are stored row by row. The inverse of [[unpacked]]. */
  def packed(bytes: Array[Byte], numRows: Int, codeBytes: Int): Array[Byte] = {
    val out = new Array[Byte](bytes.length)
    val groups = numRows / groupRows
    var group = 0
    while (group < groups) {
      var b = 0
      while (b < codeBytes) {
        val to = (group * codeBytes + b) * groupRows
        var j = 0
        while (j < 16) {
          val first = bytes((group * groupRows + order(j)) * codeBytes + b) & 0xff
          val second = bytes((group * groupRows + order(j) + 16) * codeBytes + b) & 0xff
          out(to + j) = (first & 15 | (second & 15) << 4).toByte
          out(to + 16 + j) = (first >> 4 | second & 0xf0).toByte
          j += 1
        }
        b += 1
      }
      group += 1
    }
    val packed = groups * groupRows
    val rest = numRows - packed
    var i = 0
    while (i < rest) {
      var b = 0
      while (b < codeBytes) {
        out(packed * codeBytes + b * rest + i) = bytes((packed + i) * codeBytes + b)
        b += 1
      }
      i += 1
    }
    out
  }

  /** Writes a row of blocks, see [[readBlocks]].
    *
    * @param codes a number for each dimension, padded to whole blocks with zeros
    * @param out receives the bytes from position `at`; must contain zeros there
    */
  def writeBlocks(
      codes: Array[Int],
      numBits: Int,
      dimension: Int,
      out: Array[Byte],
      at: Int
  ): Unit = {
    val blocks = (dimension + blockDimensions - 1) / blockDimensions
    var block = 0
    while (block < blocks) {
      writeBlock(codes, block * blockDimensions, numBits, out, at + block * 8 * numBits)
      block += 1
    }
  }

  private def writeBlock(
      codes: Array[Int],
      from: Int,
      numBits: Int,
      out: Array[Byte],
      at: Int
  ): Unit = {
    def or(i: Int, bits: Int): Unit = out(at + i) = (out(at + i) | bits).toByte
    numBits match {
      case 1 => for (i <- 0 until 64) or(i >> 3, codes(from + i) << (i & 7))
      case 2 | 3 =>
        for (k <- 0 until 4; b <- 0 until 16) or(b, (codes(from + 16 * k + b) & 3) << (2 * k))
        if (numBits == 3) writePlane(codes, from, 2, out, at + 16)
      case 4 =>
        for (j <- 0 until 4; b <- 0 until 8)
          or(8 * j + b, codes(from + 16 * j + b) | codes(from + 16 * j + 8 + b) << 4)
      case 5 =>
        for (k <- 0 until 4; b <- 0 until 16)
          or(16 * (k / 2) + b, (codes(from + 16 * k + b) & 15) << (4 * (k % 2)))
        writePlane(codes, from, 4, out, at + 32)
      case 6 | 7 =>
        for (k <- 0 until 3; b <- 0 until 16)
          or(
            16 * k + b,
            codes(from + 16 * k + b) & 63 | (codes(from + 48 + b) >> (2 * k) & 3) << 6
          )
        if (numBits == 7) writePlane(codes, from, 6, out, at + 48)
      case _ => for (i <- 0 until 64) out(at + i) = codes(from + i).toByte
    }
  }

  private def writePlane(
      codes: Array[Int],
      from: Int,
      shift: Int,
      out: Array[Byte],
      at: Int
  ): Unit = {
    var plane = 0L
    for (k <- 0 until 4; b <- 0 until 16) {
      val bit = (codes(from + 16 * k + b) >> shift & 1).toLong
      plane |= bit << (8 * (b % 8) + 2 * k + b / 8)
    }
    Buffer.putLong(out, at, plane)
  }

  /** Number of dimensions that are stored together in a column of blocks. */
  private val blockDimensions = 64

  /** Returns the number of bytes of a row in a column of blocks. */
  def blockedBytes(dimension: Int, numBits: Int): Int =
    (dimension + blockDimensions - 1) / blockDimensions * 8 * numBits

  /** Returns the number of bytes of a row in a stream of bits. */
  def streamBytes(dimension: Int, numBits: Int): Int =
    ((dimension.toLong * numBits + 7) / 8).toInt

  /** Reads a row of a stream of bits, least significant bits first.
    *
    * @param out receives a number for each dimension
    */
  def readStream(
      bytes: Array[Byte],
      at: Int,
      numBits: Int,
      dimension: Int,
      out: Array[Int]
  ): Unit = {
    var i = 0
    while (i < dimension) {
      var value = 0
      var b = 0
      while (b < numBits) {
        val bit = i * numBits + b
        value |= (bytes(at + (bit >> 3)) >> (bit & 7) & 1) << b
        b += 1
      }
      out(i) = value
      i += 1
    }
  }

  /** Reads a row of blocks of 64 dimensions. If the number of bits is odd, the last bit is in a
    * separate plane.
    *
    * {{{
    *   1   bit i of 64                        4   byte 8 j + b: dimension 16 j + b low, 16 j + 8 + b high
    *   2   byte b of 16: b | b+16 | b+32 | b+48
    *   5   byte b: b | b+16; byte 16 + b: b+32 | b+48; plane
    *   6   byte 16 k + b: dimension 16 k + b, and above it bits 2 k, 2 k + 1 of dimension 48 + b
    *   8   byte i
    *   plane: 8 bytes, the last bit of dimension 16 k + b at bit 8 (b mod 8) + 2 k + b / 8
    * }}}
    *
    * @param out receives a number for each dimension, padded to whole blocks
    */
  def readBlocks(
      bytes: Array[Byte],
      at: Int,
      numBits: Int,
      dimension: Int,
      out: Array[Int]
  ): Unit = {
    val blocks = (dimension + blockDimensions - 1) / blockDimensions
    var block = 0
    while (block < blocks) {
      readBlock(bytes, at + block * 8 * numBits, numBits, out, block * blockDimensions)
      block += 1
    }
  }

  private def readBlock(
      bytes: Array[Byte],
      at: Int,
      numBits: Int,
      out: Array[Int],
      to: Int
  ): Unit = {
    def u8(i: Int): Int = bytes(at + i) & 0xff
    numBits match {
      case 1 =>
        for (i <- 0 until 64) out(to + i) = u8(i >> 3) >> (i & 7) & 1
      case 2 | 3 =>
        for (k <- 0 until 4; b <- 0 until 16) out(to + 16 * k + b) = u8(b) >> (2 * k) & 3
        if (numBits == 3) readPlane(bytes, at + 16, 2, out, to)
      case 4 =>
        for (j <- 0 until 4; b <- 0 until 8) {
          out(to + 16 * j + b) = u8(8 * j + b) & 15
          out(to + 16 * j + 8 + b) = u8(8 * j + b) >> 4
        }
      case 5 =>
        for (k <- 0 until 4; b <- 0 until 16)
          out(to + 16 * k + b) = u8(16 * (k / 2) + b) >> (4 * (k % 2)) & 15
        readPlane(bytes, at + 32, 4, out, to)
      case 6 | 7 =>
        for (k <- 0 until 3; b <- 0 until 16) out(to + 16 * k + b) = u8(16 * k + b) & 63
        for (b <- 0 until 16)
          out(to + 48 + b) = u8(b) >> 6 | u8(16 + b) >> 6 << 2 | u8(32 + b) >> 6 << 4
        if (numBits == 7) readPlane(bytes, at + 48, 6, out, to)
      case 8 => for (i <- 0 until 64) out(to + i) = u8(i)
      case other => throw new CorruptFileException(s"RaBitQ codes of $other more bits")
    }
  }

  private def readPlane(bytes: Array[Byte], at: Int, shift: Int, out: Array[Int], to: Int): Unit = {
    val plane = Buffer.longAt(bytes, at)
    for (k <- 0 until 4; b <- 0 until 16) {
      val bit = plane >>> (8 * (b % 8) + 2 * k + b / 8) & 1L
      out(to + 16 * k + b) |= bit.toInt << shift
    }
  }
}
