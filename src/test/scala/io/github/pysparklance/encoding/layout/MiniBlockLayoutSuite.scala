// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.{CompressiveEncoding, Flat, RepDefLayer, Variable}
import io.github.pysparklance.encoding.spi.{EncodedPage, EncodingVersion}
import io.github.pysparklance.testkit.Pages

class MiniBlockLayoutSuite extends GoldenPage {
  import EncodingVersion.{V2_1, V2_2}

  private val flat16 =
    CompressiveEncoding.newBuilder().setFlat(Flat.newBuilder().setBitsPerValue(16)).build()

  private def flat(bits: Int): CompressiveEncoding =
    CompressiveEncoding.newBuilder().setFlat(Flat.newBuilder().setBitsPerValue(bits.toLong)).build()

  private def miniBlock(
      numRows: Int,
      numItems: Int,
      values: CompressiveEncoding,
      layers: Seq[Int],
      version: EncodingVersion,
      buffers: String*
  ): EncodedPage =
    changed(page(numRows, "", buffers: _*)) { b =>
      val layout = b.getMiniBlockLayoutBuilder
        .setValueCompression(values)
        .setNumItems(numItems.toLong)
        .setNumBuffers(1)
        .setHasLargeChunk(version.hasLargeChunk)
      layers.foreach(l => layout.addLayers(RepDefLayer.forNumber(l)))
      if (layers.exists(l => RepDef.numDefLevels(RepDefLayer.forNumber(l)) > 0))
        layout.setDefCompression(flat16)
      if (layers.exists(l => RepDef.isList(RepDefLayer.forNumber(l))))
        layout.setRepCompression(flat16).setRepetitionIndexDepth(1)
    }

  // buffers of pages that the reference wrote

  private val threeInts = Seq(
    V2_1 -> miniBlock(
      3,
      3,
      flat(32),
      Seq(1),
      V2_1,
      "20 00",
      "00 00 | 0c 00 | fe fe fe fe | 01 00 00 00 02 00 00 00 03 00 00 00 | fe fe fe fe"
    ),
    V2_2 -> miniBlock(
      3,
      3,
      flat(32),
      Seq(1),
      V2_2,
      "20 00 00 00",
      "00 00 | 0c 00 00 00 | fe fe | 01 00 00 00 02 00 00 00 03 00 00 00 | fe fe fe fe"
    )
  )

  private val nullableInts = miniBlock(
    3,
    3,
    flat(32),
    Seq(3),
    V2_1,
    "30 00",
    """03 00 | 06 00 | 0c 00 | fe fe | 00 00 01 00 00 00 fe fe
      01 00 00 00 00 00 00 00 03 00 00 00 fe fe fe fe"""
  )

  private val nestedLists = page(
    4,
    "0a1e0a040a02081012040a0208101a040a020820320403060306380140014804",
    "80 00",
    """09 00 | 12 00 | 12 00 | 10 00
      02 00 00 00 01 00 01 00 01 00 02 00 02 00 02 00 01 00 fe fe fe fe fe fe
      00 00 00 00 03 00 04 00 02 00 05 00 06 00 01 00 00 00 fe fe fe fe fe fe
      01 00 00 00 02 00 00 00 00 00 00 00 03 00 00 00""",
    "04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
  )

  private val twoChunks = miniBlock(
    6,
    6,
    flat(32),
    Seq(3, 6),
    V2_1,
    "62 00 30 00",
    """06 00 0c 00 0c 00 10 00
      01 00 00 00 01 00 01 00 01 00 00 00 fe fe fe fe | 00 00 00 00 03 00 02 00 00 00 01 00 fe fe fe fe
      01 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00
      03 00 06 00 06 00 08 00
      00 00 01 00 01 00 fe fe | 00 00 03 00 00 00 fe fe | 05 00 00 00 06 00 00 00""",
    "03 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 | 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
  )

  test("reads and writes integers in both grammars") {
    threeInts.foreach { case (version, golden) =>
      assert(rows(golden, FixedWidth(32), version) == Seq(1, 2, 3))
      val out = written(int("i"), LeafColumn(ints(1, 2, 3), null), version)
      assert(rows(out, FixedWidth(32), version) == Seq(1, 2, 3))
    }
  }

