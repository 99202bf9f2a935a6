// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import com.google.protobuf.ByteString

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.PageDecoders
import io.github.pysparklance.encoding.layout.GoldenPage
import io.github.pysparklance.encoding.proto.v2_1.{
  CompressiveEncoding,
  Constant,
  FixedSizeList,
  Flat,
  Range,
  RepDefLayer,
  Variable
}
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.proto.v2_3.SparseValiditySet.Meaning
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.testkit.Cells

/** Hand-written pages of version 2.3. Pages of pylance are tested in `PlanarFileSuite`. */
class PlanarLayoutSuite extends GoldenPage {
  private val version = EncodingVersion.V2_3

  private def flat(bits: Int) =
    CompressiveEncoding.newBuilder().setFlat(Flat.newBuilder().setBitsPerValue(bits.toLong)).build()
  private def range(start: Long, step: Long) = CompressiveEncoding
    .newBuilder()
    .setRange(Range.newBuilder().setUncompressedBitsPerValue(64).setStart(start).setStep(step))
    .build()
  private def constant(number: Int) = CompressiveEncoding
    .newBuilder()
    .setConstant(
      Constant.newBuilder().setValue(ByteString.copyFrom(number.toByte +: new Array[Byte](7)))
    )
    .build()
  private val nothing =
    CompressiveEncoding.newBuilder().setConstant(Constant.getDefaultInstance).build()

  private def set(meaning: Meaning, positions: CompressiveEncoding, count: Long) =
    v2_3.SparseValiditySet
      .newBuilder()
      .setMeaning(meaning)
      .setPositions(positions)
      .setNumPositions(count)
      .build()
  private def nulls(positions: CompressiveEncoding, count: Long) =
    set(Meaning.SPARSE_VALIDITY_NULL_POSITIONS, positions, count)
  private def valid(positions: CompressiveEncoding, count: Long) =
    set(Meaning.SPARSE_VALIDITY_VALID_POSITIONS, positions, count)
  private val allValid = nulls(nothing, 0)

  private def items(validity: v2_3.SparseValiditySet) =
    v2_3.SparseStructuralLayer.newBuilder().setValidity(validity).build()

  private def lists(
      numChildren: Long,
      positions: CompressiveEncoding,
      count: Long,
      counts: CompressiveEncoding,
      validity: v2_3.SparseValiditySet
  ) = v2_3.SparseStructuralLayer
    .newBuilder()
    .setList(
      v2_3.SparseListLayer
        .newBuilder()
        .setNumChildSlots(numChildren)
        .setNonEmptyPositions(positions)
        .setNumNonEmptyPositions(count)
        .setCounts(counts)
        .setValidity(validity)
    )
    .build()

  private def sparse(layers: v2_3.SparseStructuralLayer*) = {
    val structure = v2_3.SparseStructure.newBuilder()
    layers.foreach(structure.addLayers)
    v2_3.StructuralPlane.newBuilder().setSparse(structure).build()
  }

  private def dense(layers: RepDefLayer*) = {
    val structure = v2_3.DenseStructure.newBuilder()
    layers.foreach(structure.addLayers)
    v2_3.StructuralPlane.newBuilder().setDense(structure).build()
  }

  private def constantPlane(scalar: String) = v2_3.ValuePlane
    .newBuilder()
    .setConstant(v2_3.ConstantValue.newBuilder().setScalar(ByteString.copyFrom(hex(scalar))))
    .build()
  private val noValues =
    v2_3.ValuePlane.newBuilder().setNone(v2_3.NoValues.getDefaultInstance).build()
  private val chunked = v2_3.ValuePlane
    .newBuilder()
    .setChunked(v2_3.ChunkedValues.newBuilder().setCompression(flat(32)).setNumBuffers(1))
    .build()

  private def zipped(numItems: Long) = v2_3.ValuePlane
    .newBuilder()
    .setZipped(
      v2_3.ZippedValues
        .newBuilder()
        .setCompression(flat(32))
        .setBitsPerValue(32)
        .setNumItems(numItems)
        .setNumVisibleItems(numItems)
    )
    .build()

  private def planar(
      numRows: Int,
      structure: v2_3.StructuralPlane,
      values: v2_3.ValuePlane,
      buffers: String*
  ): EncodedPage = EncodedPage(
    numRows.toLong,
    PageDecoders.PlanarLayoutUrl,
    v2_3.PlanarLayout.newBuilder().setStructure(structure).setValues(values).build().toByteArray,
    buffers.map(b => Buffer(hex(b))).toIndexedSeq
  )

  private def read(page: EncodedPage, valueType: ValueType = FixedWidth(32)): IndexedSeq[Any] =
    rows(page, valueType, version)

  private def rejected(page: EncodedPage, text: String): Unit = {
    val e = intercept[LanceException](read(page))
    if (!e.getMessage.contains(text)) fail(e)
  }

