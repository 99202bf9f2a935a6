// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}

class FixedSizeListSuite extends ArraySuite {

  private def list(dimension: Int, items: pb.ArrayEncoding): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder
      .setFixedSizeList(pb.FixedSizeList.newBuilder.setDimension(dimension).setItems(items))
      .build

  private def some(items: Any*): Seq[Option[Any]] = items.map(Option(_))

  test("null lists and null items") {
    val encoding = someNulls(flat(1, 0), list(2, someNulls(flat(1, 1), flat(8, 2))))
    val lists = page(3, encoding, hex("05"), hex("1e"), hex("01 02 03 04 05 06"))
    val valueType = FixedSizeListType(2, FixedWidth(8))
    assert(rows(lists, valueType) ==
      Seq(some(null, 2.toByte), null, some(5.toByte, null)))
  }

  test("lists of lists, and of bits that start within a byte") {
    val nested = page(2, list(2, list(1, flat(16, 0))), hex("0100 0200 0300 0400"))
    val valueType = FixedSizeListType(2, FixedSizeListType(1, FixedWidth(16)))
    assert(rows(nested, valueType) ==
      Seq(some(some(1.toShort), some(2.toShort)), some(some(3.toShort), some(4.toShort))))
    val bits = rows(page(3, list(3, flat(1, 0)), hex("d3 01")), FixedSizeListType(3, FixedWidth(1)))
    assert(bits == Seq(Seq(1, 1, 0), Seq(0, 1, 0), Seq(1, 1, 1)).map(_.map(b => Some(b.toByte))))
  }

  test("a dimension other than the type's, and missing items, are rejected") {
    val three = page(1, list(3, flat(8, 0)), hex("01 02 03"))
    assert(rejected(
      three,
      FixedSizeListType(2, FixedWidth(8))
    ).contains("FixedSizeList of 3 items"))
    assert(rejected(
      three.copy(numValues = 2),
      FixedSizeListType(3, FixedWidth(8))
    ).contains("6 values"))
  }
}
