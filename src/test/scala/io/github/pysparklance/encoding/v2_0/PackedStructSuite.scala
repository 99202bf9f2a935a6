// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}

class PackedStructSuite extends ArraySuite {

  private val valueType = PackedStructType(
    IndexedSeq(FixedWidth(32), FixedWidth(64), FixedSizeListType(2, FixedWidth(8)))
  )

  private def fsl(dimension: Int) = pb.ArrayEncoding.newBuilder
    .setFixedSizeList(pb.FixedSizeList.newBuilder.setDimension(dimension).setItems(noNulls(flat(
      8,
      0
    ))))
    .build

  private def packed(inner: pb.ArrayEncoding*): pb.ArrayEncoding = {
    val message = pb.PackedStruct.newBuilder.setBuffer(buffer(0))
    inner.foreach(message.addInner)
    pb.ArrayEncoding.newBuilder.setPackedStruct(message).build
  }

  private val row = "01000000 0200000000000000 0304" + "05000000 0600000000000000 0708"

  test("rows of i32, i64, and two u8, without padding") {
    val structs = page(2, packed(noNulls(flat(32, 0)), flat(64, 0), fsl(2)), hex(row))
    def bytes(values: Int*) = values.map(v => Some(v.toByte))
    assert(rows(structs, valueType) == Seq(
      Seq[Any](1, 2L, bytes(3, 4)),
      Seq[Any](5, 6L, bytes(7, 8))
    ))
  }

  test("fields other than the type's, and missing bytes, are rejected") {
    val encoding = packed(flat(32, 0), flat(64, 0), fsl(2))
    assert(rejected(
      page(3, encoding, hex(row)),
      valueType
    ).contains("28 bytes for 3 rows of 14 bytes"))
    assert(rejected(
      page(1, packed(flat(32, 0)), hex(row)),
      valueType
    ).contains("1 fields, expected 3"))
    assert(rejected(
      page(1, packed(flat(32, 0), flat(32, 0), fsl(2)), hex(row)),
      valueType
    ).contains("flat in a PackedStruct"))
    assert(rejected(
      page(1, packed(flat(32, 0), flat(64, 0), fsl(3)), hex(row)),
      valueType
    ).contains("PackedStruct"))
    assert(rejected(page(1, encoding, hex(row)), FixedWidth(112)).contains("PackedStruct"))
  }
}
