// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.{FilterExec, SparkPlan}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType, Optional, Schema}
import io.github.pysparklance.spark.scan.push.PushedConditions
import io.github.pysparklance.testkit.{GoldenTables, SharedSpark, SparkLine, TestRun}

/** Metadata columns, conditions on them, limits and offsets, from SQL to the rows. */
class PushDownSuite extends AnyFunSuite with AdaptiveSparkPlanHelper {
  private lazy val spark = SharedSpark.interpreted

  private def golden(name: String, options: (String, String)*): DataFrame =
    spark.read.format("lance").options(options.toMap).load(GoldenTables.path(name).toString)

  private def expected(name: String, column: String): Seq[Long] =
    new ObjectMapper().readTree(GoldenTables.path(name).toFile).get(column).elements.asScala
      .map(_.asLong).toSeq

  private def longs(df: DataFrame): Seq[Long] = df.collect().toSeq.map(_.getLong(0))

  private def plan(df: DataFrame): SparkPlan = df.queryExecution.executedPlan
  private def scan(df: DataFrame): BatchScanExec =
    collect(plan(df)) { case b: BatchScanExec => b }.head
  private def isPushed(df: DataFrame): Boolean =
    collect(plan(df)) { case f: FilterExec => f }.isEmpty
  private def hasLimit(df: DataFrame): Boolean =
    plan(df).toString.contains("Limit") || plan(df).toString.contains("Offset")
  private def tasks(df: DataFrame): Int = scan(df).inputRDD.getNumPartitions

  private val names = Seq(
    "_rowid",
    "_rowaddr",
    "_rowoffset",
    "_fragid",
    "_row_created_at_version",
    "_row_last_updated_at_version"
  )

  for {
    name <- Seq("identity", "identity_spilled")
    options <- Seq(Nil, Seq("batchSize" -> "7", "splitSize" -> "1"))
  } test(s"$name: metadata columns equal pylance's columns $options") {
    val df = golden(s"$name.lance", options: _*)
    assert(df.columns.toSeq == Seq("id", "name"))
    val rows = df.select((names :+ "id").map(col): _*).collect()
    names.filterNot(_ == "_fragid").foreach { column =>
      val wanted = expected(s"$name.json", column)
      assert(rows.map(_.getAs[Long](column)).toSeq == wanted, column)
      // alone, and before a column of the table
      if (options.isEmpty) {
        assert(longs(df.select(column)) == wanted, column)
        assert(df.select(col(column), col("id")).collect().toSeq ==
          wanted.zip(expected(s"$name.json", "id")).map { case (a, b) => Row(a, b) })
      }
    }
    assert(rows.forall(r => r.getAs[Long]("_fragid") == r.getAs[Long]("_rowaddr") >> 32))
  }

  test("metadata columns in SQL, in all kinds of conditions, and in joins") {
    val t = s"lake.`${GoldenTables.path("identity.lance").toAbsolutePath}`"
    val n = expected("identity.json", "id").length
    assert(
      longs(spark.sql(s"SELECT count(*) FROM $t a JOIN $t b ON a._rowid = b._rowid")) == Seq(n)
    )
    assert(longs(spark.sql(s"SELECT count(*) FROM $t WHERE _row_created_at_version > 1")) ==
      Seq(expected("identity.json", "_row_created_at_version").count(_ > 1)))
    assert(longs(spark.sql(s"SELECT max(_rowoffset) FROM $t")) == Seq(n - 1))
  }

  for (name <- Seq("identity", "identity_spilled"))
    test(s"$name: rows by id and by address, in scan order, without a Spark filter") {
      val df = golden(s"$name.lance")
      val ids = expected(s"$name.json", "_rowid")
      val addresses = expected(s"$name.json", "_rowaddr")
      val wanted = ids.indices.filter(_ % 13 == 4)
      val byId = df.where(col("_rowid").isin(wanted.reverse.map(ids): _*)).select("id")
      assert(longs(byId) == wanted.map(ids))
      assert(isPushed(byId) && scan(byId).scan.description().contains("where _rowid IN ("))
      val byAddress =
        df.where(col("_rowaddr").isin(wanted.map(addresses): _*)).select("id", "_rowid")
      assert(byAddress.collect().toSeq == wanted.map(i => Row(ids(i), ids(i))))
      assert(isPushed(byAddress))
      val one = df.where("_rowid = 8")
      assert(one.collect().toSeq == Seq(Row(8L, "again")) && isPushed(one) && tasks(one) == 1)
      assert(plan(one).toString.contains("where _rowid = 8"))
    }

