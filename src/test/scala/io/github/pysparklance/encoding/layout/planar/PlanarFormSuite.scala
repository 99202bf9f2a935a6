// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.proto.v2_3.StructuralPlane.CodecCase.{DENSE, SPARSE}
import io.github.pysparklance.encoding.proto.v2_3.ValuePlane.CodecCase._
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.testkit.{Cells, Pages}

/** The layouts of pages of version 2.3. All of them round-trip. */
class PlanarFormSuite extends AnyFunSuite {
  import PlanarFormSuite._

  private def layoutOf(field: Field, column: Column): v2_3.PlanarLayout = {
    val path = Pages.paths(field).head
    val pages = Pages.write(path, column, version, 0, column.numRows, 777)
    assert(pages.length == 1 && pages.head.typeUrl == "/lance.encodings23.PlanarLayout")
    val expected = Cells.of(column, path, 0, column.numRows)
    val valueType = path.last.valueType
    val random = new Random(5)
    (0 until 5).foreach { _ =>
      assert(pages.flatMap(Pages.readAll(_, valueType, version, random)) == expected)
      val cuts = Seq.fill(4)(random.nextInt(column.numRows + 1)).distinct.sorted
      val ranges = cuts.zip(cuts.tail).map { case (a, b) => RowRange(a.toLong, b.toLong) }
      val wanted = ranges.flatMap(r => expected.slice(r.from.toInt, r.until.toInt))
      assert(Pages.readRanges(pages.head, valueType, version, ranges) == wanted)
    }
    v2_3.PlanarLayout.parseFrom(pages.head.encoding)
  }

  private def formOf(field: Field, column: Column): (Any, Any) = {
    val layout = layoutOf(field, column)
    (layout.getStructure.getCodecCase, layout.getValues.getCodecCase)
  }

  test("numbers are stored in dense chunks, with nulls and in lists") {
    val numbers = ints(3000)(i => i * 31 % 1000)
    assert(formOf(int, LeafColumn(numbers, null)) == ((DENSE, CHUNKED)))
    assert(formOf(int, LeafColumn(numbers, nullAt(3000)(_ % 3 == 0))) == ((DENSE, CHUNKED)))
    val lists = ListColumn(1000, Array.tabulate(1001)(_ * 3), LeafColumn(numbers, null), null)
    assert(formOf(listOf(int), lists) == ((DENSE, CHUNKED)))
  }

  test("wide values are zipped, and separated from their nulls if these are many") {
    val wide = new WideValues(300)
    val at = wide.extend(200)
    (0 until 200).foreach(i => wide.bytes(at + i * 300) = i.toByte)
    val field = Field(0, "w", LogicalType.FixedSizeBinary(300), nullable = true)
    assert(formOf(field, LeafColumn(wide, nullAt(200)(_ % 5 == 0))) == ((DENSE, ZIPPED)))
    assert(formOf(field, LeafColumn(wide, nullAt(200)(_ % 5 != 0))) == ((SPARSE, ZIPPED)))
    val texts = new BinaryValues
    (0 until 200).foreach(i => texts.append(Array.fill(400)(i.toByte), 0, 400))
    val text = Field(0, "t", LogicalType.Binary(large = false), nullable = true)
    assert(formOf(text, LeafColumn(texts, nullAt(200)(_ % 5 != 0))) == ((SPARSE, ZIPPED)))
  }

  test("one repeated value, with and without nulls") {
    val same = ints(5000)(_ => 7)
    assert(formOf(int, LeafColumn(same, null)) == ((DENSE, CONSTANT)))
    assert(formOf(int, LeafColumn(same, nullAt(5000)(_ == 1234))) == ((SPARSE, CONSTANT)))
    assert(formOf(int, LeafColumn(same, nullAt(5000)(_ % 2 == 0))) == ((SPARSE, CONSTANT)))
    val random = new Random(1)
    val scattered = nullAt(5000)(_ => random.nextBoolean())
    assert(formOf(int, LeafColumn(same, scattered)) == ((DENSE, CHUNKED)))
    val flags = new ByteValues
    (0 until 100).foreach(_ => flags.append(1))
    val bool = Field(0, "b", LogicalType.Bool, nullable = true)
    assert(formOf(bool, LeafColumn(flags, null)) == ((DENSE, CONSTANT)))
    val lists =
      ListColumn(1000, Array.tabulate(1001)(_ * 5), LeafColumn(same, null), nullAt(1000)(_ == 3))
    assert(formOf(listOf(int), lists) == ((SPARSE, CONSTANT)))
  }

  test("pages without values: null rows need no structure, null and empty lists do") {
    assert(formOf(int, NullColumn(100)) == ((DENSE, NONE)))
    assert(formOf(listOf(int), NullColumn(100)) == ((SPARSE, NONE)))
    val empty = ListColumn(
      50,
      new Array[Int](51),
      LeafColumn(new IntValues, null),
      nullAt(50)(_ % 7 == 0)
    )
    assert(formOf(listOf(int), empty) == ((SPARSE, NONE)))
    val struct = Field(0, "s", LogicalType.Struct, nullable = true, IndexedSeq(int.copy(id = 1)))
    val nulls = StructColumn(9, IndexedSeq(NullColumn(9)), nullAt(9)(_ == 4))
    assert(formOf(struct, nulls) == ((SPARSE, NONE)))
  }