  test("reads definition levels of one layer") {
    assert(rows(nullableInts, FixedWidth(32), V2_1) == Seq[Any](1, null, 3))
  }

  test("reads lists of structs of lists, and writes the same levels") {
    import io.github.pysparklance.testkit.Cells.Member
    val expected = Seq(
      Vector(Member(Vector(1, 2)), Member(Vector()), null, Member(null)),
      null,
      Vector(),
      Vector(Member(Vector(null)), Member(Vector(3)))
    )
    assert(rows(nestedLists, FixedWidth(32), V2_1) == expected)
    val inner = ListColumn(
      6,
      Array(0, 2, 2, 2, 2, 3, 4),
      LeafColumn(ints(1, 2, 0, 3), Validity.of(true, true, false, true)),
      Validity.of(true, true, true, false, true, true)
    )
    val column = ListColumn(
      4,
      Array(0, 4, 4, 4, 6),
      StructColumn(6, IndexedSeq(inner), Validity.of(true, true, false, true, true, true)),
      Validity.of(true, false, true, true)
    )
    val field = list("x", struct("item", list("b", int("item"))))
    val out = written(field, column, V2_1)
    assert(rows(out, FixedWidth(32), V2_1) == expected)
    assert(out.buffers(2).toBytes.toSeq == nestedLists.buffers(2).toBytes.toSeq)
  }

  test("reads rows that span chunks") {
    val expected =
      Seq[Any](Vector(1, 2), Vector(), null, Vector[Any](3, null, 5), Vector(), Vector(6))
    assert(rows(twoChunks, FixedWidth(32), V2_1) == expected)
    assert(Pages.readRanges(twoChunks, FixedWidth(32), V2_1, Seq(RowRange(3, 5))) == expected.slice(
      3,
      5
    ))
  }

  /** The Arrow dictionary<int8, utf8> ["a", null, "b"], its second index out of range. */
  private val dictionary = changed(
    miniBlock(
      3,
      3,
      flat(8),
      Seq(3),
      V2_1,
      "20 00",
      "03 00 | 06 00 | 03 00 | fe fe | 00 00 01 00 00 00 fe fe | 00 77 01 fe fe fe fe fe",
      "20 00 00 00 | 14 00 00 00 | 00 00 00 00 01 00 00 00 02 00 00 00 | 61 62"
    )
  )(
    _.getMiniBlockLayoutBuilder
      .setNumDictionaryItems(2)
      .getDictionaryBuilder
      .setVariable(Variable.newBuilder().setOffsets(flat(32)))
  )

  test("reads dictionary pages, and sets indices under nulls to 0") {
    assert(rows(dictionary, VariableWidth(32), V2_1) == Seq(utf8("a"), null, utf8("b")))
    val wide = changed(
      dictionary.copy(buffers =
        dictionary.buffers.updated(
          1,
          Buffer(
            hex(
              """03 00 | 06 00 | 18 00 | fe fe | 00 00 01 00 00 00 fe fe
                 00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff 01 00 00 00 00 00 00 00"""
            )
          )
        ).updated(0, Buffer(hex("40 00")))
      )
    )(_.getMiniBlockLayoutBuilder.setValueCompression(flat(64)))
    assert(rows(wide, VariableWidth(32), V2_1) == Seq(utf8("a"), null, utf8("b")))
    val outside = changed(dictionary) { b =>
      b.getMiniBlockLayoutBuilder.clearDefCompression().clearLayers().addLayers(
        RepDefLayer.REPDEF_ALL_VALID_ITEM
      )
    }.copy(buffers =
      dictionary.buffers
        .updated(0, Buffer(hex("10 00")))
        .updated(1, Buffer(hex("00 00 | 03 00 | fe fe fe fe | 00 02 01 fe fe fe fe fe")))
    )
    val e = intercept[CorruptFileException](rows(outside, VariableWidth(32), V2_1))
    assert(e.getMessage.contains("index 2 in a dictionary of 2 items"))
  }

