// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.manifest.BasePath

class BlobBasesSuite extends AnyFunSuite {
  private val bases = BlobBases(
    TablePath("s3a://bucket/t.lance"),
    Map(
      1 -> BasePath(1, None, isDatasetRoot = false, "s3://other/media"),
      2 -> BasePath(2, Some("clone"), isDatasetRoot = true, "s3a://bucket/source.lance/")
    )
  )
  private val file =
    new BlobLocations("s3a://bucket/t.lance/data/sub/f01.lance", "sub/f01.lance", bases)

  private def range(kind: Int, position: Long, size: Long, id: Int, uri: String = ""): BlobRange =
    file.range(kind, position, size, id, uri)

  test("each kind of blob is a range of one object") {
    assert(range(0, 64, 5, 0) == BlobRange("s3a://bucket/t.lance/data/sub/f01.lance", 64, 5))
    val side = "s3a://bucket/t.lance/data/f01/"
    assert(range(1, 7, 9, 1) == BlobRange(side + "1" + "0" * 31 + ".blob", 7, 9))
    assert(range(2, 0, 9, 2) == BlobRange(side + "01" + "0" * 30 + ".blob", 0, 9))
    assert(range(2, 0, 9, -2).path == side + "0" + "1" * 31 + ".blob")
    assert(range(3, 3, 4, 1, "a/b.jpg") == BlobRange("s3a://other/media/a/b.jpg", 3, 4))
    assert(range(3, 0, 0, 2, "x") == BlobRange("s3a://bucket/source.lance/x", 0, BlobRange.toEnd))
    assert(range(3, 0, 1, 0, "s3://bucket/a%20b%2").path == "s3a://bucket/a b%2")
    assert(range(3, 0, 1, 0, "s3a://other/media/%c3%a9").path == "s3a://other/media/é")
  }

  test("descriptors cannot escape a base path or reach local files of the reader") {
    Seq("../x", "a/../../x", "/etc/passwd", "a//b", ".", "", "a\\b", "a\u0000b").foreach { uri =>
      intercept[CorruptFileException](range(3, 0, 1, 1, uri))
    }
    intercept[CorruptFileException](range(3, 0, 1, 9, "x"))
    Seq("file:///etc/passwd", "FILE:/etc/passwd", "/etc/passwd", "etc/passwd", "").foreach { uri =>
      intercept[UnsupportedFeatureException](range(3, 0, 1, 0, uri))
    }
    Seq(
      "s3://far/x",
      "gs://bucket/x",
      "http://127.0.0.1:8080/x",
      "hdfs://bucket/x",
      "s3a://other/x",
      "s3a://other/mediaX/x"
    ).foreach { uri =>
      val e = intercept[UnsupportedFeatureException](range(3, 0, 1, 0, uri))
      assert(e.getMessage.contains("allowedBlobUris") && e.getMessage.contains(uri))
    }
    Seq("s3://bucket/../other/x", "s3://bucket/%2e%2e/x", "s3a://other/media/a/..").foreach { uri =>
      val e = intercept[UnsupportedFeatureException](range(3, 0, 1, 0, uri))
      assert(e.getMessage.contains(".. in its path"))
    }
    val local = BlobBases(TablePath("/data/t.lance"), Map.empty)
    assert(local.path(0, "file:///media/a") == "file:///media/a")
    intercept[CorruptFileException](new BlobLocations(
      "/t/data/.lance",
      ".lance",
      local
    ).range(2, 0, 1, 1, ""))
  }

  test("readers can allow more folders") {
    val allowed = AllowedUris.parse(" s3://far/photos/ ,gs://bucket,, file:///media")
    val more = bases.copy(allowed = allowed)
    assert(more.path(0, "s3a://far/photos/a%20b") == "s3a://far/photos/a b")
    assert(more.path(0, "gs://bucket/x/y") == "gs://bucket/x/y")
    assert(more.path(0, "file:///media/x") == "file:///media/x")
    Seq(
      "s3a://far/photosX/a",
      "s3a://far/other",
      "s3a://far/photos/../x",
      "gs://other/x",
      "file:///etc/x"
    )
      .foreach(uri => intercept[UnsupportedFeatureException](more.path(0, uri)))
    assert(AllowedUris.parse("") == AllowedUris.none)
    Seq("/media", "bucket", "s3://", "s3://a/../b", "*").foreach { text =>
      val e = intercept[InvalidRequestException](AllowedUris.parse(text))
      assert(e.getMessage.contains("allowedBlobUris"))
    }
  }

  test("invalid sizes and unknown kinds are rejected") {
    intercept[CorruptFileException](range(0, -1, 5, 0))
    intercept[CorruptFileException](range(0, 5, -1, 0))
    intercept[CorruptFileException](range(1, Long.MaxValue, 1, 1))
    intercept[CorruptFileException](range(6, 0, 1, 0))
    Seq(4, 5).foreach { kind =>
      val e = intercept[UnsupportedFeatureException](range(kind, 0, 1, 0, "x"))
      assert(e.feature == "managed blobs")
    }
  }
}
