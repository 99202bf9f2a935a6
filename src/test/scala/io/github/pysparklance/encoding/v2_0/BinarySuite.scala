// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._

class BinarySuite extends ArraySuite {

  test("golden bytes: a null, an empty string, and two others") {
    val strings = page(4, binary(4), longs(2, 6, 2, 3), hex("616263"))
    assert(rows(strings, VariableWidth(32)) == Seq(utf8("ab"), null, Seq.empty[Byte], utf8("c")))
    assert(rows(strings, VariableWidth(64)) == Seq(utf8("ab"), null, Seq.empty[Byte], utf8("c")))
  }

  test("only nulls or empty strings take no bytes") {
    assert(rows(page(2, binary(1), longs(1, 1), Array.emptyByteArray), VariableWidth(32)) == Seq(
      null,
      null
    ))
    val empty = rows(page(2, binary(1), longs(0, 0), Array.emptyByteArray), VariableWidth(32))
    assert(empty == Seq(Seq.empty[Byte], Seq.empty[Byte]))
  }

  test("buffers in any order, bytes within Nullable") {
    val message = binary(4, indices = 1, bytes = 0).toBuilder
    message.getBinaryBuilder.setBytes(noNulls(flat(8, 0))): Unit
    val strings = page(4, message.build, hex("616263"), longs(2, 6, 2, 3))
    assert(rows(strings, VariableWidth(32)) == Seq(utf8("ab"), null, Seq.empty[Byte], utf8("c")))
  }

  test("decreasing or out-of-range ends, and pages without adjustment, are rejected") {
    def strings(adjustment: Long, ends: Long*) =
      page(ends.length, binary(adjustment), longs(ends: _*), hex("616263"))
    assert(rejected(strings(4, 2, 1), VariableWidth(32)).contains("not ascending"))
    assert(rejected(strings(100, 2, 4), VariableWidth(32)).contains("Flat of 3 bytes for 4 values"))
    assert(rejected(
      strings(Long.MaxValue, 2, Long.MaxValue - 1),
      VariableWidth(32)
    ).contains("Flat of 3 bytes"))
    assert(rejected(strings(4, -1), VariableWidth(32)).contains("not ascending"))
    assert(rejected(strings(0, 2), VariableWidth(32)).contains("null adjustment 0"))
    assert(rejected(strings(-1, 2), VariableWidth(32)).contains("18446744073709551615"))
    assert(rejected(strings(4, 2), FixedWidth(32)).contains("Binary"))
  }
}
