// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._

class KeyTypeSuite extends AnyFunSuite {

  private def keys(t: LogicalType, values: Values): Keys =
    KeyType.of(t).get.keys(LeafColumn(values, null))

  private def ascends(keys: Keys): Unit =
    (1 until keys.numRows).foreach { row =>
      withClue(s"row $row: ") {
        assert(keys(row - 1).compare(keys(row)) < 0)
        assert(keys.compare(row - 1, keys(row)) < 0)
        assert(keys.compare(row, keys(row)) == 0)
      }
    }

  private def longs(values: Long*): LongValues = {
    val v = new LongValues
    values.foreach(v.append)
    v
  }

  private def ints(values: Int*): IntValues = {
    val v = new IntValues
    values.foreach(v.append)
    v
  }

  test("signed and unsigned integers ascend") {
    ascends(keys(
      LogicalType.Integer(64, signed = true),
      longs(Long.MinValue, -1, 0, 1, Long.MaxValue)
    ))
    ascends(keys(
      LogicalType.Integer(64, signed = false),
      longs(0, 1, Long.MaxValue, Long.MinValue, -1)
    ))
    ascends(keys(LogicalType.Integer(32, signed = true), ints(Int.MinValue, -1, 0, Int.MaxValue)))
    ascends(keys(
      LogicalType.Integer(32, signed = false),
      ints(0, 1, Int.MaxValue, Int.MinValue, -1)
    ))
  }

  test("floats have the total order of IEEE 754") {
    val negativeNaN = 0xfff8000000000000L
    val doubles =
      Seq(Double.NegativeInfinity, -1.5, -0.0, 0.0, 1.5, Double.PositiveInfinity, Double.NaN)
    ascends(keys(
      LogicalType.Double,
      longs(negativeNaN +: doubles.map(java.lang.Double.doubleToRawLongBits): _*)
    ))
    val floats =
      Seq(Float.NegativeInfinity, -1.5f, -0.0f, 0.0f, 1.5f, Float.PositiveInfinity, Float.NaN)
    ascends(keys(
      LogicalType.Float,
      ints(0xffc00000 +: floats.map(java.lang.Float.floatToRawIntBits): _*)
    ))
    val halves = new ShortValues
    Seq(
      0xfe00, 0xfc00, 0xbe00, 0x8000, 0x0000, 0x3e00, 0x7c00, 0x7e00
    ).foreach(h => halves.append(h.toShort))
    ascends(keys(LogicalType.HalfFloat, halves))
  }

  test("NaN and both zeros are recognized in floats of all widths") {
    val doubles = new LongValues
    val floats = new IntValues
    val halves = new ShortValues
    val values = Seq(-0.0, 0.0, -1.5, 1.5, Double.NegativeInfinity, Double.PositiveInfinity)
    values.foreach { v =>
      doubles.append(java.lang.Double.doubleToRawLongBits(v))
      floats.append(java.lang.Float.floatToRawIntBits(v.toFloat))
    }
    Seq(0x8000, 0x0000, 0xbe00, 0x3e00, 0xfc00, 0x7c00, 0x7e00, 0xfe00)
      .foreach(h => halves.append(h.toShort))
    Seq(0x7ff8000000000000L, 0xfff8000000000000L).foreach(doubles.append)
    Seq(0x7fc00000, 0xffc00000).foreach(floats.append)
    for (
      (t, stored) <- Seq[(LogicalType, Values)](
        LogicalType.Double -> doubles,
        LogicalType.Float -> floats,
        LogicalType.HalfFloat -> halves
      )
    ) {
      val (found, known) = (keys(t, stored), KeyType.of(t).get.floats.get)
      val all = (0 until found.numRows).map(found(_))
      assert(all.map(known.isNaN) == Seq.fill(6)(false) ++ Seq(true, true))
      assert(known.nan == all(6))
      assert(all.take(2).map(known.least) == Seq.fill(2)(all.head))
      assert(all.take(2).map(known.greatest) == Seq.fill(2)(all(1)))
      assert(all.drop(2).map(known.least) == all.drop(2))
    }
    assert(KeyType.of(LogicalType.Date32).get.floats.isEmpty)
  }

  test("decimals ascend as numbers, strings by unsigned bytes") {
    val decimals = new WideValues(16)
    Seq(
      "-170141183460469231731687303715884105728",
      "-256",
      "-1",
      "0",
      "1",
      "255",
      "99999999999999999999"
    ).foreach {
      text =>
        val big = new java.math.BigInteger(text)
        val at = decimals.extend(1)
        (0 until 16).foreach(i => decimals.bytes(at + i) = big.shiftRight(8 * i).byteValue)
    }
    ascends(keys(LogicalType.Decimal(128, 38, 0), decimals))
    val strings = new BinaryValues
    Seq("", "a", "ab", "b", "z", "é", "日本").foreach { s =>
      val bytes = s.getBytes("UTF-8")
      strings.append(bytes, 0, bytes.length)
    }
    ascends(keys(LogicalType.Utf8(large = false), strings))
  }

  test("rows with shared values have the keys of these values") {
    val items = new BinaryValues
    Seq("b", "a").foreach(s => items.append(s.getBytes("UTF-8"), 0, 1))
    val shared = new DictionaryValues(ints(1, 0, 1), items)
    shared.extend(3)
    val its = keys(LogicalType.Utf8(large = false), shared)
    assert((0 until its.numRows).map(its(_)) == Seq("a", "b", "a").map(s =>
      new BytesKey(s.getBytes)
    ))
    val one = KeyType.of(LogicalType.Utf8(large = false)).get.keys(ConstantColumn(items, 5, null))
    assert(one.numRows == 5 && one(4) == new BytesKey("b".getBytes))
  }

  test("keys are converted back to the stored bytes") {
    def stored(t: LogicalType, values: Values): Seq[Seq[Byte]] = {
      val its = keys(t, values)
      (0 until its.numRows).map(i => KeyType.of(t).get.storedBytes(its(i)).toSeq)
    }
    assert(stored(
      LogicalType.Integer(32, signed = true),
      ints(-2)
    ) == Seq(Seq(-2, -1, -1, -1).map(_.toByte)))
    assert(stored(
      LogicalType.Integer(32, signed = false),
      ints(-2)
    ) == Seq(Seq(-2, -1, -1, -1).map(_.toByte)))
    assert(stored(LogicalType.Integer(64, signed = false), longs(1)) == Seq(Seq[Byte](
      1, 0, 0, 0, 0, 0, 0, 0
    )))
    val bits = Seq(-0.0f, 0.0f, -1.5f, 1.5f).map(java.lang.Float.floatToRawIntBits)
    val expected = bits.map(b => (0 until 4).map(i => (b >>> (8 * i)).toByte))
    assert(stored(LogicalType.Float, ints(bits: _*)) == expected)
  }
}