  test("rejects a dictionary with more items than bytes, before allocation") {
    def items(numItems: Long, encoding: CompressiveEncoding, block: String) = changed(
      miniBlock(
        3,
        3,
        flat(8),
        Seq(1),
        V2_1,
        "10 00",
        "00 00 | 03 00 | fe fe fe fe | 00 01 00 fe fe fe fe fe",
        block
      )
    )(_.getMiniBlockLayoutBuilder.setNumDictionaryItems(numItems).setDictionary(encoding))
    def encoding(build: CompressiveEncoding.Builder => Any): CompressiveEncoding = {
      val builder = CompressiveEncoding.newBuilder()
      build(builder): Unit
      builder.build()
    }
    val constant =
      encoding(
        _.getConstantBuilder.setValue(com.google.protobuf.ByteString.copyFrom(hex("07000000")))
      )
    val noBits = encoding(
      _.getOutOfLineBitpackingBuilder.setUncompressedBitsPerValue(32).setValues(flat(0))
    )
    val runs = encoding(_.getRleBuilder.setValues(flat(32)).setRunLengths(flat(32)))
    val wrapped = encoding(
      _.getGeneralBuilder
        .setCompression(
          v2_1.BufferCompression.newBuilder().setScheme(
            v2_1.CompressionScheme.COMPRESSION_ALGORITHM_LZ4
          )
        )
        .setValues(constant)
    )
    def run(numItems: Int) =
      f"0400000000000000 07000000 ${Integer.reverseBytes(numItems)}%08x"
    val few = 2048
    val many = 8 << 20
    Seq(
      (constant, "", ""),
      (noBits, "", ""),
      (runs, run(few), run(many)),
      (wrapped, "00000000 00", "00000000 00")
    ).foreach { case (by, fewBlock, manyBlock) =>
      val seven = if (by == noBits) 0 else 7
      assert(
        rows(items(few.toLong, by, fewBlock), FixedWidth(32), V2_1) == Seq.fill(3)(seven),
        by.toString
      )
      rejected("dictionary of 8388608 items", items(many.toLong, by, manyBlock))
    }
  }

  private def rejected(text: String, page: EncodedPage, version: EncodingVersion = V2_1) = {
    val e = intercept[CorruptFileException](rows(page, FixedWidth(32), version))
    assert(e.getMessage.contains(text), e.getMessage)
  }

  test("rejects a page with the grammar of the other version") {
    rejected("has_large_chunk false in a file of version 2.2", nullableInts, V2_2)
    rejected("has_large_chunk true in a file of version 2.1", threeInts(1)._2)
  }

  test("rejects inconsistent sizes and counts") {
    def buffer(p: EncodedPage, i: Int, bytes: String) =
      p.copy(buffers = p.buffers.updated(i, Buffer(hex(bytes))))
    rejected("chunks of 24 bytes in a buffer of 32", buffer(nullableInts, 0, "20 00"))
    rejected("chunk table of 3 bytes", buffer(nullableInts, 0, "30 00 00"))
    rejected("has one value", buffer(nullableInts, 0, "10 00 10 00"))
    rejected(
      "4 items in a page of 3 rows",
      changed(nullableInts)(_.getMiniBlockLayoutBuilder.setNumItems(4))
    )
    rejected("2 value buffers", changed(nullableInts)(_.getMiniBlockLayoutBuilder.setNumBuffers(2)))
    rejected("expected 3", nestedLists.copy(buffers = nestedLists.buffers.take(2)))
    rejected("repetition index of 8 bytes", buffer(nestedLists, 2, "04 00 00 00 00 00 00 00"))
    rejected(
      "repetition index of 3 rows",
      buffer(nestedLists, 2, "03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00")
    )
    rejected("levels with", changed(nestedLists)(_.getMiniBlockLayoutBuilder.setNumItems(5)))
    rejected(
      "rep_compression",
      changed(nestedLists)(_.getMiniBlockLayoutBuilder.clearRepCompression())
    )
    rejected(
      "definition level above",
      changed(nestedLists)(_.getMiniBlockLayoutBuilder.setLayers(
        3,
        RepDefLayer.REPDEF_NULLABLE_LIST
      ))
    )
    rejected(
      "4 rows start, but the repetition index declares 3",
      buffer(
        twoChunks,
        2,
        "03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 | 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
      ),
      V2_1
    )
  }