  // [[1, null], null, [], [4]]
  private val example = lists(3, range(0, 3), 2, flat(64), nulls(constant(1), 1))
  private val exampleCounts = "0200000000000000 0100000000000000"
  private val words = "20000000"
  private val chunk = "0000 0c000000 fefe 01000000 00000000 04000000 fefefefe"

  test("a sparse page of lists in chunks") {
    val page = planar(
      4,
      sparse(example, items(valid(range(0, 2), 2))),
      chunked,
      words,
      chunk,
      exampleCounts
    )
    assert(read(page) == Seq[Any](Vector[Any](1, null), null, Vector.empty, Vector(4)))
  }

  test("a sparse page of zipped values contains only non-null values") {
    val structure = sparse(example, items(valid(range(0, 2), 2)))
    val page = planar(4, structure, zipped(2), "01000000 04000000", exampleCounts)
    assert(read(page) == Seq[Any](Vector[Any](1, null), null, Vector.empty, Vector(4)))
    rejected(planar(4, structure, zipped(1), "01000000", exampleCounts), "1 zipped values for 2")
    rejected(planar(4, structure, zipped(2), "01000000", exampleCounts), "4 bytes")
  }

  test("only indices of nulls may be outside the dictionary") {
    val plane = chunked.toBuilder
    plane.getChunkedBuilder
      .setCompression(flat(8))
      .setDictionary(flat(32))
      .setNumDictionaryItems(2)
    def page(structure: v2_3.StructuralPlane, indices: String) = planar(
      3,
      structure,
      plane.build(),
      "10000000",
      s"0000 03000000 fefe $indices fefefefefe",
      "07000000 09000000"
    )
    val leaf = sparse(items(nulls(constant(1), 1)))
    assert(read(page(leaf, "00 77 01")) == Seq[Any](7, null, 9))
    rejected(page(leaf, "00 77 02"), "index 2 in a dictionary of 2 items")
    rejected(page(sparse(items(allValid)), "00 77 01"), "index 119")
    val inStruct = sparse(items(nulls(constant(1), 1)), items(allValid))
    assert(
      read(page(inStruct, "00 77 01")) == Seq(Cells.Member(7), null, Cells.Member(9))
    )
    rejected(page(inStruct, "02 77 01"), "index 2")
    plane.getChunkedBuilder
      .setNumDictionaryItems(1)
      .getDictionaryBuilder
      .setFixedSizeList(FixedSizeList.newBuilder().setItemsPerValue(2).setValues(flat(32)))
    val pair = Vector(Some(7), Some(9))
    assert(
      read(page(leaf, "00 77 00"), FixedSizeListType(2, FixedWidth(32))) ==
        Seq[Any](pair, null, pair)
    )
  }

  test("only indices of nulls may be outside a zipped dictionary of strings") {
    val variable = CompressiveEncoding
      .newBuilder()
      .setVariable(Variable.newBuilder().setOffsets(flat(32)))
      .build()
    val plane = v2_3.ValuePlane
      .newBuilder()
      .setIndexed(
        v2_3.IndexedValues
          .newBuilder()
          .setIndices(flat(32))
          .setItems(
            v2_3.ZippedValues
              .newBuilder()
              .setCompression(variable)
              .setBitsPerOffset(32)
              .setNumItems(2)
              .setNumVisibleItems(2)
          )
      )
      .build()
    def page(validity: v2_3.SparseValiditySet) = planar(
      3,
      sparse(items(validity)),
      plane,
      "00000000 77000000 01000000",
      "01000000 61 01000000 62",
      "00 05 0a"
    )
    assert(
      read(page(nulls(constant(1), 1)), VariableWidth(32)) == Seq(utf8("a"), null, utf8("b"))
    )
    val e = intercept[CorruptFileException](read(page(allValid), VariableWidth(32)))
    assert(e.getMessage.contains("an index beyond the 2 items"))
  }

  test("null structs hide non-null values") {
    val structure = sparse(items(nulls(range(1, 2), 2)), items(nulls(constant(2), 1)))
    val page = planar(5, structure, zipped(2), "01000000 05000000")
    assert(
      read(page) == Seq(Cells.Member(1), null, Cells.Member(null), null, Cells.Member(5))
    )
  }

  test("sparse pages of one value and of none") {
    val structure = sparse(example, items(valid(range(0, 2), 2)))
    assert(
      read(planar(4, structure, constantPlane("07000000"), exampleCounts)) ==
        Seq[Any](Vector[Any](7, null), null, Vector.empty, Vector(7))
    )
    val empty = sparse(example, items(valid(nothing, 0)))
    assert(
      read(planar(4, empty, noValues, exampleCounts)) ==
        Seq(Vector(null, null), null, Vector.empty, Vector(null))
    )
    rejected(planar(4, structure, noValues, exampleCounts), "2 valid slots")
    rejected(planar(4, structure, constantPlane("0700"), exampleCounts), "2 bytes")
  }

