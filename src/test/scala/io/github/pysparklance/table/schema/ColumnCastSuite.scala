// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.schema

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.testkit.ColumnRows

class ColumnCastSuite extends AnyFunSuite {
  private def leaf(id: Int, t: String): Field =
    Field(id, "x", LogicalType.parse(t), nullable = true)

  private def longs(field: Field, values: Any*): LeafColumn = {
    val out = Values.allocate(field.valueType)
    val validity = new Validity
    values.foreach { v =>
      validity.append(v != null)
      val bits = v match {
        case null => -1L
        case d: Double if field.logicalType == LogicalType.Float =>
          java.lang.Float.floatToRawIntBits(d.toFloat).toLong
        case d: Double => java.lang.Double.doubleToRawLongBits(d)
        case i: Int => i.toLong
        case l: Long => l
        case other => throw new IllegalArgumentException(other.toString)
      }
      out match {
        case o: LongValues => o.append(bits)
        case o: IntValues => o.append(bits.toInt)
        case o: ShortValues => o.append(bits.toShort)
        case o: ByteValues => o.append(bits.toByte)
        case o: WideValues =>
          val at = o.extend(1)
          (0 until o.bytesPerValue).foreach(k =>
            o.bytes(at + k) = (if (k < 8) bits >>> (8 * k) else bits >> 63).toByte
          )
        case other => throw new IllegalArgumentException(other.toString)
      }
    }
    LeafColumn(out, validity)
  }

  private def check(from: String, values: Any*)(to: String, expected: Any*): Assertion = {
    val (before, after) = (leaf(1, from), leaf(2, to))
    val found = ColumnRows(new ColumnCast(before, after)(longs(before, values: _*)))
    assert(found == ColumnRows(longs(after, expected: _*)), s"$from -> $to")
  }

  private def rejects(from: String, values: Any*)(to: String, words: String*): Unit = {
    val (before, after) = (leaf(1, from), leaf(2, to))
    val e = intercept[InvalidRequestException] {
      new ColumnCast(before, after)(longs(before, values: _*))
    }
    (Seq("\"x\"", "does not fit") ++ words).foreach(w =>
      assert(e.getMessage.contains(w), s"$from $to")
    )
  }

  test("integers") {
    check("int8", -128, null, 127)("int64", -128, null, 127)
    check("uint8", -1, null, 0)("int16", 255, null, 0)
    check("uint32", -1)("int64", 4294967295L)
    check("int64", -128, null, 127)("int8", -128, null, 127)
    check("int64", 0, Long.MaxValue)("uint64", 0, Long.MaxValue)
    check("uint64", 5)("int32", 5)
    rejects("int64", 1, 128)("int8", "128", "int64", "int8")
    rejects("int8", -1)("uint64", "-1")
    rejects("uint64", -1L)("int64", "18446744073709551615")
    rejects("int32", 70000)("uint16", "70000")
  }

  test("floating-point numbers") {
    check("int32", 7, null, Int.MinValue)("double", 7.0, null, -2147483648.0)
    check("int16", -3)("float", -3.0)
    check("float", 0.5, null, Double.NaN)("double", 0.5, null, Double.NaN)
    check("double", 0.1, null, 1e300)("float", 0.1, null, Double.PositiveInfinity)
  }

  test("decimals") {
    check("int32", -12, null)("decimal:128:12:2", -1200, null)
    check("decimal:128:5:2", 12345, null, -1)("decimal:256:40:4", 1234500, null, -100)
    check("decimal:128:10:4", 12300)("decimal:128:5:2", 123)
    check("uint64", Long.MaxValue)("decimal:128:20:0", Long.MaxValue)
    rejects("decimal:128:10:4", 12345)("decimal:128:5:2", "1.2345")
    rejects("decimal:128:10:0", 123456)("decimal:128:5:0", "123456")
    rejects("int64", 100)("decimal:128:3:1", "100")
  }

  test("times") {
    check("date32:day", 1, null, -1)("timestamp:us:-", 86400000000L, null, -86400000000L)
    check("date32:day", 2)("date64:ms", 172800000L)
    check("timestamp:s:UTC", 3, null)("timestamp:ns:UTC", 3000000000L, null)
    check("timestamp:us:-", 5000)("timestamp:ms:-", 5)
    check("duration:ms", 5)("duration:us", 5000)
    rejects("timestamp:us:-", 5001)("timestamp:ms:-", "5001")
    rejects("timestamp:s:-", Long.MaxValue / 1000)("timestamp:ns:-")
    rejects("date32:day", 200000)("timestamp:ns:-")
  }

  test("bytes") {
    check("fixed_size_binary:2", 0x4241)("fixed_size_binary:2", 0x4241)
    val cast = new ColumnCast(leaf(1, "fixed_size_binary:2"), leaf(2, "binary"))
    assert(ColumnRows(cast(longs(leaf(1, "fixed_size_binary:2"), 0x4241, null))) ==
      Seq(Seq[Byte](0x41, 0x42), null))
    val text = new BinaryValues
    text.append("abc".getBytes, 0, 3)
    val same = LeafColumn(text, null)
    assert(ColumnRows(new ColumnCast(leaf(1, "string"), leaf(2, "large_string"))(same)) ==
      Seq("abc".getBytes.toSeq))
  }

  test("leaves at any depth, in any form of the column") {
    def list(item: Field) = Field(
      10,
      "l",
      LogicalType.List(large = false, ofStruct = true),
      nullable = true,
      IndexedSeq(Field(
        11,
        "item",
        LogicalType.Struct,
        nullable = true,
        IndexedSeq(item, leaf(5, "int8"))
      ))
    )
    val items = StructColumn(
      3,
      IndexedSeq(longs(leaf(1, "int16"), 7, null, 8), longs(leaf(5, "int8"), 1, 2, 3)),
      null
    )
    val column = ListColumn(2, Array(0, 1, 3), items, null)
    val cast = new ColumnCast(list(leaf(1, "int16")), list(leaf(2, "int64")))
    assert(ColumnRows(cast(column)) ==
      Seq(Seq(Seq(7L, 1.toByte)), Seq(Seq[Any](null, 2.toByte), Seq(8L, 3.toByte))))

    val two = leaf(1, "fixed_size_list:float:2")
    val lists = FixedSizeListColumn(2, 2, longs(leaf(0, "float"), 1.0, 2.0, null, 4.0), null)
    val doubles = new ColumnCast(two, leaf(2, "fixed_size_list:double:2"))(lists)
    def bits(d: Double): Long = java.lang.Double.doubleToRawLongBits(d)
    assert(ColumnRows(doubles) == Seq(Seq(bits(1), bits(2)), Seq[Any](null, bits(4))))

    val one = new ColumnCast(leaf(1, "int8"), leaf(2, "int64"))
    assert(ColumnRows(one(ConstantColumn(longs(leaf(1, "int8"), 9).values, 2, null))) == Seq(
      9L,
      9L
    ))
    assert(ColumnRows(one(NullColumn(2))) == Seq(null, null))
    val indices = new IntValues
    Seq(1, 0).foreach(indices.append)
    val dictionary = new DictionaryValues(indices, longs(leaf(1, "int8"), 4, 5).values)
    dictionary.extend(2)
    assert(ColumnRows(one(LeafColumn(dictionary, null))) == Seq(5L, 4L))
  }
}
