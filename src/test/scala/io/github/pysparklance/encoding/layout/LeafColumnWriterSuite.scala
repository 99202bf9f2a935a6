// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.EncodingChooser
import io.github.pysparklance.encoding.proto.v2_1.PageLayout
import io.github.pysparklance.encoding.proto.v2_1.RepDefLayer._
import io.github.pysparklance.encoding.spi.EncodingVersion

class LeafColumnWriterSuite extends GoldenPage {
  import EncodingVersion.V2_2

  private def writer(field: Field) = new LeafColumnWriter(path(field), new EncodingChooser(V2_2))

  private def layers(field: Field, column: Column): Seq[Any] = {
    import scala.jdk.CollectionConverters._
    val layout = PageLayout.parseFrom(written(field, column, V2_2).encoding)
    if (layout.hasMiniBlockLayout) layout.getMiniBlockLayout.getLayersList.asScala.toSeq
    else layout.getConstantLayout.getLayersList.asScala.toSeq
  }

  test("counts rows and bytes until they are flushed") {
    val w = writer(int("i"))
    assert(w.flush().isEmpty)
    w.append(LeafColumn(ints(1, 2, 3, 4), null), 1, 2)
    assert(w.numRows == 2 && w.bufferedBytes == 8)
    w.append(LeafColumn(ints(5), Validity.of(false)), 0, 1)
    assert(w.numRows == 3 && w.bufferedBytes == 12 + 6)
    val pages = w.flush()
    assert(pages.map(_.numRows) == Seq(3) && w.numRows == 0 && w.bufferedBytes == 0)
    assert(rows(pages.head, FixedWidth(32), V2_2) == Seq[Any](2, 3, null))
  }

  test("layers describe only the levels present in the page") {
    val item = LeafColumn(ints(1, 2, 3), null)
    val nulls = LeafColumn(ints(1, 2, 3), Validity.of(true, false, true))
    assert(layers(int("i"), item) == Seq(REPDEF_ALL_VALID_ITEM))
    assert(layers(int("i"), nulls) == Seq(REPDEF_NULLABLE_ITEM))
    def listOf(offsets: Int*)(validity: Validity) =
      ListColumn(offsets.length - 1, offsets.toArray, item, validity)
    val field = list("l", int("item"))
    assert(layers(field, listOf(0, 1, 3)(null)).last == REPDEF_ALL_VALID_LIST)
    assert(layers(field, listOf(0, 0, 3)(null)).last == REPDEF_EMPTYABLE_LIST)
    assert(layers(field, listOf(0, 0, 3)(Validity.of(false, true))).last == REPDEF_NULLABLE_LIST)
    assert(
      layers(field, listOf(0, 0, 0, 3)(Validity.of(false, true, true))).last ==
        REPDEF_NULL_AND_EMPTY_LIST
    )
  }

  test("items of null lists are dropped") {
    val column =
      ListColumn(2, Array(0, 2, 3), LeafColumn(ints(8, 9, 1), null), Validity.of(false, true))
    val page = written(list("l", int("item")), column, V2_2)
    assert(rows(page, FixedWidth(32), V2_2) == Seq(null, Vector(1)))
  }

  test("rejects unsupported types and columns of another shape") {
    val blobs = list("l", Field(-1, "b", LogicalType.Blob, nullable = true))
    val rejected = intercept[UnsupportedFeatureException](writer(blobs)).getMessage
    assert(rejected.contains("blobs in lists, column 'b'"))
    val e = intercept[InvalidRequestException](writer(int("i")).append(
      LeafColumn(strings("a"), null),
      0,
      1
    ))
    assert(e.getMessage.contains("column \"i\" of type int32"))
    val nested = writer(list("l", int("item")))
    intercept[InvalidRequestException](nested.append(LeafColumn(ints(1), null), 0, 1))
  }
}
