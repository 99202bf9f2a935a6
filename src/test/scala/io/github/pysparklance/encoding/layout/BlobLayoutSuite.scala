// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import scala.util.Random

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.{PageLayout, RepDefLayer}
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.testkit.Pages

class BlobLayoutSuite extends GoldenPage {
  private val version = EncodingVersion.V2_1
  private val descriptors = BlobLayout.descriptorType

  /** [b"hello", null, b"", b"world!"] */
  private val golden = page(
    4,
    "221d0a180a161a0d620b0a02404012050a0308800132010138014804120103",
    "80 00",
    "00 00 40 00 fe fe fe fe" +
      "0000000000000000 0500000000000000  0000010000000000 0000000000000000" +
      "0000000000000000 0000000000000000  4000000000000000 0600000000000000"
  )

  private def read(page: EncodedPage, valueType: ValueType = descriptors): LeafBatch = {
    val reader = Pages.open(page, valueType, version)
    val rows = RowRange(0, page.numRows)
    reader.dataRange(rows).foreach { r =>
      reader.addWindow(rows, page.buffers(r.buffer).slice(r.offset, r.length))
    }
    reader.read(0, page.numRows.toInt)
  }

  private def longs(batch: LeafBatch, member: Int): Seq[Long] = batch.values match {
    case PlainLeaf(v: PackedStructValues) =>
      v.children(member).asInstanceOf[LongValues].array.take(v.numItems).toSeq
    case other => fail(s"$other")
  }

  private def validity(batch: LeafBatch): Seq[Boolean] = batch.layers match {
    case IndexedSeq(ItemLayer(null)) => Seq.fill(batch.numRows)(true)
    case IndexedSeq(ItemLayer(v)) => (0 until v.numItems).map(v.isValid)
    case other => fail(s"$other")
  }

  test("a page written by pylance: descriptors mark nulls") {
    val batch = read(golden)
    assert(longs(batch, 0) == Seq(0L, 0x10000L, 0L, 64L))
    assert(longs(batch, 1) == Seq(5L, 0L, 0L, 6L))
    assert(validity(batch) == Seq(true, false, true, true))
  }

  test("a blob in a struct combines the nulls of both") {
    val nested = changed(golden)(_.getBlobLayoutBuilder.addLayers(RepDefLayer.REPDEF_NULLABLE_ITEM))
    val batch = read(nested)
    assert(batch.layers.length == 2)
    assert(batch.layers.head == ItemLayer(null))
    batch.layers(1) match {
      case ItemLayer(v) => assert((0 until 4).map(v.isValid) == Seq(true, false, true, true))
      case other => fail(s"$other")
    }
  }

  test("lists, unknown levels, and other columns are rejected") {
    val inList =
      changed(golden)(_.getBlobLayoutBuilder.addLayers(RepDefLayer.REPDEF_ALL_VALID_LIST))
    val e = intercept[UnsupportedFeatureException](read(inList))
    assert(e.feature == "blobs in lists")
    val allValid = changed(golden)(
      _.getBlobLayoutBuilder.clearLayers().addLayers(RepDefLayer.REPDEF_ALL_VALID_ITEM)
    )
    intercept[CorruptFileException](read(allValid))
    intercept[CorruptFileException](read(golden, VariableWidth(64)))
    intercept[CorruptFileException](read(changed(golden)(_.getBlobLayoutBuilder.clearLayers())))
    intercept[CorruptFileException](read(changed(golden) { b =>
      b.getBlobLayoutBuilder.setInnerLayout(b.build())
    }))
    val withRepetition = golden.buffers(1).toBytes
    withRepetition(24) = 1
    intercept[CorruptFileException](
      read(golden.copy(buffers = IndexedSeq(golden.buffers(0), Buffer(withRepetition))))
    )
  }

  test("truncated and corrupt bytes raise only Lance errors") {
    val random = new Random(42)
    def attempt(page: EncodedPage): Unit =
      try Pages.readAll(page, descriptors, version, random): Unit
      catch { case _: CorruptFileException | _: UnsupportedFeatureException => () }
    golden.buffers.indices.foreach { b =>
      val bytes = golden.buffers(b).toBytes
      bytes.indices.foreach { at =>
        attempt(golden.copy(buffers = golden.buffers.updated(b, Buffer(bytes.take(at)))))
        val flipped = bytes.clone()
        flipped(at) = (flipped(at) ^ (1 << random.nextInt(8))).toByte
        attempt(golden.copy(buffers = golden.buffers.updated(b, Buffer(flipped))))
      }
    }
    golden.encoding.indices.foreach { at =>
      attempt(golden.copy(encoding = golden.encoding.take(at)))
      val flipped = golden.encoding.clone()
      flipped(at) = (flipped(at) ^ (1 << random.nextInt(8))).toByte
      attempt(golden.copy(encoding = flipped))
    }
  }

  test("written pages equal the pages of pylance") {
    val field = Field(
      0,
      "b",
      LogicalType.Binary(large = true),
      nullable = true,
      metadata = Map(BlobField.Marker -> "true")
    )
    val positions = new LongValues
    val sizes = new LongValues
    Seq(0L -> 5L, 7L -> 7L, 0L -> 0L, 64L -> 6L).foreach { case (position, size) =>
      positions.append(position)
      sizes.append(size)
    }
    val validity = new Validity
    Seq(true, false, true, true).foreach(validity.append)
    val column = StructColumn(
      4,
      IndexedSeq(LeafColumn(positions, null), LeafColumn(sizes, null)),
      validity
    )
    val written = Pages.write(IndexedSeq(field), column, version, 0, 4, 3)
    assert(written.length == 1)
    assert(PageLayout.parseFrom(written.head.encoding) == PageLayout.parseFrom(golden.encoding))
    val bytes = written.head.buffers.map(b => b.toBytes.toSeq)
    assert(bytes == golden.buffers.map(b => b.toBytes.toSeq))
  }
}
