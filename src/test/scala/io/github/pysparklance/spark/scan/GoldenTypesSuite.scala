// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.nio.file.Paths
import java.util.Base64

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.types._
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{SharedSpark, SparkLine}

/** Tables of special types that a script in `python/tests/golden` wrote with pylance, each with its
  * rows in a JSON file.
  */
class GoldenTypesSuite extends AnyFunSuite {
  private lazy val spark = SharedSpark.interpreted
  private val root = Paths.get("src/test/resources/golden/types")

  private def load(name: String, options: (String, String)*): DataFrame =
    spark.read.format("lance").options(options.toMap).load(root.resolve(s"$name.lance").toString)

  private def expected(name: String): Seq[Any] =
    new ObjectMapper()
      .readValue(root.resolve(s"$name.json").toFile, classOf[java.util.List[Any]])
      .asScala
      .map(plain)
      .toSeq

  private def plain(v: Any): Any = v match {
    case m: java.util.Map[_, _] => m.asScala.map { case (k, x) => k.toString -> plain(x) }.toMap
    case l: java.util.List[_] => l.asScala.map(plain).toSeq
    case i: java.lang.Integer => i.longValue
    case other => other
  }

  private def rows(frame: DataFrame): Seq[Any] = frame.collect().toSeq.map(cell)

  private def cell(v: Any): Any = v match {
    case r: Row => r.schema.fieldNames.zip(r.toSeq.map(cell)).toMap
    case s: scala.collection.Seq[_] => s.map(cell).toSeq
    case b: Array[Byte] => Base64.getEncoder.encodeToString(b)
    case i: Int => i.toLong
    case other => other
  }

  Seq(
    "blobs_v2_0",
    "blobs_v2_1",
    "blobs_v2_2",
    "blobs_v2_3",
    "fixed_size_lists_v2_2",
    "fixed_size_lists_v2_3",
    "nested_lists_v2_2",
    "lists_of_lists_v2_3",
    "empty_structs_v2_0",
    "empty_structs_v2_1",
    "empty_structs_v2_2",
    "empty_structs_v2_3",
    "packed_v2_1",
    "json_v2_0",
    "json_v2_2"
  ).foreach { name =>
    test(s"$name round-trips, in batches of any size") {
      val wanted = expected(name)
      Seq("1", "7", "4096").foreach { n =>
        val found = rows(load(name, "batchSize" -> n))
        assert(found.length == wanted.length)
        found.indices.foreach(i => assert(found(i) == wanted(i), s"row $i, batches of $n"))
      }
    }
  }

  test("members of structs in fixed-size lists, and of packed structs, read alone") {
    def all(name: String) = expected(name).map(_.asInstanceOf[Map[String, Any]])
    val lists = load("nested_lists_v2_2")
    val members = Seq("s.x.c", "s.x.v", "s.x.g", "s.y")
    members.foreach { member =>
      val found = rows(lists.selectExpr(s"$member AS m"))
      val path = member.split('.').toList
      assert(found == all("nested_lists_v2_2").map(r => Map("m" -> select(r, path))), member)
    }
    val packed = load("packed_v2_1")
    assert(rows(packed.selectExpr("p.b AS m")) == all("packed_v2_1").map(r =>
      Map("m" -> select(r, List("p", "b")))
    ))
    assert(packed.where("p.a = 3").selectExpr("p.b").collect().map(_.getLong(0)).toSeq == Seq(30L))
  }

  private def select(v: Any, path: List[String]): Any = (v, path) match {
    case (_, Nil) => v
    case (m: Map[_, _], name :: rest) => select(m.asInstanceOf[Map[String, Any]](name), rest)
    case (s: Seq[_], _) => s.map(select(_, path))
    case _ => null
  }