  test("conditions that match no row, all rows, or need Spark") {
    val df = golden("deletions.lance")
    def count(condition: String): Long = df.where(condition).collect().length.toLong
    assert(count("_rowaddr = 3") == 0)
    assert(count("_rowaddr IN (2, 4, -5, 8000, 7998)") == 3)
    assert(count("_rowaddr IN (2, 4, NULL)") == 2)
    assert(count("_rowaddr = 2 AND _rowaddr = 4") == 0)
    assert(count("_rowaddr = 2 OR _rowid = 4 OR _fragid = 1") == 2002)
    assert(count("_rowaddr IS NULL") == 0 && count("_rowaddr IS NOT NULL") == 9998)
    val none = df.where("_rowaddr = 2 AND _fragid = 1")
    assert(none.collect().isEmpty && isPushed(none) && tasks(none) == 0)
    val fragment = df.where("_fragid = 1 AND id >= 8000")
    assert(fragment.count() == 2000 && isPushed(fragment))
    val sum = df.where("_fragid + id = 8001")
    assert(longs(sum.select("id")) == Seq(8000) && !isPushed(sum))
    assert(count("_rowaddr = 2 AND id = 2") == 1 && count("_rowaddr = 2 AND id = 3") == 0)
    assert(count("_rowaddr = 2 OR id = 7") == 2)
    assert(count("NOT _rowaddr IN (2, 4)") == 9996)
    assert(df.where("_rowaddr IN (2, 3, 4)").count() == 2)
    assert(longs(df.where("_rowaddr IN (5, 4294967300)").select("_rowoffset")) == Seq(4, 7999))
    val byRank = df.where("_rowoffset IN (4, 7999, 20000)")
    assert(longs(byRank.select("_rowaddr")) == Seq(5, 4294967300L) && isPushed(byRank))
    val many = df.where(col("_rowaddr").isin((0 until 2000).map(_ * 4): _*))
    assert(longs(many.select("id")) == (0L until 8000L by 4) && isPushed(many))
  }

  test("deleted rows are read on request, and marked") {
    val df = golden("deletions.lance", "includeDeletedRows" -> "true")
    assert(df.count() == 16000 && df.select("id").collect().length == 16000)
    val deleted = df.where("_deleted").select("_rowaddr", "_deleted")
    assert(deleted.count() == 6002 && isPushed(deleted))
    assert(longs(df.where("_rowaddr = 3").select("_rowaddr")) == Seq(3))
    assert(df.where("NOT _deleted").count() == 9998 && df.offset(15999).count() == 1)
    assert(longs(df.limit(4).select("_rowaddr")) == Seq(0, 1, 2, 3))
    assert(!df.columns.contains("_deleted"))
    val live = golden("deletions.lance")
    assert(live.where("_deleted").count() == 0)
    assert(live.select("_deleted").distinct().collect().toSeq == Seq(Row(false)))
  }

  test("rows have the path of their file, which can be filtered") {
    val df = golden("deletions.lance")
    val files = df.select("_file", "_fragid").distinct().collect().map(r =>
      r.getLong(1) -> r.getString(0)
    ).toMap
    assert(files.keySet == Set(0L, 1L) && files.values.forall(_.endsWith(".lance")))
    assert(files.values.forall(f => f.contains("deletions.lance/data/")))
    assert(df.select("_file").distinct().collect().map(_.getString(0)).toSet == files.values.toSet)
    val one = df.where(col("_file") === files(1))
    assert(one.count() == 2000 && isPushed(one))
  }

  test("fragments are skipped by metadata columns in the manifest") {
    val df = golden("deletions.lance")
    val file = df.where("_fragid = 1").select("_file").head().getString(0)
    Seq(
      "_fragid > 0 AND id > 5" -> (2000, 1),
      "_rowaddr >= 4294967296" -> (2000, 1),
      "_rowid < 4 OR _rowoffset < 2" -> (3, 1),
      "_rowoffset BETWEEN 7997 AND 7998" -> (2, 2),
      s"_file = '$file'" -> (2000, 1),
      "_deleted" -> (0, 0),
      "_row_created_at_version > 1" -> (0, 0),
      "_row_last_updated_at_version = 1 AND _fragid <> 0" -> (2000, 2)
    ).foreach { case (condition, (rows, kept)) =>
      val found = df.where(condition)
      assert(found.collect().length == rows && isPushed(found), condition)
      val text = scan(found).scan.description()
      assert(text.contains(s" $kept of 2 fragments, "), s"$condition: $text")
      assert(tasks(found) <= kept)
    }
  }

  test("a column of the table hides the metadata column with the same name") {
    val field = Field(0, "_rowid", LogicalType.Integer(64, signed = true), nullable = true)
    def condition(schema: Schema, column: String) =
      new PushedConditions(schema)(new Predicate(
        "=",
        Array(Expressions.column(column), Expressions.literal(1L))
      ))
    assert(condition(Schema(IndexedSeq.empty), "_rowid").isDefined)
    assert(condition(Schema(IndexedSeq(field)), "_rowid").isEmpty)
    assert(condition(Schema(IndexedSeq(field)), "_rowaddr").isDefined)
    assert(condition(Schema(IndexedSeq(field)), "other").isEmpty)
  }

