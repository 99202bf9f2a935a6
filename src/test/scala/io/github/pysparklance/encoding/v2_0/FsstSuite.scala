// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import com.google.protobuf.ByteString

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.fsst.SymbolTable
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi.NullableValues

class FsstSuite extends ArraySuite {

  private def fsst(table: Array[Byte], adjustment: Long): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder
      .setFsst(
        pb.Fsst.newBuilder.setBinary(binary(adjustment)).setSymbolTable(ByteString.copyFrom(table))
      )
      .build

  /** Code 0 is "www.", code 1 is "a". */
  private val table = SymbolTable.serialize(
    Array(Buffer.longAt("www.\u0000\u0000\u0000\u0000".getBytes("UTF-8"), 0), 'a'.toLong),
    Array(4, 1),
    2,
    0
  )

  test("codes, an escape, an empty string, and a null") {
    val strings = page(4, fsst(table, 6), longs(2, 4, 10, 4), hex("00 01 ff 7a 01"))
    assert(rows(strings, VariableWidth(32)) == Seq(utf8("www.a"), utf8("z"), null, Seq.empty[Byte]))
  }

  test("a disabled table leaves the strings unchanged") {
    val off = table.clone()
    off(3) = 0
    assert(rows(page(2, fsst(off, 4), longs(2, 3), hex("616263")), VariableWidth(32)) ==
      Seq(utf8("ab"), utf8("c")))
  }

  test("unknown codes, an escape at the end, and other tables are rejected") {
    assert(rejected(
      page(1, fsst(table, 2), longs(1), hex("02")),
      VariableWidth(32)
    ).contains("not in its symbol table"))
    assert(rejected(
      page(2, fsst(table, 3), longs(1, 2), hex("ff 01")),
      VariableWidth(32)
    ).contains("escape"))
    val short = page(1, fsst(table.take(2311), 2), longs(1), hex("00"))
    assert(rejected(short, VariableWidth(32)).contains("2311 bytes"))
  }

  test("the allocation follows the decoded size, not the maximum size") {
    val n = 1 << 20
    val codes =
      Array.tabulate[Byte](n)(i => if (i % 1000 == 0) -1 else 1) // an escaped 1 sometimes
    val long = page(1, fsst(table, n + 1L), longs(n.toLong), codes)
    val node = ArrayPages.decoder(long, VariableWidth(32))
    ArrayPages.open(node, long)
    val read = node.read(RowRange(0, 1))
    ArrayPages.supply(read, long)
    val values = new BinaryValues
    read.decode(1, new NullableValues(values))
    val expected = (0 until n).filter(_ % 1000 != 0).map(i => if (i % 1000 == 1) 1 else 'a'.toInt)
    assert(values.numBytes == expected.length)
    assert(expected.indices.forall(i => values.bytes(i) == expected(i)))
    assert(values.bytes.length < 2 * n)
  }
}
