// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.encoding.proto.v2_1
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

  test("a row has to be used up exactly") {
    assertThrows[CorruptFileException](decode("01000000 | 01000000 7879"))
    assertThrows[CorruptFileException](decode("01000000 | 02000000 78"))
    assertThrows[CorruptFileException](decode("0100"))
    assertThrows[CorruptFileException](decode("01000000 | ffffffff 78"))
  }
}