  test("limit and offset are applied before rows are read") {
    val df = golden("deletions.lance").select("id")
    val all = longs(df)
    for {
      (limit, offset) <-
        Seq(1 -> 0, 3 -> 2, 4 -> 7997, 8001 -> 0, 8001 -> 1, 20000 -> 9990, 5 -> 20000)
    } {
      val limited = df.offset(offset).limit(limit)
      assert(longs(limited) == all.slice(offset, offset + limit), s"limit $limit offset $offset")
      assert(!hasLimit(limited))
      assert(longs(df.limit(limit).offset(offset)) == all.take(limit).drop(offset))
    }
    assert(longs(df.offset(9000)) == all.drop(9000) && !hasLimit(df.offset(9000)))
    val few = df.limit(10)
    assert(tasks(few) == 1 && scan(few).scan.description().endsWith(", limit 10"))
    assert(few.collect().length == 10 && scan(few).metrics("lanceRowsRead").value == 10)
    assert(scan(df.offset(3).limit(4)).scan.description().endsWith(", limit 4 offset 3"))
    assert(SparkLine.expectedRows(df.limit(10)).contains(BigInt(10)))
  }

  test("limit and offset with filters, counts, sorts, and other limits") {
    val df = golden("deletions.lance").select("id")
    assert(longs(df.where("id % 2 = 0").limit(3)) == Seq(0, 2, 4))
    assert(longs(df.where("_rowaddr IN (7, 5, 1)").limit(2)) == Seq(1, 5))
    assert(longs(df.where("_rowaddr IN (7, 5, 1)").offset(1)) == Seq(5, 7))
    val cut = df.where("_fragid = 1").offset(1990).limit(5)
    assert(longs(cut) == longs(df.where("_fragid = 1")).slice(1990, 1995) && !hasLimit(cut))
    assert(cut.collect().length == 5 && scan(cut).metrics("lanceRowsRead").value == 5)
    val both = df.where("_rowaddr IN (2, 3, 4, 4294967296, 4294967297, 4294967300)").limit(3)
    assert(longs(both) == Seq(2, 4, 8000) && !hasLimit(both) && tasks(both) >= 1)
    assert(df.limit(5).count() == 5 && df.offset(9997).count() == 1)
    assert(longs(df.agg(count(lit(1))).offset(1)).isEmpty)
    assert(longs(df.agg(count(lit(1))).limit(1)) == Seq(9998))
    assert(longs(df.orderBy(col("id").desc).limit(2)) == Seq(15996, 15992))
    assert(longs(df.limit(10).offset(2).limit(3)) == Seq(2, 4, 5))
    assert(longs(df.limit(3).where("id > 0")) == Seq(1, 2))
    assert(df.limit(0).collect().isEmpty && df.take(2).toSeq == Seq(Row(0L), Row(1L)))
    assert(longs(df.limit(2).union(df.offset(9997))) == Seq(0, 1, 15996))
  }

  test("sizes of reads are options, with units") {
    val df = golden(
      "deletions.lance",
      "prefetchBytes" -> "64k",
      "windowBytes" -> "32k",
      "maxGapBytes" -> "0"
    )
    assert(df.collect().length == 9998)
    val e = intercept[Exception](golden("deletions.lance", "io_buffer_size" -> "lots").collect())
    assert(e.getMessage.contains("prefetchBytes is 'lots'"))
  }

  test("binary values in lists with null and without, of any length") {
    val folder = java.nio.file.Files.createTempDirectory("pyspark-lance").resolve("t").toString
    spark.range(0, 40, 1, 1)
      .selectExpr("id", "IF(id % 10 = 3, NULL, CAST(concat('b', id) AS BINARY)) AS b")
      .selectExpr("id", "b", "named_struct('b', b) AS s")
      .write.format("lance").save(folder)
    def read = spark.read.format("lance").load(folder)
    val plain = spark.createDataFrame(read.rdd, read.schema)
    val cases = for {
      length <- Seq(10, 11, 30)
      hasNull <- Seq(false, true)
      column <- Seq("b", "s.b")
      form <-
        Seq("%s IN (%s)", "id = 1 OR %s IN (%s)", "NOT (%s IN (%s) AND id > 1)")
    } yield (length, hasNull, column, form)
    for ((length, hasNull, column, form) <- TestRun.sample(12, cases)) {
      val list = (0 until length).map(i => s"X'${f"b$i".getBytes.map(x => f"$x%02x").mkString}'") ++
        Optional.when(hasNull)("CAST(NULL AS BINARY)")
      val condition = form.format(column, list.mkString(", "))
      withClue(condition) {
        val found = read.where(condition)
        assert(
          longs(found.select("id")).sorted == longs(plain.where(condition).select("id")).sorted
        )
        assert(found.count() == plain.where(condition).count())
        assert(found.queryExecution.toString.contains("BatchScan"))
        assert(hasNull || isPushed(found))
      }
    }
    val list = (0 until 20).map(i => s"CAST('b$i' AS BINARY)").mkString(", ")
    spark.sql(s"DELETE FROM lance.`$folder` WHERE b IN ($list, NULL)")
    assert(read.count() == 22)
    spark.sql(s"UPDATE lance.`$folder` SET id = -1 WHERE b IN (CAST('b20' AS BINARY), $list, NULL)")
    assert(read.where("id = -1").count() == 1)
    io.github.pysparklance.storage.Storage.local.deleteFolder(folder)
  }
}
