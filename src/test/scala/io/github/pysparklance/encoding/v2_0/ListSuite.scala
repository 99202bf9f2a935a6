// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi.NullableValues

class ListSuite extends ArraySuite {

  private def list(adjustment: Long, numItems: Long): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder
      .setList(pb.List.newBuilder.setOffsets(noNulls(flat(
        64,
        0
      ))).setNullOffsetAdjustment(adjustment)
        .setNumItems(numItems))
      .build

  private def lists(adjustment: Long, numItems: Long, ends: Long*): ArrayPage =
    page(ends.length, list(adjustment, numItems), longs(ends: _*))

  /** Returns the lengths of some lists, and the range of their items. */
  private def read(page: ArrayPage, range: RowRange): (Seq[Any], RowRange) = {
    val decoder = ArrayPages.listDecoder(page)
    ArrayPages.open(decoder, page)
    val read = decoder.read(range)
    ArrayPages.supply(read, page)
    val out = new NullableValues(new IntValues)
    val items = read.items
    read.decode(range.numRows.toInt, out)
    (ArrayPages.rows(out), items)
  }

  private def whole(page: ArrayPage) = read(page, RowRange(0, page.numValues))

  test("golden bytes: [A, B], null, [], [C, D, E]") {
    val page = lists(6, 5, 2, 8, 2, 5)
    assert(whole(page) == ((Seq[Any](2, null, 0, 3), RowRange(0, 5))))
    assert(read(page, RowRange(1, 3)) == ((Seq[Any](null, 0), RowRange(2, 2))))
    assert(read(page, RowRange(3, 4)) == ((Seq(3), RowRange(2, 5))))
    assert(ArrayPages.listDecoder(page).numItems == 5)
  }

  test("items of a null list are skipped") {
    val page = lists(6, 5, 2, 10, 5) // the second is null and has two
    assert(read(page, RowRange(2, 3)) == ((Seq(1), RowRange(4, 5))))
    assert(whole(page)._2 == RowRange(0, 5))
  }

  test("decreasing or out-of-range ends are rejected") {
    def rejected(page: ArrayPage) = intercept[CorruptFileException](whole(page)).getMessage
    assert(rejected(lists(6, 5, 2, 1)).contains("ends at item 1 of 5"))
    assert(rejected(lists(7, 5, 2, 6)).contains("ends at item 6 of 5"))
    assert(rejected(lists(6, 5, 2, -1)).contains("List"))
    assert(rejected(lists(0, 5, 2)).contains("null adjustment 0"))
    assert(rejected(lists(6, -1, 2)).contains("18446744073709551615"))
    assert(rejected(page(3, list(6, 5), longs(1, 2))).contains("3 values of 64 bits"))
    assert(rejected(page(1, flat(64, 0), longs(1))).contains("flat where a list is expected"))
  }
}
