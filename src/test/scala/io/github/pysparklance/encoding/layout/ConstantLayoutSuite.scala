// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.{ConstantLayout => _, _}
import io.github.pysparklance.encoding.spi.{EncodedPage, EncodingVersion}
import io.github.pysparklance.testkit.Pages

class ConstantLayoutSuite extends GoldenPage {
  import EncodingVersion.{V2_1, V2_2}

  // pages that the reference wrote
  private val sevens = page(3, "12092a0103320407000000", "", "00 00 00 00 01 00")
  private val hello = page(
    5,
    "12032a0101",
    "02000000 08000000 05000000 00000000 05000000 68656c6c6f"
  )
  private val nullLists = page(3, "12042a020306", "01 00 01 00 01 00", "02 00 03 00 01 00")
  private val nulls = page(4, "12032a0103")

  test("reads and writes one value with nulls between") {
    assert(rows(sevens, FixedWidth(32), V2_2) == Seq[Any](7, 7, null))
    val column = LeafColumn(ints(7, 7, 0), Validity.of(true, true, false))
    val out = written(int("i"), column, V2_2)
    sameBuffers(out, sevens)
    assert(out.encoding.toSeq == sevens.encoding.toSeq)
  }

  test("reads and writes one string") {
    assert(rows(hello, VariableWidth(32), V2_2) == Seq.fill(5)(utf8("hello")))
    val field = Field(-1, "s", LogicalType.Utf8(large = false), nullable = true)
    val out = written(field, LeafColumn(strings(Seq.fill(5)("hello"): _*), null), V2_2)
    sameBuffers(out, hello)
    assert(out.encoding.toSeq == hello.encoding.toSeq)
  }

  test("reads and writes lists without values") {
    val expected = Seq(null, Vector(), Vector(null))
    assert(rows(nullLists, FixedWidth(32), V2_1) == expected)
    val column = ListColumn(
      3,
      Array(0, 0, 0, 1),
      LeafColumn(ints(0), Validity.of(false)),
      Validity.of(false, true, true)
    )
    val out = written(list("l", int("item")), column, V2_1)
    sameBuffers(out, nullLists)
    assert(out.encoding.toSeq == nullLists.encoding.toSeq)
    val compressed = written(list("l", int("item")), column, V2_2)
    assert(PageLayout.parseFrom(compressed.encoding).getConstantLayout.getNumRepValues == 3)
    assert(rows(compressed, FixedWidth(32), V2_2) == expected)
  }

  test("reads and writes nulls without a buffer") {
    assert(rows(nulls, FixedWidth(32), V2_1) == Seq.fill(4)(null))
    val out = written(int("i"), NullColumn(4), V2_1)
    assert(out.buffers.isEmpty && out.encoding.toSeq == nulls.encoding.toSeq)
    assert(Pages.open(nulls, FixedWidth(32), V2_1).dataRange(RowRange(0, 4)).isEmpty)
  }

  test("wide fixed-width values are stored in a buffer, booleans in one bit") {
    val wide = new WideValues(33)
    (0 until 2).foreach { _ =>
      val at = wide.extend(1)
      (0 until 33).foreach(i => wide.bytes(at + i) = i.toByte)
    }
    val field = Field(-1, "w", LogicalType.FixedSizeBinary(33), nullable = true)
    val out = written(field, LeafColumn(wide, null), V2_2)
    assert(
      out.buffers.head.toBytes.toSeq == hex("01000000 21000000").toSeq ++ (0 until 33).map(_.toByte)
    )
    assert(rows(out, FixedWidth(264), V2_2) == Seq.fill(2)((0 until 33).map(_.toByte)))
    val yes = page(2, "12062a0101320103")
    assert(rows(yes, FixedWidth(1), V2_2) == Seq[Byte](1, 1))
  }

  test("rejects inconsistent pages") {
    def rejected(
        text: String,
        page: EncodedPage,
        version: EncodingVersion,
        valueType: ValueType = FixedWidth(32)
    ) = {
      val e = intercept[CorruptFileException](rows(page, valueType, version))
      assert(e.getMessage.contains(text), e.getMessage)
    }
    rejected("constant value page in a file of version 2.1", sevens, V2_1)
    rejected("constant value of 4 bytes, expected 8", sevens, V2_2, FixedWidth(64))
    rejected(
      "2 definition levels for 3 rows",
      sevens.copy(buffers = Buffer.empty +: page(0, "", "00 00 00 00").buffers),
      V2_2
    )
    rejected("rows in a page of 4", nullLists.copy(numRows = 4), V2_1)
    rejected(
      "repetition level above 1",
      nullLists.copy(buffers = nullLists.buffers.updated(0, Buffer(hex("01 00 02 00 01 00")))),
      V2_1
    )
    rejected(
      "without repetition levels",
      nullLists.copy(buffers = nullLists.buffers.updated(0, Buffer.empty)),
      V2_1
    )
    rejected("constant value of 2 buffers", hello, V2_2, FixedWidth(32))
    val many = changed(nullLists) { b =>
      val flat = CompressiveEncoding.newBuilder().setFlat(Flat.newBuilder().setBitsPerValue(16))
      b.getConstantLayoutBuilder.setRepCompression(flat).setNumRepValues(1L << 40)
    }
    rejected("1099511627776 repetition levels in 6 bytes", many, V2_2)
  }
}
