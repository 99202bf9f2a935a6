// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance

import java.io.File
import java.nio.file.Paths

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.Layers.Dependency

class LayersSuite extends AnyFunSuite {

  /** Own classes in Spark's packages, with a few lines each that use package-private API. */
  private val shims: Set[String] = Set.empty

  private def ours(pair: (String, String)): Dependency =
    Dependency(s"io.github.pysparklance.${pair._1}", s"io.github.pysparklance.${pair._2}")

  private def violations(dependencies: Dependency*): Seq[String] = Layers.violations(dependencies)

  test("compiled classes import only their own layer and the layers below it") {
    val folders = sys.props("pysparklance.classes").split(File.pathSeparator)
    val found = Layers.read(folders.toSeq.map(Paths.get(_)))
    assert(found.exists(_.from == "io.github.pysparklance.Version$"), "jdeps saw no class of ours")
    val broken = Layers.violations(found, shims)
    assert(broken.isEmpty, broken.mkString("\n", "\n", "\n"))
  }

  test("a layer may import the layers below it") {
    val allowed = violations(
      ours("storage.RangeReader" -> "core.Buffer"),
      ours("file.DataFileReader" -> "storage.RangeReader"),
      ours("file.DataFileReader" -> "encoding.spi.PageDecoder"),
      ours("spark.scan.LanceScan" -> "table.Manifest"),
      ours("table.Manifest" -> "Version"),
      Dependency("io.github.pysparklance.core.Buffer", "java.nio.ByteBuffer")
    )
    assert(allowed.isEmpty)
  }

  test("a layer may not import the layers above it or its neighbor") {
    for (
      bad <- Seq(
        "core.Buffer" -> "storage.RangeReader",
        "encoding.Rle" -> "storage.RangeReader",
        "storage.RangeReader" -> "encoding.Rle",
        "file.DataFileReader" -> "table.Manifest",
        "table.Manifest" -> "index.scalar.BTree",
        "index.scalar.BTree" -> "spark.LanceCatalog",
        "Version" -> "core.Buffer"
      )
    ) {
      val Seq(line) = violations(ours(bad)): @unchecked
      assert(
        line.startsWith(s"io.github.pysparklance.${bad._1} -> io.github.pysparklance.${bad._2}")
      )
    }
  }

  test("only some packages use Spark, Hadoop, protobuf, and the generated messages") {
    val spark = "org.apache.spark.sql.Row"
    val hadoop = "org.apache.hadoop.fs.Path"
    val protobuf = "com.google.protobuf.Message"
    val shaded = "io.github.pysparklance.shaded.protobuf.Message"
    val message = "io.github.pysparklance.encoding.proto.v2_1.Flat"
    def allowed(from: String, to: String) =
      violations(Dependency(s"io.github.pysparklance.$from", to)).isEmpty

    assert(allowed("spark.LanceCatalog", spark) && !allowed("table.Manifest", spark))
    assert(allowed("storage.hadoop.HadoopStore", hadoop) && allowed("spark.LanceCatalog", hadoop))
    assert(!allowed("storage.local.LocalStore", hadoop) && !allowed("storage.Store", hadoop))
    for (to <- Seq(protobuf, shaded, message)) {
      assert(Seq("encoding.Rle", "file.Footer", "table.Manifest", "index.A").forall(allowed(_, to)))
      assert(!allowed("core.Schema", to) && !allowed("spark.LanceCatalog", to))
    }
    assert(!allowed("file.Footer", "io.github.pysparklance.table.proto.Manifest"))
    assert(!allowed("storage.Store", "software.amazon.awssdk.core.SdkClient"))
    assert(allowed("storage.dynamodb.DynamoStore", "software.amazon.awssdk.core.SdkClient"))
  }

  test("a class is in a known layer below the root package, unless it is a known shim") {
    val shim = Dependency("org.apache.spark.sql.Peek$", "org.apache.spark.sql.Row")
    assert(violations(shim).exists(_.startsWith("org.apache.spark.sql.Peek$ lies outside")))
    assert(Layers.violations(Seq(shim), Set("org.apache.spark.sql.Peek")).isEmpty)
    assert(violations(ours("util.Strings" -> "core.Buffer")).exists(_.contains("no known floor")))
  }

  test("a cycle of packages is reported with its classes") {
    val found = violations(
      ours("encoding.PageDecoders" -> "encoding.layout.MiniBlock"),
      ours("encoding.layout.MiniBlock" -> "encoding.compression.Rle"),
      ours("encoding.compression.Rle" -> "encoding.PageDecoders"),
      ours("encoding.compression.Rle" -> "encoding.spi.Compression")
    )
    val Seq(line) = found: @unchecked
    assert(line.startsWith("cycle of io.github.pysparklance.encoding, "))
    assert(line.contains("compression.Rle -> io.github.pysparklance.encoding.PageDecoders"))
    assert(!line.contains("encoding.spi"))
  }

  test("the parser of jdeps output skips headings") {
    val output =
      """classes -> java.base
        |   a.B                 -> c.D$E                 not found
        |   a.B$                -> java.lang.Object      java.base
        |""".stripMargin
    assert(Layers.parse(output) == Seq(
      Dependency("a.B", "c.D$E"),
      Dependency("a.B$", "java.lang.Object")
    ))
  }
}
