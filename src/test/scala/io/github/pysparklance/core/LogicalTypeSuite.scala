// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import org.scalatest.funsuite.AnyFunSuite

class LogicalTypeSuite extends AnyFunSuite {

  test("logical types round-trip through their names") {
    Seq(
      "int32",
      "large_list.struct",
      "fixed_size_binary:16",
      "fixed_size_list:float:4",
      "fixed_size_list:fixed_size_list:int8:2:3",
      "decimal:128:38:-2",
      "timestamp:us:-",
      "timestamp:ns:+02:00",
      "duration:ms",
      "dict:string:int8:false"
    ).foreach(text => assert(LogicalType.text(LogicalType.parse(text)) == text))
    assert(
      LogicalType.parse("fixed_size_list:fixed_size_list:int8:2:3") ==
        LogicalType.FixedSizeList(
          LogicalType.FixedSizeList(LogicalType.Integer(8, signed = true), 2),
          3
        )
    )
  }

  test("unknown names are rejected by name") {
    Seq(
      "",
      ":",
      "int33",
      "fixed_size_list",
      "fixed_size_list:",
      "fixed_size_list:4",
      "fixed_size_list::4",
      "fixed_size_list:float:-4",
      "fixed_size_list:float:x",
      "fixed_size_list:float:4294967300",
      "fixed_size_list:" * 100000 + "float" + ":1" * 100000,
      "fixed_size_binary:x",
      "decimal:64:5:2",
      "decimal:128:5",
      "timestamp:us",
      "timestamp:weeks:-",
      "dict:string:int8"
    ).foreach { text =>
      val e = intercept[UnsupportedFeatureException](LogicalType.parse(text))
      assert(e.feature.startsWith("logical type"), text.take(40))
    }
  }
}
