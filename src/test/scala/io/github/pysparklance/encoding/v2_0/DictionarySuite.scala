// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}

class DictionarySuite extends ArraySuite {

  private def dictionary(bits: Int, items: pb.ArrayEncoding, numItems: Int): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder
      .setDictionary(pb.Dictionary.newBuilder.setIndices(noNulls(flat(bits, 0))).setItems(items)
        .setNumDictionaryItems(numItems))
      .build

  private val items = binary(4, indices = 1, bytes = 2)
  private val (ends, letters) = (longs(2, 3), hex("616263"))

  test("strings: index 0 is null, index k is item k - 1") {
    val strings = page(4, dictionary(8, items, 2), hex("02 00 01 02"), ends, letters)
    assert(rows(strings, VariableWidth(32)) == Seq(utf8("c"), null, utf8("ab"), utf8("c")))
  }

  test("strings without values: one item, which is null") {
    val strings =
      page(2, dictionary(8, binary(1, 1, 2), 1), hex("00 00"), longs(1), Array.emptyByteArray)
    assert(rows(strings, VariableWidth(32)) == Seq(null, null))
  }

  test("Arrow dictionaries: index k is item k, which may be null; indices of any width") {
    val some = binary(4, indices = 1, bytes = 2)
    val strings = page(3, dictionary(16, some, 2), hex("0100 0000 0100"), longs(2, 6), hex("6162"))
    assert(rows(strings, VariableWidth(32), isDictionary = true) == Seq(null, utf8("ab"), null))
    val numbers = page(3, dictionary(64, flat(32, 1), 2), longs(1, 0, 1), hex("07000000 09000000"))
    assert(rows(numbers, FixedWidth(32), isDictionary = true) == Seq(9, 7, 9))
    val nothing = page(2, dictionary(8, allNulls, 1000000), hex("05 07"))
    assert(rows(nothing, FixedWidth(32), isDictionary = true) == Seq(null, null))
  }

  test("indices beyond the items, and missing items, are rejected") {
    val high = page(1, dictionary(8, items, 2), hex("03"), ends, letters)
    assert(rejected(high, VariableWidth(32)).contains("Dictionary index 3 exceeds 2 items"))
    val arrow = page(1, dictionary(8, items, 2), hex("02"), ends, letters)
    assert(rejected(
      arrow,
      VariableWidth(32),
      isDictionary = true
    ).contains("index 2 exceeds 2 items"))
    val negative = page(1, dictionary(32, items, 2), hex("ffffffff"), ends, letters)
    assert(rejected(negative, VariableWidth(32)).contains("index 4294967295 exceeds 2 items"))
    val many = page(1, dictionary(8, items, -1), hex("01"), ends, letters)
    assert(rejected(many, VariableWidth(32)).contains("4294967295"))
    assert(rejected(
      page(1, dictionary(24, items, 2), hex("010000"), ends, letters),
      VariableWidth(32)
    )
      .contains("integers of 24 bits"))
  }
}
