// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import org.scalatest.funsuite.AnyFunSuite

class BufferSuite extends AnyFunSuite {
  private val array = Array.tabulate[Byte](40)(i => (i * 37 + 200).toByte)
  private val buffer = new Buffer(array, 3, 30)

  private def number(at: Int, n: Int): BigInt =
    (0 until n).map(k => BigInt(array(3 + at + k) & 0xff) << (8 * k)).sum

  test("numbers are little-endian, at any position") {
    (0 to 22).foreach { at =>
      assert(buffer.u8(at) == number(at, 1).toInt)
      assert(buffer.u16(at) == number(at, 2).toInt)
      assert(buffer.i32(at) == number(at, 4).toInt)
      assert(buffer.u32(at) == number(at, 4).toLong)
      assert(buffer.i64(at) == number(at, 8).toLong)
    }
  }

  test("single writes round-trip through single reads") {
    val bytes = new Array[Byte](20)
    Buffer.putShort(bytes, 1, -2)
    Buffer.putInt(bytes, 3, -3)
    Buffer.putLong(bytes, 7, Long.MinValue + 5)
    assert(Buffer.shortAt(bytes, 1) == -2 && Buffer.intAt(bytes, 3) == -3)
    assert(Buffer.longAt(bytes, 7) == Long.MinValue + 5)
    assert(bytes(1) == -2 && bytes(2) == -1 && bytes(7) == 5 && bytes(14) == -128)
  }

  test("bulk copies equal single reads") {
    val (shorts, ints, longs) = (new Array[Short](5), new Array[Int](5), new Array[Long](5))
    buffer.copyShorts(1, shorts, 2, 3)
    buffer.copyInts(1, ints, 2, 3)
    buffer.copyLongs(1, longs, 2, 3)
    (0 until 3).foreach { i =>
      assert((shorts(2 + i) & 0xffff) == buffer.u16(1 + 2 * i))
      assert(ints(2 + i) == buffer.i32(1 + 4 * i))
      assert(longs(2 + i) == buffer.i64(1 + 8 * i))
    }
    val bytes = new Array[Byte](4)
    buffer.copyBytes(2, bytes, 1, 3)
    assert(bytes.toSeq == 0.toByte +: array.slice(5, 8).toSeq)
  }

  test("reads beyond the window fail, even within the array") {
    assertThrows[CorruptFileException](buffer.u8(30))
    assertThrows[CorruptFileException](buffer.u16(29))
    assertThrows[CorruptFileException](buffer.i32(27))
    assertThrows[CorruptFileException](buffer.i64(23))
    assertThrows[CorruptFileException](buffer.u8(-1))
    assertThrows[CorruptFileException](buffer.copyInts(0, new Array[Int](8), 0, 8))
    assertThrows[CorruptFileException](buffer.slice(20, 11))
    assertThrows[CorruptFileException](buffer.slice(-1, 2))
    assertThrows[CorruptFileException](buffer.slice(0, Long.MaxValue))
    // The sum overflows.
    for (from <- Seq(1L, 5L, Long.MaxValue); length <- Seq(Long.MaxValue, Long.MaxValue - 2))
      assertThrows[CorruptFileException](buffer.slice(from, length))
    assertThrows[CorruptFileException](buffer.copyLongs(0, new Array[Long](4), 0, -1))
    assertThrows[CorruptFileException](new Buffer(array, 30, 11))
  }

  test("slices share the array") {
    val part = buffer.slice(4, 5)
    assert(part.array eq array)
    assert(part.offset == 7 && part.length == 5 && part.end == 12)
    assert(part.toBytes.toSeq == array.slice(7, 12).toSeq)
    assert(part.toByteBuffer.remaining == 5)
  }

  test("a u64 beyond the largest long is rejected with its value") {
    val all = Buffer(Array.fill[Byte](8)(-1))
    val e = intercept[CorruptFileException](all.u63(0, "the count"))
    assert(e.problem.contains("the count is 18446744073709551615"))
    assert(buffer.slice(0, 8).i64(0) < 0 || buffer.u63(0, "it") >= 0)
  }
}
