// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{SeededChecks, ValuesGenerators}

class ValuesSuite extends AnyFunSuite with SeededChecks {
  import ValuesGenerators.contents

  private def check(valueType: ValueType, values: Values): org.scalatest.Assertion = {
    val expected = contents(values)
    val n = values.numItems
    val out = Values.allocate(valueType)
    assert(out.getClass == values.getClass)
    val cut = n / 3
    out.appendFrom(values, 0, cut)
    out.appendFrom(values, cut, n - cut)
    assert(contents(out) == expected)
    if (n > 0) {
      out.appendRepeated(values, n - 1, 3)
      assert(contents(out).drop(n) == Seq.fill(3)(expected.last))
      assert(out.sizeInBytes > 0)
    }
    out.clear()
    assert(out.numItems == 0)
    out.appendFiller(2)
    out.appendFrom(values, 0, n)
    assert(out.numItems == n + 2)
    assert(contents(out).drop(2) == expected)
  }

  for (bits <- Seq(1, 8, 16, 32, 64, 24, 128, 256))
    test(s"values of $bits bits are appended, repeated, and cleared") {
      forAllOf(ValuesGenerators.numItems.flatMap(ValuesGenerators.fixed(bits, _)))(check(
        FixedWidth(bits),
        _
      ))
    }

  test("strings are appended, repeated, and cleared") {
    forAllOf(ValuesGenerators.numItems.flatMap(ValuesGenerators.strings))(check(
      VariableWidth(32),
      _
    ))
  }

  test("fixed-size lists keep the validity of their items, even if it is added late") {
    val valueType = FixedSizeListType(2, FixedWidth(32))
    val plain = new FixedSizeListValues(2, Values.allocate(FixedWidth(32)))
    plain.appendFiller(3)
    val withNulls = new FixedSizeListValues(2, Values.allocate(FixedWidth(32)))
    withNulls.items.appendFiller(4)
    Seq(true, false, false, true).foreach(withNulls.ensureItemValidity().append)
    withNulls.extend(2)
    check(valueType, plain)
    check(valueType, withNulls)
    val out = new FixedSizeListValues(2, Values.allocate(FixedWidth(32)))
    Seq(plain, withNulls, plain).foreach(v => out.appendFrom(v, 0, v.numItems))
    assert(contents(out) == contents(plain) ++ contents(withNulls) ++ contents(plain))
  }

  test("packed structs keep their children together") {
    val values = Values.allocate(PackedStructType(IndexedSeq(FixedWidth(8), VariableWidth(32))))
    values.asInstanceOf[PackedStructValues].children(0).asInstanceOf[ByteValues].append(5)
    values.asInstanceOf[PackedStructValues].children(1).asInstanceOf[BinaryValues].append(
      "ab".getBytes,
      0,
      2
    )
    values.asInstanceOf[PackedStructValues].extend(1)
    check(PackedStructType(IndexedSeq(FixedWidth(8), VariableWidth(32))), values)
  }

  test("an array beyond the limit of the JVM is rejected with advice") {
    val e = intercept[UnsupportedFeatureException](Values.grownCapacity(100, Int.MaxValue.toLong))
    assert(e.getMessage.contains("read fewer rows at a time"))
    assert(Values.grownCapacity(Int.MaxValue - 100, Int.MaxValue - 50L) >= Int.MaxValue - 50)
  }
}