  test("a blob as its size, and as its descriptor") {
    Seq("blobs_v2_1", "blobs_v2_2").foreach { name =>
      val bytes = load(name).selectExpr("id", "length(blob)").collect().map(r =>
        (r.getInt(0), Option(r.get(1)))
      )
      val sizes = load(name, "blobMode" -> "size")
      // Two reads of one table with options of their own.
      assert(sizes.crossJoin(load(name)).count() == sizes.count() * sizes.count())
      assert(sizes.schema("blob").dataType == LongType)
      val found = sizes.collect().map(r => (r.getInt(0), Option(r.get(1)).map(_.toString.toInt)))
      assert(found.toSeq == bytes.toSeq)
    }
    val legacy = load("blobs_v2_1", "blob_handling" -> "descriptor").select("blob").collect()
    assert(legacy.head.schema("blob").dataType.asInstanceOf[StructType].fieldNames.toSeq == Seq(
      "position",
      "size"
    ))
    assert(legacy.map(_.isNullAt(0)).toSeq == expected("blobs_v2_1").map {
      case m: Map[_, _] => m.asInstanceOf[Map[String, Any]]("blob") == null; case _ => fail()
    })
    val kinds = load("blobs_v2_2", "blobMode" -> "descriptor")
      .selectExpr("blob.kind", "blob.size")
      .collect()
      .filterNot(_.isNullAt(0))
      .map(r => (r.getShort(0), r.getDecimal(1).intValue))
    assert(kinds.exists(_._1 == 0) && kinds.exists(_._1 == 1) && kinds.exists(_._1 == 2))
    assert(kinds.forall { case (kind, size) =>
      (kind == 2) == (size > 42) && (kind == 0) == (size <= 8)
    })
  }

  test("types are decided when a table is loaded") {
    val e = intercept[Exception](load("blobs_v2_1", "blobMode" -> "bytes"))
    assert(e.getMessage.contains("content, descriptor, size"))
    val path = root.resolve("blobs_v2_1.lance").toAbsolutePath
    val byName = spark.read.option("blobMode", "size").table(s"lake.`$path`")
    if (SparkLine.isFrom("4.3")) // it passes the options of a read to the catalog
      assert(byName.schema("blob").dataType == LongType)
    else {
      val late = intercept[AnalysisException](byName.collect())
      assert(late.getMessage.contains("option blobMode"))
    }
    val s = spark.newSession()
    s.conf.set("spark.sql.catalog.sizes", "io.github.pysparklance.spark.LanceCatalog")
    s.conf.set("spark.sql.catalog.sizes.blobMode", "size")
    assert(s.table(s"sizes.`$path`").schema("blob").dataType == LongType)
  }

  test("other columns of a table with an unreadable column can be read") {
    val wide = load("wide_decimals_v2_2")
    assert(wide.select("id").collect().map(_.getInt(0)).toSeq == Seq(1, 2))
    assert(wide.select("s.a").collect().map(_.getInt(0)).toSeq == Seq(1, 1))
    assert(wide.count() == 2)
    Seq("wide", "s.w", "s", "*").foreach { columns =>
      val e = intercept[Exception](wide.select(columns).collect())
      assert(e.getMessage.contains("unsupported: type decimal:256:"), columns)
    }
    val e = intercept[Exception](wide.where("wide IS NULL").select("id").collect())
    assert(e.getMessage.contains("unsupported: type decimal:256:76:20"))
  }

  test("times and durations are integers of their unit, or on request Spark's own types") {
    val integers = load("times_v2_2").collect()
    assert(integers(1).toSeq == Seq(
      86399L, 86399999L, 86399999999L, 86399999999999L, 90061L, 1500L, 1L, 1999L
    ))
    assert((0 until 8).forall(integers(2).isNullAt))
    assume(SparkLine.isFrom("4.1"), "Spark has times of the day since 4.1")
    val native = load("times_v2_2", "nativeTimeTypes" -> "true")
    val text = native.columns.map(c => s"CAST($c AS STRING)")
    val found = native.selectExpr(text.toIndexedSeq: _*).collect().map(_.toSeq)
    assert(found(0).take(4) == Seq(
      "00:00:00",
      "00:00:00.001",
      "00:00:00.000001",
      "00:00:00.000001"
    ))
    assert(found(1).take(4) == Seq(
      "23:59:59",
      "23:59:59.999",
      "23:59:59.999999",
      "23:59:59.999999"
    ))
    val durations = native.select("ds", "dms", "dus", "dns").collect()
    def micros(r: Row) =
      (0 until 4).map(r.getAs[java.time.Duration]).map(d =>
        d.getSeconds * 1000000 + d.getNano / 1000
      )
    assert(micros(durations(0)) == Seq(-1000000L, -1000L, -1L, -1L))
    assert(micros(durations(1)) == Seq(90061000000L, 1500000L, 1L, 1L))
    assert((0 until 4).forall(durations(2).isNullAt))
  }
}
