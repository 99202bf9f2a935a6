// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.util.UUID

import com.google.protobuf.{Any => AnyMessage}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.scalar.{BTree, ZoneMap}
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.proto

class IndexKindsSuite extends AnyFunSuite {

  private def segment(typeUrl: String): IndexSegment = IndexSegment(
    proto.IndexMetadata
      .newBuilder()
      .setName("i")
      .setUuid(IndexSegment.toMessage(new UUID(1, 2)))
      .addFields(0)
      .setIndexDetails(AnyMessage.newBuilder().setTypeUrl(typeUrl))
      .build()
  )

  test("the message name of the details is the kind, in any package and case") {
    for (
      url <- Seq(
        "/lance.table.BTreeIndexDetails",
        "/lance.index.pb.BTreeIndexDetails",
        "type.googleapis.com/lance.index.pb.BTREEINDEXDETAILS",
        "BTreeIndexDetails"
      )
    ) assert(ScalarIndices.kindOf(segment(url)).contains(BTree), url)
    assert(ScalarIndices.kindOf(segment("/lance.table.ZoneMapIndexDetails")).contains(ZoneMap))
    for (url <- Seq("", "/", "/lance.table.JsonIndexDetails", "/lance.table.NotABTreeIndexDetails"))
      assert(ScalarIndices.kindOf(segment(url)).isEmpty, url)
  }
}
