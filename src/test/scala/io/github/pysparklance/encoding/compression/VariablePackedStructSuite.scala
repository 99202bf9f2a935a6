// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi.EncodingVersion
import io.github.pysparklance.encoding.value.Messages
import io.github.pysparklance.encoding.{Compressions, EncodingChooser}
import io.github.pysparklance.testkit.{EncodingSuite, ValuesGenerators}

class VariablePackedStructSuite extends EncodingSuite {
  import ValuesGenerators.contents

  private val valueType = PackedStructType(IndexedSeq(FixedWidth(32), VariableWidth(32)))
  private val encoding = message { m =>
    val fields = v2_1.VariablePackedStruct.newBuilder
    fields.addFieldsBuilder().setValue(Messages.flat(32)).setBitsPerValue(32)
    fields.addFieldsBuilder().setValue(Variable.message(32)).setBitsPerLength(32)
    m.setVariablePackedStruct(fields)
  }

  private def decode(rows: String*): Values = {
    val decoder = Compressions.variablePerValue(encoding, valueType)
    val out = Values.allocate(valueType)
    rows.map(hex).foreach(r => decoder.decode(r, 0, r.length, out))
    out
  }

  test("golden bytes: two rows and a null one") {
    val out = decode(
      "01000000 | 01000000 78",
      "",
      "02000000 | 02000000 797a"
    ).asInstanceOf[PackedStructValues]
    assert(contents(out.children(0)) == Seq(1, 0, 2))
    assert(contents(out.children(1)) == contents(strings("x", "", "yz")))
    assert(out.numItems == 3)
  }

  test("all bytes of a row must be used") {
    assertThrows[CorruptFileException](decode("01000000 | 01000000 7879"))
    assertThrows[CorruptFileException](decode("01000000 | 02000000 78"))
    assertThrows[CorruptFileException](decode("0100"))
    assertThrows[CorruptFileException](decode("01000000 | ffffffff 78"))
  }

  private val members =
    IndexedSeq(FixedWidth(32), VariableWidth(32), VariableWidth(64), FixedWidth(128))

  private val structs = for {
    n <- ValuesGenerators.numItems
    a <- ValuesGenerators.fixed(32, n)
    b <- ValuesGenerators.strings(n)
    c <- ValuesGenerators.strings(n)
    d <- ValuesGenerators.fixed(128, n)
  } yield {
    val values = new PackedStructValues(IndexedSeq(a, b, c, d))
    values.extend(n)
    values
  }

  test("round trip") {
    forAllOf(structs) { values =>
      val chooser = new EncodingChooser(EncodingVersion.V2_2)
      val packed = VariablePackedStruct.encode(values, members, _ => chooser)
      assert(packed.bitsPerOffset == 32 && packed.values.numItems == values.numItems)
      val out = Values.allocate(PackedStructType(members))
      val decoder = Compressions.variablePerValue(packed.encoding, PackedStructType(members))
      val rows = packed.values
      (0 until rows.numItems).foreach { i =>
        decoder.decode(rows.bytes, rows.offsets(i), rows.offsets(i + 1) - rows.offsets(i), out)
      }
      assert(contents(out) == contents(values))
    }
  }

  test("golden bytes: written rows equal the rows of pylance") {
    val values = Values.allocate(valueType).asInstanceOf[PackedStructValues]
    values.children(0).asInstanceOf[IntValues].append(1)
    values.children(1).asInstanceOf[BinaryValues].append("x".getBytes, 0, 1)
    values.extend(1)
    val chooser = new EncodingChooser(EncodingVersion.V2_2)
    val types = IndexedSeq(FixedWidth(32), VariableWidth(32))
    val packed = VariablePackedStruct.encode(values, types, _ => chooser)
    assert(packed.encoding == encoding)
    assert(toHex(new Buffer(
      packed.values.bytes,
      0,
      packed.values.numBytes
    )) == "01000000" + "01000000" + "78")
  }
}
