// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.vectors

import java.math.BigInteger

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  InterpretedUnsafeProjection,
  UnsafeArrayData,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{Decimal, FloatType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._

class VectorFactorySuite extends AnyFunSuite {

  private def factory(logicalType: String, children: Field*): VectorFactory =
    new VectorFactory(field(logicalType, children: _*))

  private def field(logicalType: String, children: Field*): Field =
    Field(0, "c", LogicalType.parse(logicalType), nullable = true, children.toIndexedSeq)

  private def bytes(v: Int*): ByteValues = {
    val b = new ByteValues; v.foreach(x => b.append(x.toByte)); b
  }
  private def shorts(v: Int*): ShortValues = {
    val b = new ShortValues; v.foreach(x => b.append(x.toShort)); b
  }
  private def ints(v: Int*): IntValues = { val b = new IntValues; v.foreach(b.append); b }
  private def longs(v: Long*): LongValues = { val b = new LongValues; v.foreach(b.append); b }
  private def strings(v: String*): BinaryValues = {
    val b = new BinaryValues
    v.foreach { s =>
      val x = s.getBytes("UTF-8"); b.append(x, 0, x.length)
    }
    b
  }
  private def wide(size: Int, v: BigInteger*): WideValues = {
    val b = new WideValues(size)
    v.foreach { x =>
      val at = b.extend(1)
      (0 until size).foreach(i => b.bytes(at + i) = x.shiftRight(8 * i).byteValue)
    }
    b
  }

  private def leaf(logicalType: String, values: Values, validity: Validity = null): ColumnVector =
    factory(logicalType).vector(LeafColumn(values, validity))

  test("unsigned integers widen") {
    assert(leaf("uint8", bytes(255)).getShort(0) == 255)
    assert(leaf("uint16", shorts(65535)).getInt(0) == 65535)
    assert(leaf("uint32", ints(-1)).getLong(0) == 4294967295L)
    val u64 = leaf("uint64", longs(-1L, 7L))
    assert(u64.getDecimal(0, 20, 0) == Decimal("18446744073709551615"))
    assert(u64.getDecimal(1, 20, 0).toLong == 7L)
  }

  test("timestamps of every unit are microseconds, floored; dates in milliseconds are days") {
    assert(leaf("timestamp:s:-", longs(-2)).getLong(0) == -2000000L)
    assert(leaf("timestamp:ms:UTC", longs(-2)).getLong(0) == -2000L)
    assert(leaf("timestamp:us:UTC", longs(-2)).getLong(0) == -2L)
    assert(leaf("timestamp:ns:UTC", longs(-1)).getLong(0) == -1L)
    assert(leaf("date64:ms", longs(-1)).getInt(0) == -1)
    assert(leaf("time32:ms", ints(5)).getLong(0) == 5L)
    intercept[ArithmeticException](leaf("timestamp:s:-", longs(Long.MaxValue)).getLong(0))
  }

  test("lists of floats are copied in Spark's layout, regardless of previous content of the row") {
    def check(item: String, values: Values, valid: Boolean*): Unit = {
      val validity = new Validity
      valid.foreach(validity.append)
      val fixed = new FixedSizeListValues(2, values)
      fixed.extend(3)
      if (valid.nonEmpty) fixed.itemValidity = validity
      val vector = factory(s"fixed_size_list:$item:2").vector(LeafColumn(fixed, null))
      val toUnsafe = UnsafeProjection.create(Array(vector.dataType))
      def written(array: ArrayData) = toUnsafe(InternalRow(array)).copy()
      Seq(0, 1, 0, 2, 2).foreach { row =>
        val copied = vector.arrayData(row)
        assert(copied.isInstanceOf[UnsafeArrayData])
        assert(written(copied) == written(vector.getArray(row)), s"$item, row $row")
      }
    }
    check("float", ints(0x7fc01234, 1, 0x80000000, 0x3f800000, -1, 7))
    check("float", ints(1, 2, 3, 4, 5, 6), true, false, true, true, false, false)
    check("double", longs(1, -1, 0x7ff8000000000000L, 3, 4, Long.MinValue))
    check("double", longs(1, 2, 3, 4, 5, 6), false, false, true, true, true, false)
    check("halffloat", shorts(0x3c00, 0x8000, 0x0001, 0x7c00, 0xfc00, 0x7bff))
    check("halffloat", shorts(0x3c00, 1, 2, 3, 4, 5), false, true, true, true, true, false)
    check("lance.bfloat16", shorts(0x3f80, 0x8000, 1, 2, 3, 0xff80))
  }

  test("floats keep their bits, also 16-bit floats") {
    val nan = 0x7fc01234
    assert(java.lang.Float.floatToRawIntBits(leaf("float", ints(nan)).getFloat(0)) == nan)
    val half = leaf("halffloat", shorts(0x3c00, 0x8000, 0x0001, 0x7c00, 0xfc00, 0x7bff, 0x7e00))
    assert((0 until 6).map(half.getFloat) == Seq(
      1f,
      -0f,
      math.pow(2, -24).toFloat,
      Float.PositiveInfinity,
      Float.NegativeInfinity,
      65504f
    ))
    assert(java.lang.Float.floatToRawIntBits(half.getFloat(1)) == 0x80000000)
    assert(half.getFloat(6).isNaN)
    assert(factory("fixed_size_list:lance.bfloat16:1")
      .vector(LeafColumn(
        { val l = new FixedSizeListValues(1, shorts(0x4049)); l.extend(1); l },
        null
      ))
      .getArray(0).getFloat(0) == 3.140625f)
  }

  test("decimals of 128 and 256 bits, small, wide, and negative") {
    val values = Seq(
      "0",
      "-1",
      "123456789012345678",
      "-99999999999999999999999999999999999999",
      "99999999999999999999999999999999999999",
      "9223372036854775808"
    ).map(new BigInteger(_))
    for (bits <- Seq(128, 256)) {
      val v = leaf(s"decimal:$bits:38:10", wide(bits / 8, values: _*))
      values.zipWithIndex.foreach { case (x, i) =>
        assert(v.getDecimal(i, 38, 10).toJavaBigDecimal == new java.math.BigDecimal(x, 10))
      }
      val compact = leaf(s"decimal:$bits:18:2", wide(bits / 8, values.take(3): _*))
      (0 until 3).foreach(i =>
        assert(compact.getDecimal(i, 18, 2).toUnscaledLong == values(i).longValue)
      )
    }
  }

  test("null decimals are null, also in rows that Spark converts without generated code") {
    val some = Validity.of(true, false, true)
    for (digits <- Seq(9, 38)) {
      val decimals =
        LeafColumn(wide(16, Seq(1L, 2L, 3L).map(BigInteger.valueOf): _*), some)
      val decimal = field(s"decimal:128:$digits:0")
      val struct = factory("struct", decimal).vector(StructColumn(3, IndexedSeq(decimals), null))
      val list = factory("list", decimal).vector(ListColumn(1, Array(0, 3), decimals, null))
      val picked = new MappedVector(struct.getChild(0), Array(2, 1, 0), 3, null)
      def projection(v: ColumnVector) = InterpretedUnsafeProjection
        .createProjection(Seq(BoundReference(0, v.dataType, nullable = true)))
      val rows = (0 until 3).map { i =>
        projection(struct)(InternalRow(struct.getStruct(i))).getStruct(0, 1).copy()
      }
      assert(rows.map(_.isNullAt(0)) == Seq(false, true, false))
      assert(rows(2).getDecimal(0, digits, 0) == Decimal(3, digits, 0))
      val items = projection(list)(InternalRow(list.getArray(0))).getArray(0)
      assert((0 until 3).map(items.isNullAt) == Seq(false, true, false))
      assert(struct.getChild(0).getDecimal(1, digits, 0) == null)
      assert(picked.getDecimal(1, digits, 0) == null)
      assert(picked.getDecimal(0, digits, 0) == Decimal(3, digits, 0))
      assert(factory(s"decimal:128:$digits:0").vector(NullColumn(1)).getDecimal(
        0,
        digits,
        0
      ) == null)
    }
  }

  test(
    "strings are views, binaries are copies, and fixed-size binaries of every width keep their bytes"
  ) {
    val values = strings("a", "", "déjà")
    val v = leaf("string", values)
    assert((0 until 3).map(v.getUTF8String(_).toString) == Seq("a", "", "déjà"))
    assert(v.getUTF8String(0).getBaseObject eq values.bytes)
    assert(leaf("binary", values).getBinary(2).toSeq == "déjà".getBytes("UTF-8").toSeq)
    assert(leaf(
      "fixed_size_binary:4",
      ints(0x04030201)
    ).getBinary(0).toSeq == Seq[Byte](1, 2, 3, 4))
    assert(leaf("fixed_size_binary:8", longs(-2)).getBinary(0).head == -2)
    assert(leaf("fixed_size_binary:3", wide(3, BigInteger.valueOf(0x030201))).getBinary(0).toSeq ==
      Seq[Byte](1, 2, 3))
  }

  test("nulls, constants, dictionaries") {
    val v = leaf("int32", ints(1, 2, 3), Validity.of(true, false, true))
    assert((0 until 3).map(v.isNullAt) == Seq(false, true, false))
    assert(v.hasNull && v.numNulls == 1)
    assert(!leaf("int32", ints(1), Validity.of(true)).hasNull)
    val missing = factory("string").vector(NullColumn(5))
    assert(missing.hasNull && missing.numNulls == 5 && missing.isNullAt(4))
    val constant =
      factory("int64").vector(ConstantColumn(longs(9), 3, Validity.of(true, true, false)))
    assert(constant.getLong(1) == 9 && !constant.isNullAt(1) && constant.isNullAt(2))
    val d = new DictionaryValues(ints(1, 0, 99), strings("x", "y"))
    d.extend(3)
    val dictionary = leaf("string", d, Validity.of(true, true, false))
    assert(dictionary.getUTF8String(0) == UTF8String.fromString("y"))
    assert(dictionary.isNullAt(2) && !dictionary.isNullAt(0))
  }

  test("some rows of a column, with and without nulls") {
    val nulls = { val v = new Validity; (0 until 5).foreach(i => v.append(i != 1)); v }
    val indices = ints(2, 0, 1, 2, 0)
    val columns = Seq[(String, Values, (ColumnVector, Int) => Any)](
      ("int32", ints(5, 6, 7, 8, 9), _.getInt(_)),
      ("int64", longs(5, 6, 7, 8, 9), _.getLong(_)),
      ("int16", shorts(5, 6, 7, 8, 9), _.getShort(_)),
      ("float", ints(1, 2, 3, 4, 5), _.getFloat(_)),
      ("double", longs(1, 2, 3, 4, 5), _.getDouble(_)),
      (
        "decimal:128:9:2",
        wide(16, (-2 to 2).map(i => BigInteger.valueOf(i.toLong)): _*),
        _.getDecimal(_, 9, 2)
      ),
      ("string", strings("a", "b", "c", "d", "e"), _.getUTF8String(_)),
      ("string", new DictionaryValues(indices, strings("x", "y", "z")), _.getUTF8String(_)),
      ("int64", new DictionaryValues(indices, longs(7, 8, 9)), _.getLong(_))
    )
    for ((logicalType, values, get) <- columns; validity <- Seq(null, nulls)) {
      val all = factory(logicalType).vector(LeafColumn(values, validity))
      // The second selection applies to the result of the first one.
      val some = all.select(Array(0, 1, 3, 4, -1), 4)
      val fewer = some.select(Array(1, 2, 3), 3)
      for ((vector, rows) <- Seq((some, Seq(0, 1, 3, 4)), (fewer, Seq(1, 3, 4)))) {
        assert(vector.numRows == rows.length && vector.hasNull == (validity != null))
        assert(vector.numNulls == (if (validity == null) 0 else 1))
        for ((row, i) <- rows.zipWithIndex) {
          assert(vector.isNullAt(i) == (validity != null && row == 1))
          if (!vector.isNullAt(i)) assert(get(vector, i) == get(all, row), logicalType)
        }
      }
    }
  }

  test("a string of a dictionary is created once for all batches of its page") {
    def of(positions: IntValues, items: Values): LeafColumn = {
      val values = new DictionaryValues(positions, items)
      values.extend(positions.numItems)
      LeafColumn(values, null)
    }
    for (logicalType <- Seq("string", "dict:large_string:int8:false")) {
      val column = factory(logicalType)
      val first = strings("x", "y")
      val a = column.vector(of(ints(1, 1, 0), first))
      val b = column.vector(of(ints(1), first))
      assert((0 until 3).map(a.getUTF8String(_).toString) == Seq("y", "y", "x"))
      assert(a.getUTF8String(0) eq a.getUTF8String(1))
      assert(b.getUTF8String(0) eq a.getUTF8String(0))
      assert(column.vector(of(ints(1), strings("x", "z"))).getUTF8String(0).toString == "z")
    }
  }

  test("lists, fixed-size lists, structs, and maps, with nulls at each level") {
    val item = field("int32")
    val items = LeafColumn(ints(1, 2, 3), Validity.of(true, false, true))
    val list = factory("list", item)
      .vector(ListColumn(3, Array(0, 2, 2, 3), items, Validity.of(true, true, false)))
    assert(list.getArray(0).numElements() == 2 && list.getArray(0).isNullAt(1))
    assert(list.getArray(1).numElements() == 0 && list.isNullAt(2))

    val struct = factory("struct", item, field("string")).vector(
      StructColumn(
        2,
        IndexedSeq(LeafColumn(ints(7, 8), null), NullColumn(2)),
        Validity.of(true, false)
      )
    )
    assert(
      struct.getStruct(0).getInt(0) == 7 && struct.getStruct(0).isNullAt(1) && struct.isNullAt(1)
    )

    val fixed = new FixedSizeListValues(2, ints(1, 2, 3, 4))
    fixed.extend(2)
    val vectors = leaf("fixed_size_list:int32:2", fixed)
    assert(vectors.getArray(1).toIntArray.toSeq == Seq(3, 4))

    val map = factory("map", field("struct", field("string"), item)).vector(
      ListColumn(
        1,
        Array(0, 1),
        StructColumn(1, IndexedSeq(LeafColumn(strings("k"), null), items), null),
        null
      )
    )
    assert(map.getMap(0).keyArray().getUTF8String(0).toString == "k")
    assert(map.getMap(0).valueArray().getInt(0) == 1)

    val picked = new MappedVector(struct, Array(1, 0), 2, null)
    assert(picked.isNullAt(0) && picked.getStruct(1).getInt(0) == 7)
    assert(picked.numNulls == 1)
  }

  test("packed structs") {
    val packed = new PackedStructValues(IndexedSeq(ints(5), longs(6)))
    packed.extend(1)
    val f = field("struct", field("int32"), field("int64")).copy(metadata = Map("packed" -> "true"))
    val v = new VectorFactory(f).vector(LeafColumn(packed, null))
    assert(v.getStruct(0).getInt(0) == 5 && v.getStruct(0).getLong(1) == 6)
  }

  test("bulk reads, and the Spark type") {
    val v = leaf("float", ints(java.lang.Float.floatToRawIntBits(1.5f), 0))
    assert(v.dataType() == FloatType)
    assert(v.getFloats(0, 2).toSeq == Seq(1.5f, 0f))
    assert(leaf("int64", longs(1, 2, 3)).getLongs(1, 2).toSeq == Seq(2L, 3L))
  }

  test("a column whose shape does not match its field") {
    intercept[CorruptFileException](leaf("int32", longs(1)))
    intercept[CorruptFileException](factory(
      "struct",
      field("int32")
    ).vector(StructColumn(0, IndexedSeq.empty, null)))
  }

  test("half floats are rounded to nearest, ties to even") {
    (0 until 65536).map(_.toShort).filterNot(h => Half.toFloat(h).isNaN).foreach { half =>
      assert(Half.fromFloat(Half.toFloat(half)) == half)
    }
    assert(Half.toFloat(Half.fromFloat(Float.NaN)).isNaN)
    val (one, next) = (1f, 1f + 1f / 1024)
    assert(Half.toFloat(Half.fromFloat((one + next) / 2)) == one)
    assert(Half.toFloat(Half.fromFloat(Math.nextUp((one + next) / 2))) == next)
    assert(Half.toFloat(Half.fromFloat(next + 1f / 2048)) == 1f + 2f / 1024)
    assert(Half.toFloat(Half.fromFloat(65519f)) == 65504f)
    assert(Half.isInfinite(Half.fromFloat(65520f)))
    assert(Half.toFloat(Half.fromFloat(2.98e-8f)) == 0f)
    assert(Half.toFloat(Half.fromFloat(-2.99e-8f)) == -5.9604645e-8f)
  }
}
