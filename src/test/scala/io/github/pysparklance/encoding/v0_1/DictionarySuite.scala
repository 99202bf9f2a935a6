// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v0_1

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._

class DictionarySuite extends AnyFunSuite {
  private val items = {
    val values = new BinaryValues
    Seq("a", "", "b").foreach(s => values.append(s.getBytes("UTF-8"), 0, s.length))
    Dictionary.Items(values, Validity.of(true, false, true))
  }

  private def decode(keys: Array[Byte], bits: Int, signed: Boolean): (Seq[Int], Seq[Boolean]) = {
    val out = new DictionaryValues(new IntValues, items.values)
    val validity = new Validity
    Dictionary.decode(
      Buffer(keys),
      0,
      LogicalType.Integer(bits, signed),
      0,
      keys.length * 8 / bits,
      items,
      Values.allocate(FixedWidth(bits)),
      out,
      validity
    )
    (out.indices.array.take(out.numItems).toSeq, (0 until out.numItems).map(validity.isValid))
  }

  test("keys of every width; a key may refer to a null") {
    for (bits <- Seq(8, 16, 32, 64); signed <- Seq(true, false)) {
      val keys = Seq(0, 1, 0, 2).flatMap(k => k.toByte +: Seq.fill(bits / 8 - 1)(0.toByte))
      assert(decode(keys.toArray, bits, signed) ==
        ((Seq(0, 1, 0, 2), Seq(true, false, true, true))))
    }
  }

  test("a key outside the dictionary is corrupt") {
    for (bits <- Seq(8, 16, 32, 64); signed <- Seq(true, false)) {
      val three = 3.toByte +: Seq.fill(bits / 8 - 1)(0.toByte)
      intercept[CorruptFileException](decode(three.toArray, bits, signed))
      intercept[CorruptFileException](decode(Array.fill(bits / 8)(-1.toByte), bits, signed))
    }
    val two = new DictionaryValues(new IntValues, new IntValues)
    intercept[CorruptFileException] {
      Dictionary.decode(
        Buffer(Array[Byte](0)),
        0,
        LogicalType.Integer(8, signed = true),
        0,
        1,
        Dictionary.Items(new IntValues, null),
        new ByteValues,
        two,
        null
      )
    }
  }
}
