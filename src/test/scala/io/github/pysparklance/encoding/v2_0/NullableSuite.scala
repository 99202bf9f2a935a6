// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}

class NullableSuite extends ArraySuite {

  test("golden bytes: int32 [7, null]") {
    val ints = page(2, someNulls(flat(1, 0), flat(32, 1)), hex("01"), hex("07000000 00000000"))
    assert(rows(ints, FixedWidth(32)) == Seq[Any](7, null))
  }

  test("no nulls, wrapped or not, and only nulls") {
    assert(rows(page(1, noNulls(noNulls(flat(8, 0))), hex("05")), FixedWidth(8)) == Seq[Byte](5))
    assert(rows(page(3, allNulls), FixedWidth(64)) == Seq(null, null, null))
    assert(rows(page(3, allNulls), VariableWidth(32)) == Seq(null, null, null))
    assert(rows(page(2, allNulls), FixedSizeListType(2, FixedWidth(8))) == Seq(null, null))
  }

  test("a value is null if either the bitmap or the value is null") {
    // "ab", null, "", "c": the bitmap marks the last one.
    val strings =
      page(4, someNulls(flat(1, 2), binary(4)), longs(2, 6, 2, 3), hex("616263"), hex("07"))
    assert(rows(strings, VariableWidth(32)) == Seq(utf8("ab"), null, Seq.empty[Byte], null))
  }

  test("a short bitmap, a bitmap of another encoding, and a missing variant are rejected") {
    val short = page(9, someNulls(flat(1, 0), flat(8, 1)), hex("ff"), new Array[Byte](9))
    assert(rejected(short, FixedWidth(8)).contains("9 values of 1 bits"))
    val none = pb.ArrayEncoding.newBuilder.setNullable(pb.Nullable.getDefaultInstance).build
    assert(rejected(page(1, none, hex("00")), FixedWidth(8)).contains("without a variant"))
    assert(unsupported(page(1, someNulls(allNulls, flat(8, 0)), hex("00")), FixedWidth(8))
      .contains("a bitmap as nullable"))
  }
}
