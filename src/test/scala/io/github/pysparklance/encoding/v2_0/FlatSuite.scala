// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._

class FlatSuite extends ArraySuite {

  test("golden bytes: 8 to 256 bits, and single bits") {
    assert(rows(page(2, flat(32, 0), hex("07000000 ffffffff")), FixedWidth(32)) == Seq(7, -1))
    assert(rows(page(3, flat(8, 0), hex("01 ff 03")), FixedWidth(8)) == Seq[Byte](1, -1, 3))
    assert(rows(page(1, flat(16, 0), hex("0201")), FixedWidth(16)) == Seq(0x102.toShort))
    assert(rows(page(1, flat(64, 0), longs(-5)), FixedWidth(64)) == Seq(-5L))
    assert(rows(page(2, flat(40, 0), hex("0102030405 060708090a")), FixedWidth(40)) ==
      Seq(hex("0102030405").toSeq, hex("060708090a").toSeq))
    val bits = rows(page(9, flat(1, 0), hex("8d 01")), FixedWidth(1))
    assert(bits == Seq(1, 0, 1, 1, 0, 0, 0, 1, 1).map(_.toByte))
  }

  test("single bits are never compressed, regardless of the message") {
    val bits = rows(page(4, flat(1, 0, "zstd"), hex("05")), FixedWidth(1))
    assert(bits == Seq(1, 0, 1, 0).map(_.toByte))
  }

  test("more bytes than values are allowed; fewer bytes or another width are not") {
    assert(rows(page(1, flat(32, 0), hex("07000000 ffffffff")), FixedWidth(32)) == Seq(7))
    assert(rejected(page(3, flat(32, 0), hex("07000000 ffffffff")), FixedWidth(32))
      .contains("Flat of 8 bytes for 3 values of 32 bits"))
    assert(rejected(
      page(1, flat(32, 0), hex("07000000 ffffffff")),
      FixedWidth(64)
    ).contains("32 bits"))
    assert(rejected(page(1, flat(12, 0), hex("0700")), FixedWidth(12)).contains("12 bits"))
    assert(rejected(page(1, flat(0, 0), hex("0700")), FixedWidth(8)).contains("0 bits"))
  }
}