  test("dense pages of one value and of none") {
    val one = planar(3, dense(RepDefLayer.REPDEF_ALL_VALID_ITEM), constantPlane("07000000"))
    assert(read(one) == Seq(7, 7, 7))
    val none = planar(3, dense(RepDefLayer.REPDEF_NULLABLE_ITEM), noValues)
    assert(read(none) == Seq(null, null, null))
    rejected(planar(3, dense(RepDefLayer.REPDEF_NULLABLE_ITEM), constantPlane("07000000")), "layer")
    rejected(planar(3, dense(RepDefLayer.REPDEF_ALL_VALID_ITEM), noValues), "layers")
    rejected(planar(3, dense(), noValues), "without layers")
    rejected(planar(3, dense(RepDefLayer.REPDEF_NULLABLE_ITEM), noValues, "00"), "1 buffers")
  }

  test("dense chunks need levels, sparse ones have none") {
    rejected(planar(3, dense(RepDefLayer.REPDEF_ALL_VALID_ITEM), chunked, words, chunk), "levels")
    val levels = chunked.toBuilder
    levels.getChunkedBuilder.setLevels(v2_3.DenseChunkLevels.getDefaultInstance).setNumItems(3)
    val page =
      planar(3, dense(RepDefLayer.REPDEF_ALL_VALID_ITEM), levels.build(), words, chunk)
    assert(read(page) == Seq(1, 0, 4))
    val structure = sparse(items(allValid))
    rejected(planar(3, structure, levels.build(), words, chunk), "levels")
    assert(read(planar(3, structure, chunked, words, chunk)) == Seq(1, 0, 4))
  }

  test("inconsistent structures are rejected") {
    val leaf = items(allValid)
    def page(numRows: Int, layers: v2_3.SparseStructuralLayer*) =
      planar(numRows, sparse(layers: _*), constantPlane("07000000"))
    rejected(page(4), "0 layers")
    rejected(page(4, lists(1, constant(0), 1, constant(1), allValid)), "last")
    rejected(page(4, items(nulls(range(0, 1), 5))), "5 positions")
    rejected(page(4, items(nulls(range(1, 3), 2))), "domain of 4")
    rejected(page(4, items(nulls(constant(0), 2))), "2 positions")
    rejected(page(4, items(set(Meaning.SPARSE_VALIDITY_UNSPECIFIED, nothing, 0))), "meaning 0")
    rejected(page(4, lists(3, range(0, 1), 2, constant(2), allValid), leaf), "but 3 child slots")
    rejected(page(4, lists(0, range(0, 1), 2, constant(0), allValid), leaf), "children")
    rejected(
      page(4, lists(4, range(0, 1), 2, constant(2), nulls(constant(1), 1)), leaf),
      "null list has children"
    )
    rejected(page(4, lists(-1, range(0, 1), 2, constant(2), allValid), leaf), "child slots")
    rejected(page(4, lists(1L << 40, range(0, 1), 4, constant(2), allValid), leaf), "child slots")
    rejected(page(4, v2_3.SparseStructuralLayer.getDefaultInstance, leaf), "layer")
    // counts of bytes
    def counted(bytes: String) = planar(
      4,
      sparse(lists(3, range(0, 3), 2, flat(64), allValid), leaf),
      constantPlane("07000000"),
      bytes
    )
    rejected(counted("0200000000000000 0000000000000000"), "list 1")
    rejected(counted("0200000000000000 0200000000000000"), "list 1")
    rejected(counted("0100000000000000 0100000000000000"), "2 children")
    rejected(counted("0100000000000000"), "8 bytes")
  }

  test("a huge number of rows in few bytes is not expanded") {
    val huge = 1L << 60
    val page = EncodedPage(
      huge,
      PageDecoders.PlanarLayoutUrl,
      v2_3.PlanarLayout
        .newBuilder()
        .setStructure(sparse(items(nulls(range(1, 2), huge / 2 - 1))))
        .setValues(constantPlane("07000000"))
        .build()
        .toByteArray,
      IndexedSeq.empty
    )
    val reader = io.github.pysparklance.testkit.Pages.open(page, FixedWidth(32), version)
    val batch = reader.read(huge - 4, 4)
    assert(Cells.of(batch) == Seq[Any](7, null, 7, 7))
  }

  test(
    "pages of 2.3 by earlier releases, and of 2.2 with the layout of 2.3, are rejected by name"
  ) {
    val old = page(3, "12 03 2a 01 03")
    val e = intercept[UnsupportedFeatureException](rows(old, FixedWidth(32), version))
    assert(e.feature.contains("2.3 by releases before 14"))
    val planarPage = planar(3, dense(RepDefLayer.REPDEF_NULLABLE_ITEM), noValues)
    val other = intercept[UnsupportedFeatureException](
      rows(planarPage, FixedWidth(32), EncodingVersion.V2_2)
    )
    assert(other.feature.contains("PlanarLayout") && other.feature.contains("2.2"))
  }
}
