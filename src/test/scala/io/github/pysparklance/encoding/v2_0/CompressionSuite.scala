// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import com.github.luben.zstd.Zstd

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.CompressedBuffers

class CompressionSuite extends ArraySuite {

  private val plain = longs(0L to 99L: _*)
  private val expected = 0L to 99L

  private def prefixed = CompressedBuffers.compressZstd(Buffer(plain), 9).toBytes

  test("zstd with a length prefix, and without as in early releases") {
    assert(rows(page(100, flat(64, 0, "zstd"), prefixed), FixedWidth(64)) == expected)
    assert(rows(page(100, flat(64, 0, "zstd"), Zstd.compress(plain)), FixedWidth(64)) == expected)
  }

  test("lz4 and none") {
    val lz4 = CompressedBuffers.compressLz4(Buffer(plain)).toBytes
    assert(rows(page(100, flat(64, 0, "lz4"), lz4), FixedWidth(64)) == expected)
    assert(rows(page(100, flat(64, 0, "none"), plain), FixedWidth(64)) == expected)
  }

  test("an empty buffer decompresses to an empty buffer") {
    Seq("zstd", "lz4").foreach { scheme =>
      val empty = binaryOf(scheme)
      assert(rows(page(2, empty, longs(0, 1), Array.emptyByteArray), VariableWidth(32)) ==
        Seq(Seq.empty[Byte], null))
    }
  }

  private def binaryOf(scheme: String) = {
    val message = binary(1).toBuilder
    message.getBinaryBuilder.setBytes(flat(8, 1, scheme)): Unit
    message.build
  }

  test("wrong sizes and other schemes are rejected") {
    val claims = prefixed
    Buffer.putLong(claims, 0, 1L << 40)
    assert(rejected(page(100, flat(64, 0, "zstd"), claims), FixedWidth(64)).contains("ZSTD"))
    assert(rejected(
      page(101, flat(64, 0, "zstd"), prefixed),
      FixedWidth(64)
    ).contains("101 values"))
    assert(rejected(
      page(50, flat(64, 0, "zstd"), prefixed),
      FixedWidth(64)
    ).contains("800 plain bytes"))
    assert(unsupported(
      page(1, flat(8, 0, "brotli"), hex("00")),
      FixedWidth(8)
    ).contains("'brotli'"))
  }
}
