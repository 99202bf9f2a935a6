// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.proto

class BasePathSuite extends AnyFunSuite {

  private def manifest(bases: (Int, Boolean, String)*): Manifest = {
    val m = proto.Manifest.newBuilder().setVersion(1)
    bases.foreach { case (id, isRoot, path) =>
      m.addBasePaths(proto.BasePath.newBuilder().setId(id).setIsDatasetRoot(isRoot).setPath(path))
    }
    Manifest(m.build())
  }

  private def file(path: String, base: Option[Int]): DataFile =
    DataFile(path, IndexedSeq(0), IndexedSeq(0), FileVersion.default, 9, base)

  private val root = TablePath("s3a://bucket/t")

  test("data files and deletion files below dataset roots and plain base paths") {
    val m = manifest((0, true, "s3a://old/t/"), (7, false, "s3://other/files"))
    assert(m.pathOf(root, file("x.lance", None)) == "s3a://bucket/t/data/x.lance")
    assert(m.pathOf(root, file("x.lance", Some(0))) == "s3a://old/t/data/x.lance")
    assert(m.pathOf(root, file("a/x.lance", Some(7))) == "s3a://other/files/a/x.lance")
    val deletion = DeletionFile(DeletionFile.Bitmap, 3, -1L, 1, Some(0))
    assert(m.pathOf(root, 5, deletion) == "s3a://old/t/_deletions/5-3-18446744073709551615.bin")
    intercept[UnsupportedFeatureException](m.pathOf(root, 5, deletion.copy(baseId = Some(7))))
    val e = intercept[CorruptFileException](m.pathOf(root, file("x.lance", Some(1))))
    assert(e.getMessage.contains("base path 1, which is not listed"))
  }

  test("file paths cannot escape their base") {
    val m = manifest((0, true, "s3a://old/t"), (7, false, "s3a://files"))
    for {
      base <- Seq(None, Some(0), Some(7))
      name <- Seq(
        "../x",
        "a/../../x",
        "/etc/passwd",
        "a//b",
        ".",
        "",
        "s3a://other/x",
        "a\\..\\x",
        "x\u0000"
      )
    } {
      val e = intercept[CorruptFileException](m.pathOf(root, file(name, base)))
      assert(e.getMessage.contains("leads outside"))
    }
  }

  test("a base without scheme is local, s3 is read by S3A") {
    def folder(base: String, table: String): String =
      BasePath(0, None, isDatasetRoot = true, base).folder(TablePath(table)).root
    assert(folder("/b", "/t") == "/b")
    assert(folder("/b", "file:/t") == "file:///b")
    assert(folder("s3://k/b", "s3a://k/t") == "s3a://k/b")
    assert(folder("file:///b", "/t") == "file:///b")
    assert(folder("s3a://other/b", "s3a://k/t") == "s3a://other/b")
    assert(folder("s3://k/b", "s3+ddb://k/t?ddbTableName=c") == "s3a://k/b")
    assert(folder("s3://k/b", "s3://k/t") == "s3://k/b")
    Seq("b", "", "../b").foreach { relative =>
      val e = intercept[UnsupportedFeatureException](folder(relative, "/t"))
      assert(e.getMessage.contains("relative base path"))
    }
  }

  test("a base on Azure must be on the service of the table, which receives the reader's token") {
    def folder(base: String, table: String): String =
      BasePath(0, None, isDatasetRoot = true, base).folder(TablePath(table)).root
    val table = "abfss://c@account.dfs.core.windows.net/t"
    assert(folder("abfss://d@other.dfs.core.windows.net/b", table).endsWith("/b"))
    assert(folder("abfs://c@account.DFS.core.windows.net/b", table).endsWith("/b"))
    for (
      base <- Seq(
        "abfss://c@evil.example.com/b",
        "abfss://c@account.dfs.core.windows.net.example.com/b",
        "abfss://account.dfs.core.windows.net@example.com/b",
        "abfss://c@localhost/b"
      )
    ) {
      val e = intercept[UnsupportedFeatureException](folder(base, table))
      assert(e.getMessage.contains(base) && e.getMessage.contains("dfs.core.windows.net of the"))
    }
    intercept[UnsupportedFeatureException](
      folder("wasbs://c@evil.example.com/b", "wasbs://c@account.blob.core.windows.net/t")
    )
  }

  test("a base on another kind of storage than the table, or on another server, is rejected") {
    for (
      (base, table) <- Seq(
        "/etc" -> "s3a://bucket/t",
        "file:///etc" -> "hdfs://host/t",
        "FILE:/etc" -> "s3a://bucket/t",
        "s3://bucket/b" -> "/t",
        "s3://bucket/b" -> "file:/t",
        "gs://bucket/b" -> "s3a://bucket/t",
        "http://127.0.0.1:8080/b" -> "s3a://bucket/t",
        "https://host/b" -> "/t",
        "http://host/b" -> "http://host/t"
      )
    ) {
      val b = BasePath(3, None, isDatasetRoot = true, base)
      val e = intercept[UnsupportedFeatureException](b.folder(TablePath(table)))
      assert(e.getMessage.contains(base) && e.getMessage.contains("another kind of storage"))
      assert(e.place.path.contains(table))
      val m = manifest((3, true, base))
      intercept[UnsupportedFeatureException](m.pathOf(TablePath(table), file("x", Some(3))))
    }
  }
}