  test("many rows with few lists are sparse, with positions and counts as ranges") {
    val numRows = 100000
    val offsets = Array.tabulate(numRows + 1)(i => (i + 99) / 100 * 2)
    val lists = ListColumn(numRows, offsets, LeafColumn(ints(2000)(identity), null), null)
    val layout = layoutOf(listOf(int), lists)
    assert(layout.getValues.getCodecCase == CHUNKED)
    val list = layout.getStructure.getSparse.getLayers(0).getList
    assert(list.getNonEmptyPositions.getRange.getStep == 100 && list.getCounts.hasConstant)
    assert(list.getNumNonEmptyPositions == 1000 && list.getNumChildSlots == 2000)
  }

  test("a column is sparse if configured: chunks of all slots, wide values without nulls") {
    val asked = Map("lance-encoding:structural-encoding" -> "sparse")
    val nulls = nullAt(3000)(_ % 3 == 0)
    val numbers = LeafColumn(ints(3000)(i => i * 31 % 1000), nulls)
    assert(formOf(int.copy(metadata = asked), numbers) == ((SPARSE, CHUNKED)))
    val lists = ListColumn(1000, Array.tabulate(1001)(_ * 3), numbers, nullAt(1000)(_ == 9))
    assert(formOf(listOf(int).copy(metadata = asked), lists) == ((SPARSE, CHUNKED)))
    assert(formOf(int.copy(metadata = asked), numbers.copy(validity = null)) == ((DENSE, CHUNKED)))
    val texts = LeafColumn(bytes(300)(i => 300 + i), nullAt(300)(_ % 7 == 0))
    val text = binary.copy(metadata = asked)
    assert(formOf(text, texts) == ((SPARSE, ZIPPED)))
  }

  test("offsets of byte strings are stored as a range or as packed deltas") {
    def offsets(lengths: Int => Int) = {
      val column = LeafColumn(bytes(3000)(lengths), null)
      layoutOf(binary, column).getValues.getChunked.getCompression.getVariable.getOffsets
    }
    assert(offsets(_ => 10).getRange.getStep == 10)
    val packed = offsets(_ % 30).getDelta.getDeltas.getOutOfLineBitpacking
    assert(packed.getValues.getFlat.getBitsPerValue == 5)
    assert(offsets(i => if (i == 1) 255 else 250).hasFlat, "chunks of 1024 would be long")
  }

  test("long runs of levels have 16-bit lengths") {
    val column = LeafColumn(ints(5000)(i => i * 31 % 1000), nullAt(5000)(i => i / 900 % 2 == 0))
    val levels = layoutOf(int, column).getValues.getChunked.getLevels.getDefinition
    assert(levels.getRle.getRunLengths.getFlat.getBitsPerValue == 16)
  }

  test("legacy blobs and fixed-size lists of structs are rejected") {
    val blob = Field(
      0,
      "b",
      LogicalType.Binary(large = true),
      nullable = true,
      metadata = Map("lance-encoding:blob" -> "true")
    )
    val e =
      intercept[UnsupportedFeatureException](Pages.write(
        IndexedSeq(blob),
        NullColumn(1),
        version,
        0,
        1,
        1
      ))
    assert(e.getMessage.contains("2.3"))
    val item = Field(
      1,
      "item",
      LogicalType.Struct,
      nullable = true,
      IndexedSeq(int.copy(id = 2))
    )
    val lists = Field(
      0,
      "f",
      LogicalType.FixedSizeList(LogicalType.Struct, 2),
      nullable = true,
      IndexedSeq(item)
    )
    val path = Pages.paths(lists).head
    val f = intercept[UnsupportedFeatureException](
      Pages.write(path, NullColumn(1), version, 0, 1, 1)
    )
    assert(f.getMessage.contains("2.3"))
  }
}

private object PlanarFormSuite {
  val version: EncodingVersion = EncodingVersion.V2_3
  val int: Field = Field(0, "i", LogicalType.Integer(32, signed = true), nullable = true)

  def listOf(item: Field): Field = Field(
    0,
    "l",
    LogicalType.List(large = false, ofStruct = false),
    nullable = true,
    IndexedSeq(item.copy(id = 1))
  )

  def ints(n: Int)(value: Int => Int): IntValues = {
    val out = new IntValues
    (0 until n).foreach(i => out.append(value(i)))
    out
  }

  val binary: Field = Field(0, "b", LogicalType.Binary(large = false), nullable = true)

  /** Returns incompressible byte strings. */
  def bytes(n: Int)(length: Int => Int): BinaryValues = {
    val random = new Random(3)
    val out = new BinaryValues
    (0 until n).foreach { i =>
      val value = new Array[Byte](length(i))
      random.nextBytes(value)
      out.append(value, 0, value.length)
    }
    out
  }

  def nullAt(n: Int)(isNull: Int => Boolean): Validity = {
    val out = new Validity
    (0 until n).foreach(i => out.append(!isNull(i)))
    out
  }
}
