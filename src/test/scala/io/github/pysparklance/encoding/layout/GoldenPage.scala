// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.PageDecoders
import io.github.pysparklance.encoding.proto.v2_1.PageLayout
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.testkit.{Cells, Pages}

/** Reads pages given as bytes, and compares written pages with them. */
abstract class GoldenPage extends AnyFunSuite {

  /** Returns bytes from hexadecimal digits; spaces and bars are ignored. */
  protected def hex(text: String): Array[Byte] =
    text.filterNot(c => c.isWhitespace || c == '|').grouped(2).map(Integer.parseInt(
      _,
      16
    ).toByte).toArray

  protected def page(numRows: Int, layout: String, buffers: String*): EncodedPage =
    EncodedPage(
      numRows.toLong,
      PageDecoders.PageLayoutUrl,
      hex(layout),
      buffers.map(b => Buffer(hex(b))).toIndexedSeq
    )

  /** Returns the page with a changed message. */
  protected def changed(page: EncodedPage)(change: PageLayout.Builder => Any): EncodedPage = {
    val builder = PageLayout.parseFrom(page.encoding).toBuilder
    change(builder): Unit
    page.copy(encoding = builder.build().toByteArray)
  }

  protected def rows(
      page: EncodedPage,
      valueType: ValueType,
      version: EncodingVersion
  ): IndexedSeq[Any] = {
    val whole = Pages.readRanges(page, valueType, version, Seq(RowRange(0, page.numRows)))
    val each = (0L until page.numRows).map(r => RowRange(r, r + 1))
    assert(Pages.readRanges(page, valueType, version, each) == whole, "row by row")
    whole
  }

  protected def int(name: String): Field =
    Field(-1, name, LogicalType.Integer(32, signed = true), nullable = true)

  protected def list(name: String, item: Field): Field =
    Field(
      -1,
      name,
      LogicalType.List(large = false, item.logicalType == LogicalType.Struct),
      nullable = true,
      IndexedSeq(item)
    )

  protected def struct(name: String, children: Field*): Field =
    Field(-1, name, LogicalType.Struct, nullable = true, children.toIndexedSeq)

  protected def path(field: Field): IndexedSeq[Field] =
    Pages.paths(Schema(IndexedSeq(field)).withFreshIds.fields.head).head

  protected def ints(values: Int*): IntValues = {
    val v = new IntValues
    values.foreach(v.append)
    v
  }

  protected def strings(values: String*): BinaryValues = {
    val v = new BinaryValues
    values.map(_.getBytes("UTF-8")).foreach(b => v.append(b, 0, b.length))
    v
  }

  protected def utf8(value: String): Seq[Byte] = value.getBytes("UTF-8").toSeq

  protected def written(field: Field, column: Column, version: EncodingVersion): EncodedPage = {
    val pages = Pages.write(path(field), column, version, 0, column.numRows, column.numRows)
    assert(pages.length == 1)
    pages.head
  }

  protected def sameBuffers(found: EncodedPage, expected: EncodedPage): org.scalatest.Assertion =
    assert(found.buffers.map(toHex) == expected.buffers.map(toHex))

  private def toHex(buffer: Buffer): String = buffer.toBytes.map(b => f"$b%02x").mkString(" ")

  protected def cells(column: Column, field: Field): IndexedSeq[Any] =
    Cells.of(column, path(field), 0, column.numRows)
}
