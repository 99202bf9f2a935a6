// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.{FullZipLayout => FullZipMessage, _}
import io.github.pysparklance.encoding.spi.{EncodedPage, EncodingVersion, LeafPage}
import io.github.pysparklance.encoding.{Compressions, EncodingChooser}

class FullZipLayoutSuite extends GoldenPage {
  import EncodingVersion.V2_1

  private def flat(bits: Int) =
    CompressiveEncoding.newBuilder().setFlat(Flat.newBuilder().setBitsPerValue(bits.toLong)).build()
  private val variable =
    CompressiveEncoding.newBuilder().setVariable(Variable.newBuilder().setOffsets(flat(32))).build()

  private def zipped(
      numRows: Int,
      buffers: String*
  )(change: FullZipMessage.Builder => Any): EncodedPage =
    changed(page(numRows, "", buffers: _*))(b => change(b.getFullZipLayoutBuilder))

  // buffers of pages that the reference wrote

  private val nullableInts =
    zipped(3, "00 01000000 | 01 00000000 | 00 03000000") {
      _.setBitsDef(1)
        .setBitsPerValue(32)
        .setNumItems(3)
        .setNumVisibleItems(3)
        .setValueCompression(flat(32))
        .addLayers(RepDefLayer.REPDEF_NULLABLE_ITEM)
    }

  private val nullableStrings =
    zipped(4, "00 02000000 6162 | 01 | 00 00000000 | 00 01000000 63", "00 07 08 0d 13") {
      _.setBitsDef(1)
        .setBitsPerOffset(32)
        .setNumItems(4)
        .setNumVisibleItems(4)
        .setValueCompression(variable)
        .addLayers(RepDefLayer.REPDEF_NULLABLE_ITEM)
    }

  private val listsOfStrings =
    zipped(4, "04 02000000 6162 | 01 | 06 | 07 | 04 01000000 63", "00 08 09 0a 10") {
      _.setBitsRep(1)
        .setBitsDef(2)
        .setBitsPerOffset(32)
        .setNumItems(5)
        .setNumVisibleItems(3)
        .setValueCompression(variable)
        .addLayers(RepDefLayer.REPDEF_NULLABLE_ITEM)
        .addLayers(RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST)
    }

  test("reads fixed-width values with nulls") {
    assert(rows(nullableInts, FixedWidth(32), V2_1) == Seq[Any](1, null, 3))
  }

  test("reads strings with nulls") {
    assert(
      rows(nullableStrings, VariableWidth(32), V2_1) == Seq(utf8("ab"), null, utf8(""), utf8("c"))
    )
  }

  test("reads lists of strings") {
    assert(
      rows(listsOfStrings, VariableWidth(32), V2_1) ==
        Seq(Vector(utf8("ab"), null), null, Vector(), Vector(utf8("c")))
    )
  }

  private def zip(page: LeafPage, valueType: ValueType): (PageLayout, IndexedSeq[Buffer]) =
    FullZipLayout.encode(page, valueType, new EncodingChooser(V2_1))

  private def levels(values: Int*): Array[Short] = values.map(_.toShort).toArray

  test("writes the same bytes as the reference") {
    val item = IndexedSeq(RepDefLayer.REPDEF_NULLABLE_ITEM)
    val lists = item :+ RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST
    Seq(
      nullableInts -> zip(
        LeafPage(3, item, null, levels(0, 1, 0), 3, ints(1, 0, 3)),
        FixedWidth(32)
      ),
      nullableStrings ->
        zip(
          LeafPage(4, item, null, levels(0, 1, 0, 0), 4, strings("ab", "", "", "c")),
          VariableWidth(32)
        ),
      listsOfStrings -> zip(
        LeafPage(4, lists, levels(1, 0, 1, 1, 1), levels(0, 1, 2, 3, 0), 5, strings("ab", "", "c")),
        VariableWidth(32)
      )
    ).foreach { case (golden, (layout, buffers)) =>
      sameBuffers(golden.copy(buffers = buffers), golden)
      assert(layout == PageLayout.parseFrom(golden.encoding))
    }
  }

  test("booleans take one byte") {
    val values = new ByteValues
    Seq(1, 0, 1).foreach(b => values.append(b.toByte))
    val item = IndexedSeq(RepDefLayer.REPDEF_ALL_VALID_ITEM)
    val (layout, buffers) = zip(LeafPage(3, item, null, null, 3, values), FixedWidth(1))
    assert(buffers.map(_.toBytes.toSeq) == Seq(Seq[Byte](1, 0, 1)))
    assert(layout.getFullZipLayout.getBitsPerValue == 8)
    val out = EncodedPage(3, nullableInts.typeUrl, layout.toByteArray, buffers)
    assert(rows(out, FixedWidth(1), V2_1) == Seq[Byte](1, 0, 1))
  }

  test("rejects inconsistent sizes") {
    def rejected(text: String, page: EncodedPage, valueType: ValueType = VariableWidth(32)) = {
      val e = intercept[CorruptFileException](rows(page, valueType, V2_1))
      assert(e.getMessage.contains(text), e.getMessage)
    }
    def buffer(p: EncodedPage, i: Int, bytes: String) =
      p.copy(buffers = p.buffers.updated(i, Buffer(hex(bytes))))
    rejected(
      "of 16 bytes for 3 rows of 5 bytes",
      buffer(nullableInts, 0, "00" * 16),
      FixedWidth(32)
    )
    rejected(
      "4 items and 3 rows",
      changed(nullableInts)(_.getFullZipLayoutBuilder.setNumItems(4)),
      FixedWidth(32)
    )
    rejected(
      "of 1 buffers, expected 2",
      nullableStrings.copy(buffers = nullableStrings.buffers.take(1))
    )
    rejected("repetition index of 6 bytes", buffer(nullableStrings, 1, "00 07 08 0d 13 13"))
    rejected("repetition index: row 1", buffer(nullableStrings, 1, "00 77 08 0d 13"))
    rejected("falls from 8 to 7", buffer(nullableStrings, 1, "00 08 07 0d 13"))
    rejected(
      "entry needs 2147483647 bytes",
      buffer(nullableStrings, 0, "00 ffffff7f 6162 | 01 | 00 00000000 | 00 01000000 63")
    )
    rejected(
      "highest repetition level",
      buffer(listsOfStrings, 0, "00 02000000 6162 | 01 | 06 | 07 | 04 01000000 63")
    )
    rejected(
      "levels of 1 and 17 bits",
      changed(listsOfStrings)(_.getFullZipLayoutBuilder.setBitsDef(17))
    )
    rejected(
      "levels of 0 and 2 bits",
      changed(listsOfStrings)(_.getFullZipLayoutBuilder.setBitsRep(0))
    )
    assert(Compressions.fixedPerValue(flat(32), FixedWidth(32)).bytesPerValue == 4)
  }
}
