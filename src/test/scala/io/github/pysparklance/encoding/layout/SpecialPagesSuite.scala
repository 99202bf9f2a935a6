// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.{PageLayout, RepDefLayer}
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.testkit.Pages

/** Bytes of pages with values other than numbers and strings, from examples written by pylance. */
class SpecialPagesSuite extends AnyFunSuite {
  import LogicalType._

  private def field(name: String, t: LogicalType, children: Field*): Field =
    Field(0, name, t, nullable = true, children.toIndexedSeq)

  private def one(path: Seq[Field], column: Column, version: EncodingVersion): EncodedPage = {
    val pages = Pages.write(path.toIndexedSeq, column, version, 0, column.numRows, 2)
    assert(pages.length == 1)
    pages.head
  }

  private def hex(buffer: Buffer): String = buffer.toBytes.map("%02x".format(_)).mkString

  private def bytes(text: String): String = text.filterNot(c => c == ' ' || c == '|')

  private def validity(bits: Int*): Validity = {
    val v = new Validity
    bits.foreach(b => v.append(b == 1))
    v
  }

  private def ints(values: Int*): IntValues = {
    val v = new IntValues
    values.foreach(v.append)
    v
  }

  test("dictionary<int8, utf8> [a, null, b]: indices have the width of the type") {
    val strings = new BinaryValues
    Seq("a", "", "b").foreach(s => strings.append(s.getBytes(UTF_8), 0, s.length))
    val t = Dictionary(Utf8(large = false), Integer(8, signed = true), ordered = false)
    val page =
      one(Seq(field("d", t)), LeafColumn(strings, validity(1, 0, 1)), EncodingVersion.V2_1)
    val layout = PageLayout.parseFrom(page.encoding).getMiniBlockLayout
    assert(layout.getValueCompression.getFlat.getBitsPerValue == 8)
    assert(layout.getNumDictionaryItems == 2 && layout.getNumItems == 3)
    assert(layout.getDictionary.getVariable.getOffsets.getFlat.getBitsPerValue == 32)
    assert(hex(page.buffers(1)) == bytes(
      "0300 0600 0300 fefe | 0000 0100 0000 fefe | 00 00 01 fefefefefe"
    ))
    assert(hex(page.buffers(2)) == bytes(
      "20000000 | 14000000 | 00000000 01000000 02000000 | 6162"
    ))
  }

  test("packed struct<int32, int8> [{1, 2}, null, {3, 4}]: rows back to back") {
    val members = Seq(
      field("a", Integer(32, signed = true)),
      field("b", Integer(8, signed = true))
    )
    val packed =
      field("p", Struct, members: _*).copy(metadata = Predef.Map("lance-encoding:packed" -> "true"))
    val b = new ByteValues
    Seq(2, 0, 4).foreach(v => b.append(v.toByte))
    val column = StructColumn(
      3,
      IndexedSeq(LeafColumn(ints(1, 0, 3), null), LeafColumn(b, null)),
      validity(1, 0, 1)
    )
    val page = one(Seq(packed), column, EncodingVersion.V2_1)
    val struct =
      PageLayout.parseFrom(page.encoding).getMiniBlockLayout.getValueCompression.getPackedStruct
    assert((0 until struct.getBitsPerValueCount).map(struct.getBitsPerValue) == Seq(32L, 8L))
    assert(struct.getValues.getFlat.getBitsPerValue == 40)
    assert(hex(page.buffers(1)) == bytes(
      "0300 0600 0f00 fefe | 0000 0100 0000 fefe | 01000000 02 | 00000000 00 | 03000000 04 fe"
    ))
  }

  test("fixed_size_list<struct<a>, 2> [[{1}, null], null, [{null}, {4}]]: levels of each item") {
    val a = field("a", Integer(32, signed = true))
    val item = field("item", Struct, a)
    val list = field("f", FixedSizeList(Struct, 2), item)
    val values = LeafColumn(ints(1, 0, 0, 0, 0, 4), validity(1, 1, 1, 1, 0, 1))
    val items = StructColumn(6, IndexedSeq(values), validity(1, 0, 1, 1, 1, 1))
    val column = FixedSizeListColumn(3, 2, items, validity(1, 0, 1))
    val page = one(Seq(list, item, a), column, EncodingVersion.V2_2)
    assert(page.numRows == 6)
    val layout = PageLayout.parseFrom(page.encoding).getMiniBlockLayout
    val layers = (0 until layout.getLayersCount).map(layout.getLayers)
    assert(layers == Seq.fill(3)(RepDefLayer.REPDEF_NULLABLE_ITEM))
    assert(layout.getNumItems == 6)
    assert(levels(page) == Seq(0, 2, 3, 3, 1, 0))
  }

  /** Returns the null layer of each item, innermost 1; 0 if it is not null. */
  private def levels(page: EncodedPage): Seq[Int] = {
    val reader = Pages.open(page, FixedWidth(32), EncodingVersion.V2_2)
    val rows = RowRange(0, page.numRows)
    reader.dataRange(rows).foreach { r =>
      reader.addWindow(rows, page.buffers(r.buffer).slice(r.offset, r.length))
    }
    val found = reader.read(0, page.numRows.toInt).layers
    (0 until page.numRows.toInt).map { i =>
      found.indexWhere {
        case ItemLayer(v) => v != null && !v.isValid(i)
        case _ => false
      } match {
        case -1 => 0
        case layer => found.length - layer
      }
    }
  }

  test("a struct without members is a page of nulls, regardless of its parents") {
    val empty = field("e", Struct)
    val outer = field("s", Struct, field("a", Integer(32, signed = true)), empty)
    val column = StructColumn(
      2,
      IndexedSeq(LeafColumn(ints(1, 2), null), StructColumn(2, IndexedSeq.empty, null)),
      null
    )
    val page = one(Seq(outer, empty), column, EncodingVersion.V2_1)
    assert(page.numRows == 2 && page.buffers.isEmpty)
    val layout = PageLayout.parseFrom(page.encoding)
    assert(layout.getConstantLayout.getLayersList ==
      java.util.Arrays.asList(RepDefLayer.REPDEF_NULLABLE_ITEM))
  }
}
