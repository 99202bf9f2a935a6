// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import com.google.protobuf.ByteString

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.testkit.{EncodingSuite, ValuesGenerators}

class ConstantSuite extends EncodingSuite {

  private def constant(bytes: String) =
    message(_.setConstant(v2_1.Constant.newBuilder.setValue(ByteString.copyFrom(hex(bytes)))))

  test("one value is repeated") {
    val out = ints(1)
    Compressions.fixedPerValue(constant("07000000"), FixedWidth(32)).decode(Buffer.empty, 3, out)
    assert(ValuesGenerators.contents(out) == Seq(1, 7, 7, 7))
    Compressions.block(constant("09000000"), FixedWidth(32)).decode(Buffer.empty, 1, out)
    assert(ValuesGenerators.contents(out) == Seq(1, 7, 7, 7, 9))
  }

  test("a missing value reads as fillers") {
    val out = ints(1)
    val none = message(_.setConstant(v2_1.Constant.getDefaultInstance))
    Compressions.fixedPerValue(none, FixedWidth(32)).decode(Buffer.empty, 2, out)
    assert(out.numItems == 3)
  }

  test("a value of another width is corrupt") {
    assertThrows[CorruptFileException](Compressions.block(constant("0700"), FixedWidth(32)))
  }
}
