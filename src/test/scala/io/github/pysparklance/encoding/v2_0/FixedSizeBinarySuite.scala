// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}

class FixedSizeBinarySuite extends ArraySuite {

  private def fixed(width: Int): pb.ArrayEncoding = pb.ArrayEncoding.newBuilder
    .setFixedSizeBinary(pb.FixedSizeBinary.newBuilder.setBytes(noNulls(flat(
      8,
      0
    ))).setByteWidth(width))
    .build

  test("strings of one length, with and without nulls") {
    val strings = page(3, fixed(2), hex("616263646566"))
    assert(rows(strings, VariableWidth(32)) == Seq(utf8("ab"), utf8("cd"), utf8("ef")))
    val nulls = page(3, someNulls(flat(1, 1), fixed(2)), hex("616263646566"), hex("05"))
    assert(rows(nulls, VariableWidth(64)) == Seq(utf8("ab"), null, utf8("ef")))
    assert(rows(page(2, fixed(0), Array.emptyByteArray), VariableWidth(32)) == Seq(
      Seq.empty[Byte],
      Seq.empty[Byte]
    ))
  }

  test("values of the type fixed-size binary") {
    assert(rows(page(2, fixed(3), hex("010203 040506")), FixedWidth(24)) ==
      Seq(hex("010203").toSeq, hex("040506").toSeq))
  }

  test("missing bytes, and a width other than the type's, are rejected") {
    assert(rejected(page(4, fixed(2), hex("616263646566")), VariableWidth(32)).contains("8 values"))
    assert(rejected(
      page(1, fixed(2), hex("6162")),
      FixedWidth(24)
    ).contains("FixedSizeBinary of 2 bytes"))
    assert(rejected(page(1, fixed(-1), hex("6162")), VariableWidth(32)).contains("4294967295"))
  }
}
