// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}
import io.github.pysparklance.file.FileVersion
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

  test("data files and deletion files below roots and plain bases") {
    val m = manifest((0, true, "/old/t/"), (7, false, "s3a://other/files"))
    assert(m.pathOf(root, file("x.lance", None)) == "s3a://bucket/t/data/x.lance")
    assert(m.pathOf(root, file("x.lance", Some(0))) == "file:///old/t/data/x.lance")
    assert(m.pathOf(root, file("a/x.lance", Some(7))) == "s3a://other/files/a/x.lance")
    val deletion = DeletionFile(DeletionFile.Bitmap, 3, -1L, 1, Some(0))
    assert(m.pathOf(root, 5, deletion) == "file:///old/t/_deletions/5-3-18446744073709551615.bin")
    intercept[UnsupportedFeatureException](m.pathOf(root, 5, deletion.copy(baseId = Some(7))))
    val e = intercept[CorruptFileException](m.pathOf(root, file("x.lance", Some(1))))
    assert(e.getMessage.contains("base path 1, which is not listed"))
  }

  test("no file leaves its base") {
    val m = manifest((0, true, "/old/t"), (7, false, "/files"))
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
      assert(e.getMessage.contains("does not stay below"))
    }
  }

  test("a base without scheme is local, unless the table's own path has none") {
    def folder(base: String, table: String): String =
      BasePath(0, None, isDatasetRoot = true, base).folder(TablePath(table)).root
    assert(folder("/b", "/t") == "/b")
    assert(folder("/b", "file:/t") == "file:///b")
    assert(folder("/b", "hdfs://h/t") == "file:///b")
    assert(folder("s3://k/b", "s3a://k/t") == "s3a://k/b")
    assert(folder("s3://k/b", "/t") == "s3a://k/b")
    assert(folder("s3://k/b", "s3://k/t") == "s3://k/b")
    assert(folder("gs://k/b", "s3a://k/t") == "gs://k/b")
    Seq("b", "", "../b").foreach { relative =>
      val e = intercept[UnsupportedFeatureException](folder(relative, "/t"))
      assert(e.getMessage.contains("relative base path"))
    }
  }
}
