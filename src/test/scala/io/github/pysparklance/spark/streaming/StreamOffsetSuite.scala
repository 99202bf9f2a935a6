// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.table.changes.VersionId

class StreamOffsetSuite extends AnyFunSuite {
  private val offset = StreamOffset(VersionId("4-ab", "0a91bc3d"), 5, 2, 8, isSnapshot = true)

  private val json =
    """{"formatVersion":1,"commitId":"4-ab","fragmentsId":"0a91bc3d",""" +
      """"version":5,"position":2,"parts":8,"isSnapshot":true}"""

  test("offsets have the documented JSON, and round-trip") {
    assert(offset.json() == json && StreamOffset.parse(json) == offset)
    val later = offset.copy(isSnapshot = false, firstVersion = Some(3), maxFragmentId = Some(9))
    val members = "false,\"firstVersion\":3,\"maxFragmentId\":9}"
    assert(later.json() == json.replace("true}", members))
    assert(StreamOffset.parse(later.json()) == later && later != offset)
    assert(StreamOffset.parse(StreamOffset.Initial.json()) == StreamOffset.Initial)
  }

  test("an offset is complete at its last part") {
    assert(!offset.isComplete && offset.nextVersion == 5)
    val end = offset.copy(position = 8)
    assert(end.isComplete && end.nextVersion == 6)
    assert(offset.copy(position = 0, parts = 0).isComplete)
  }

  test("unknown members are ignored, and a later format is an error") {
    assert(StreamOffset.parse(json.replace("}", ",\"more\":[1]}")) == offset)
    val e = intercept[AnalysisException](
      StreamOffset.parse(json.replace("\"formatVersion\":1", "\"formatVersion\":2"))
    )
    assert(e.getMessage.contains("format version 2") && e.getMessage.contains("up to 1"))
  }

  test("other JSON is an error that contains it") {
    for {
      bad <- Seq(
        "",
        "3",
        "[]",
        "{}",
        "{\"version\":3}",
        json.dropRight(1),
        json.replace("\"version\":5", "\"version\":0"),
        json.replace("\"version\":5", "\"version\":\"5\""),
        json.replace("\"version\":5", "\"version\":1e40"),
        json.replace("\"position\":2", "\"position\":9"),
        json.replace("\"position\":2", "\"position\":-1"),
        json.replace("true", "1"),
        json.replace("\"parts\":8,", "")
      )
    } {
      val e = intercept[AnalysisException](StreamOffset.parse(bad))
      assert(e.getMessage.contains("not one of a Lance table") && e.getMessage.contains(bad))
    }
  }
}
