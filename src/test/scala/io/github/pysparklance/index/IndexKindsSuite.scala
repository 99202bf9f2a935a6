// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.scalar.{BTree, ZoneMap}

class IndexKindsSuite extends AnyFunSuite {

  test("the message name of the details is the kind, in any package and case") {
    for (
      url <- Seq(
        "/lance.table.BTreeIndexDetails",
        "/lance.index.pb.BTreeIndexDetails",
        "type.googleapis.com/lance.index.pb.BTREEINDEXDETAILS",
        "BTreeIndexDetails"
      )
    ) assert(ScalarIndices.kindOf(url).contains(BTree), url)
    assert(ScalarIndices.kindOf("/lance.table.ZoneMapIndexDetails").contains(ZoneMap))
    for (url <- Seq("", "/", "/lance.table.JsonIndexDetails", "/lance.table.NotABTreeIndexDetails"))
      assert(ScalarIndices.kindOf(url).isEmpty, url)
  }
}