  /** A block of run-length levels: 16-bit values, 8-bit lengths. */
  private def rleBlock(runs: (Int, Int)*): Array[Byte] = {
    val cut = runs.flatMap { case (level, n) =>
      Seq.fill(n / 255)((level, 255)) ++ (if (n % 255 > 0) Seq((level, n % 255)) else Nil)
    }
    val block = java.nio.ByteBuffer.allocate(8 + 3 * cut.length)
    block.order(java.nio.ByteOrder.LITTLE_ENDIAN).putLong(2L * cut.length)
    cut.foreach { case (level, _) => block.putShort(level.toShort) }
    cut.foreach { case (_, n) => block.put(n.toByte) }
    block.array
  }

  test("the number of run-length levels of a chunk may have wrapped at 65536") {
    val numNulls = 65540 // null lists, then [7]
    def chunk(stored: Int, rep: Array[Byte], defs: Array[Byte]): Array[Byte] = {
      def pad8(n: Int) = (n + 7) & ~7
      val out = java.nio.ByteBuffer
        .allocate(16 + pad8(rep.length) + pad8(defs.length) + 8)
        .order(java.nio.ByteOrder.LITTLE_ENDIAN)
      out.putShort(
        stored.toShort
      ).putShort(rep.length.toShort).putShort(defs.length.toShort).putInt(4)
      out.position(16).put(rep).position(16 + pad8(rep.length)).put(defs)
      out.position(16 + pad8(rep.length) + pad8(defs.length)).putInt(7)
      out.array
    }
    def wrapped(stored: Int, rep: Array[Byte], defs: Array[Byte]): EncodedPage = {
      val rle = v2_1.Rle.newBuilder().setValues(flat16).setRunLengths(flat(8))
      val levels = CompressiveEncoding.newBuilder().setRle(rle).build()
      val data = chunk(stored, rep, defs)
      val word = java.nio.ByteBuffer.allocate(4).order(java.nio.ByteOrder.LITTLE_ENDIAN)
      val index = java.nio.ByteBuffer.allocate(16).order(java.nio.ByteOrder.LITTLE_ENDIAN)
      val made = changed(page(numNulls + 1, "")) { b =>
        b.getMiniBlockLayoutBuilder
          .setValueCompression(flat(32))
          .setNumItems(1)
          .setNumBuffers(1)
          .setHasLargeChunk(true)
          .setRepetitionIndexDepth(1)
          .setRepCompression(levels)
          .setDefCompression(levels)
          .addLayers(RepDefLayer.REPDEF_ALL_VALID_ITEM)
          .addLayers(RepDefLayer.REPDEF_NULLABLE_LIST)
      }
      made.copy(buffers =
        IndexedSeq(
          Buffer(word.putInt((data.length / 8 - 1) << 4).array),
          Buffer(data),
          Buffer(index.putLong(numNulls + 1L).array)
        )
      )
    }
    def read(page: EncodedPage) =
      Pages.readRanges(page, FixedWidth(32), V2_2, Seq(RowRange(numNulls - 2L, numNulls + 1L)))
    val rep = rleBlock(1 -> (numNulls + 1))
    val defs = rleBlock(1 -> numNulls, 0 -> 1)
    val wrappedCount = (numNulls + 1) % 65536
    assert(read(wrapped(wrappedCount, rep, defs)) == IndexedSeq(null, null, IndexedSeq(7)))
    intercept[CorruptFileException](read(wrapped(wrappedCount + 1, rep, defs)))
    intercept[CorruptFileException](read(wrapped(wrappedCount, rep, rleBlock(1 -> numNulls))))
    intercept[CorruptFileException](read(wrapped(wrappedCount, rleBlock(1 -> 4), defs)))
  }
}
