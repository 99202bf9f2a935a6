// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{ExactRows, Failures, SharedSpark, SparkLine, TemporaryFolder}

/** `df.write.format("lance")` and reads, in a session without configuration except the jar. */
class SaveSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session

  private def path: String = folder.resolve("t").toString
  private def load(options: (String, String)*): DataFrame =
    spark.read.format("lance").options(options.toMap).load(path)
  private def table: LanceTable = LanceTable.open(Storage.local, path)
  private def numbers(from: Long, until: Long): DataFrame =
    spark.range(from, until, 1, 2).select(col("id"), (col("id") * 2).cast("string").as("s"))
  private def save(df: DataFrame, mode: String, options: (String, String)*): Unit =
    df.write.format("lance").mode(mode).options(options.toMap).save(path)
  private def dataFiles: Int =
    Storage.local.list(folder.resolve("t/data").toString).length

  /** Every type, nulls at every level, in 300 rows over two tasks. */
  private def wide: DataFrame = {
    val n = col("id")
    def sometimes(every: Int, value: org.apache.spark.sql.Column) =
      when(n % every =!= 0, value)
    spark
      .range(0, 300, 1, 2)
      .select(
        n,
        sometimes(3, n % 2 === 0).as("b"),
        sometimes(4, (n % 128).cast("tinyint")).as("i8"),
        sometimes(5, n.cast("smallint")).as("i16"),
        (n * 1000003 % 1000000007).cast("int").as("i32"),
        sometimes(2, sqrt(n).cast("float")).as("f"),
        when(n % 7 === 0, lit(Double.NaN)).otherwise(-n.cast("double")).as("d"),
        (n.cast("decimal(12,2)") / 100).cast("decimal(12,2)").as("small"),
        sometimes(6, n.cast("decimal(38,10)") * lit("99999999999999999").cast("decimal(20,0)"))
          .cast("decimal(38,10)")
          .as("large"),
        sometimes(3, expr("repeat('é', int(id % 5))")).as("s"),
        sometimes(4, n.cast("string").cast("binary")).as("bin"),
        date_add(lit("1960-02-29").cast("date"), n.cast("int")).as("date"),
        timestamp_micros(n * 86400000001L - 9000000000000L).as("at"),
        timestamp_micros(n).cast("timestamp_ntz").as("local"),
        sometimes(5, struct(n.as("x"), sometimes(2, n.cast("string")).as("y"))).as("struct"),
        sometimes(6, sequence(lit(0L), n % 4)).as("list"),
        sometimes(6, array(struct(n.as("k"), array(n.cast("string"), lit(null)).as("l"))))
          .as("structs")
      )
  }

  for (version <- Seq("2.1", "2.2"))
    test(s"rows written in version $version read the same") {
      save(wide, "error", "fileVersion" -> version)
      assert(table.fileVersion.text == version)
      assert(load().schema.map(f => f.name -> f.dataType.catalogString) ==
        wide.schema.map(f => f.name -> f.dataType.catalogString))
      assert(ExactRows(load()) == ExactRows(wide))
    }

  test("no table is created inside a table of another format, by path or by name") {
    val days = spark.sql("SELECT 1 AS id, 'mon' AS day")
    days.write.partitionBy("day").parquet(path)
    for (mode <- Seq("append", "overwrite", "error", "ignore")) {
      val e = intercept[AnalysisException](save(days, mode))
      assert(e.getMessage.contains("the folder contains a Parquet table"), mode)
    }
    spark.range(1).write.format("lance").save(s"$path-source")
    val statements = Seq(
      s"CREATE TABLE lake.`$path` (id BIGINT) USING lance",
      s"CREATE TABLE lake.`$path` USING lance AS SELECT 1 AS id",
      s"CREATE TABLE lake.`$path` SHALLOW CLONE lake.`$path-source`",
      s"CREATE TABLE lake.`$path` DEEP CLONE lake.`$path-source`"
    )
    statements.foreach { text =>
      val e = intercept[AnalysisException](spark.sql(text).collect())
      assert(e.getMessage.contains("the folder contains a Parquet table"), text)
    }
    assert(spark.read.parquet(path).count() == 1)
    assert(Storage.local.list(path).map(_.name).toSet.intersect(Set("data", "_versions")).isEmpty)
  }

  test("maps and vectors") {
    val vectors = new MetadataBuilder().putLong("arrow.fixed-size-list.size", 4).build()
    val df = spark
      .range(0, 100, 1, 1)
      .select(
        when(col("id") % 3 =!= 0, map(lit("k"), col("id"), lit("l"), lit(null))).as("m"),
        when(col("id") % 4 =!= 0, array_repeat(col("id").cast("float"), 4)).as("v", vectors)
      )
    save(df, "error")
    assert(table.schema.field("v").get.logicalType == LogicalType.FixedSizeList(
      LogicalType.Float,
      4
    ))
    assert(ExactRows(load()) == ExactRows(df))
    assert(load().schema("v").metadata.getLong("arrow.fixed-size-list.size") == 4)
    // An array of another length is rejected, and the table stays unchanged.
    val short =
      spark.range(1).select(lit(null).cast("map<string,bigint>").as("m"), array(lit(1f)).as("v"))
    val e = Failures.of[AnalysisException](save(short, "append"))
    assert(e.getMessage.contains("a vector column, whose arrays have 4 items"))
    assert(e.condition == "LANCE_INVALID_REQUEST" && e.getMessage.contains(path))
    assert(load().count() == 100)
  }

  test("an error of a task has a condition and one line: a null struct in files of version 2.0") {
    val rows = spark.range(0, 9, 1, 2)
      .selectExpr("id", "array(if(id = 7, null, named_struct('a', id))) AS s")
    val e = Failures.of[AnalysisException](save(rows, "error", "fileVersion" -> "2.0"))
    assert(e.condition == "LANCE_UNSUPPORTED_FEATURE")
    assert(e.getMessageParameters.get("column") == "s.item")
    assert(e.getMessage.contains(path) && e.getMessage.contains("a null struct in a data file"))
    assert(e.getMessage.linesIterator.length == 1)
    save(rows.where("id < 7"), "error", "fileVersion" -> "2.0")
    spark.sql(s"INSERT INTO lance.`$path` VALUES (8, array())")
    val again = Failures.of[AnalysisException] {
      spark.sql(s"INSERT INTO lance.`$path` VALUES (8, array(null))")
    }
    assert(again.condition == "LANCE_UNSUPPORTED_FEATURE" && load().count() == 8)
  }

  test("the four save modes, on new and existing paths") {
    save(numbers(0, 10), "error")
    val e = intercept[AnalysisException](save(numbers(0, 1), "error"))
    assert(e.getMessage.contains(path) && e.getMessage.contains("ALREADY_EXISTS"))
    save(numbers(50, 60), "ignore")
    assert(load().count() == 10 && table.version == 1)
    save(numbers(10, 15), "append")
    assert(load().count() == 15 && table.version == 2)
    save(numbers(100, 103), "overwrite")
    assert(load().collect().map(_.getLong(0)).toSeq == Seq(100L, 101L, 102L))
    assert(load("version" -> "1").count() == 10)
    assert(load("versionAsOf" -> "2").count() == 15)
    for (mode <- Seq("append", "overwrite", "ignore")) {
      val other = folder.resolve(mode).toString
      numbers(0, 5).write.format("lance").mode(mode).save(other)
      assert(spark.read.format("lance").load(other).count() == 5)
    }
  }

  test(
    "columns are matched by name, missing columns are null, and other differences are rejected by name"
  ) {
    save(numbers(0, 10), "error")
    save(numbers(10, 12).select("s", "id"), "append")
    assert(load().where("id = 11").collect().toSeq == Seq(Row(11L, "22")))
    save(numbers(20, 21).select("id"), "append")
    assert(load().where("id = 20").collect().toSeq == Seq(Row(20L, null)))
    val extra = intercept[AnalysisException](save(numbers(0, 1).withColumn("x", lit(1)), "append"))
    assert(extra.getMessage.contains("`x`"))
    val wrong = spark.range(1).select(array(col("id")).as("id"), lit("a").as("s"))
    assert(intercept[AnalysisException](save(wrong, "append")).getMessage.contains("`id`"))
    assert(table.version == 3)
  }

  test("overwriting with other columns requires overwriteSchema") {
    save(numbers(0, 10), "error")
    val other = spark.range(3).select(lit("x").as("a"), col("id").cast("int").as("b"))
    intercept[AnalysisException](save(other, "overwrite"))
    save(other, "overwrite", "overwriteSchema" -> "true")
    assert(load().columns.toSeq == Seq("a", "b") && load().count() == 3)
    assert(load("version" -> "1").columns.toSeq == Seq("id", "s"))
    val e = intercept[AnalysisException](save(other, "append", "overwriteSchema" -> "true"))
    assert(e.getMessage.contains("overwrite"))
  }

  test("files roll at maxRowsPerFile, in any spelling") {
    save(numbers(0, 10000), "error", "max_rows_per_file" -> "3000")
    assert(table.fragments.map(_.physicalRows.get) == Seq(3000L, 2000L, 3000L, 2000L))
    assert(load().collect().map(_.getLong(0)).toSeq == (0L until 10000L))
  }

  test("an empty DataFrame creates an empty table, and appends no version") {
    save(numbers(0, 0), "error")
    assert(load().count() == 0 && load().columns.length == 2)
    save(numbers(0, 0), "append")
    assert(table.version == 1)
    save(numbers(0, 3), "append")
    save(numbers(0, 0), "overwrite")
    assert(load().collect().isEmpty && table.version == 3)
  }

  test("a failed write does not change the table, and leaves no files") {
    save(numbers(0, 10), "error")
    val before = dataFiles
    val failing = spark
      .range(0, 20000, 1, 1)
      .select(col("id"), when(col("id") === 19999, raise_error(lit("stop"))).cast("string").as("s"))
    Failures.of[RuntimeException](save(failing, "append", "maxRowsPerFile" -> "1000"))
    assert(table.version == 1 && dataFiles == before)
    val target = folder.resolve("never").toString
    Failures.of[RuntimeException](failing.write.format("lance").save(target))
    assert(!LanceTable.exists(Storage.local, target))
    assert(Storage.local.list(s"$target/data").isEmpty)
  }

  test("an append that conflicts with an overwrite fails, and leaves no files") {
    save(numbers(0, 10), "error")
    val target = path
    val overwriting = udf { (id: Long) =>
      if (id == 0) {
        val t = LanceTable.open(Storage.local, target)
        t.overwrite(IndexedSeq.empty, t.schema): Unit
      }
      id.toString
    }
    val before = dataFiles
    val late = spark.range(0, 5000, 1, 2).select(col("id"), overwriting(col("id")).as("s"))
    val e = intercept[AnalysisException](save(late, "append"))
    assert(
      e.getMessage.contains(path) && e.getMessage.contains("version 2 was committed concurrently")
    )
    assert(table.version == 2 && dataFiles == before)
  }

  test("concurrent appends are all committed") {
    save(numbers(0, 10), "error")
    val target = path
    val appending = udf { (id: Long) =>
      if (id == 0) {
        val t = LanceTable.open(Storage.local, target)
        t.append(t.fragments.map(f => Fragment.unassigned(f.files, f.physicalRows.get))): Unit
      }
      id.toString
    }
    save(spark.range(0, 7, 1, 1).select(col("id"), appending(col("id")).as("s")), "append")
    assert(table.version == 3 && load().count() == 27)
  }

  test("invalid options are rejected") {
    def rejected(option: (String, String)): String =
      intercept[AnalysisException](save(numbers(0, 1), "error", option)).getMessage
    assert(rejected("fileVersion" -> "9.9").contains("file version '9.9'"))
    assert(rejected("maxRowsPerFile" -> "0").contains("maxRowsPerFile is '0'"))
    assert(
      rejected("replaceWhere" -> "x").contains("option replaceWhere requires mode overwrite")
    )
    save(numbers(0, 1), "error", "fileVersion" -> "2.1")
    val e = intercept[AnalysisException](save(numbers(0, 1), "append", "fileVersion" -> "2.2"))
    assert(e.getMessage.contains("2.1") && e.getMessage.contains(path))
  }

  test("reads of a missing table or version fail") {
    val missing = intercept[AnalysisException](load())
    assert(missing.condition == "PATH_NOT_FOUND" && missing.getMessage.contains(path))
    save(numbers(0, 1), "error")
    val version = intercept[AnalysisException](load("version" -> "7"))
    assert(version.getMessage.contains(path) && version.getMessage.contains("version 7"))
    assert(intercept[AnalysisException](load("version" -> "x")).getMessage.contains("'x'"))
    intercept[AnalysisException](spark.read.format("lance").load())
  }

  test("a time, and contradictory options") {
    save(numbers(0, 1), "error")
    val between = java.time.Instant.now()
    save(numbers(0, 1), "append")
    assert(load("timestampAsOf" -> between.toString).count() == 1)
    assert(load("timestampAsOf" -> (between.toEpochMilli + 3600000L).toString).count() == 2)
    val both = intercept[AnalysisException](load("version" -> "1", "tag" -> "x"))
    assert(both.getMessage.contains("version, tag"))
    val noTag = intercept[AnalysisException](load("tag" -> "x"))
    assert(noTag.getMessage.contains("not found") && noTag.getMessage.contains("x"))
    assert(
      intercept[AnalysisException](load("timestampAsOf" -> "soon")).getMessage.contains("soon")
    )
    val pinned = intercept[AnalysisException](save(numbers(0, 1), "append", "version" -> "1"))
    assert(pinned.getMessage.contains("cannot be written"))
  }

  test("a cached DataFrame is used only for loads of the same version") {
    save(numbers(0, 5), "error")
    val cached = load().cache()
    try {
      assert(cached.count() == 5)
      def fromCache(df: DataFrame): Boolean =
        df.queryExecution.withCachedData.toString.contains("InMemoryRelation")
      assert(fromCache(load()))
      save(numbers(5, 7), "append")
      assert(load().collect().length == 7)
      // Spark plans cached frames of a path again after a write to it since 4.3, and the connector
      // before 4.1.
      assert(fromCache(load()) == (SparkLine.isFrom("4.3") || !SparkLine.isFrom("4.1")))
    } finally cached.unpersist(): Unit
  }

  test("types without a counterpart") {
    val df = spark.range(1).select(expr("make_interval(1, 2)").as("i"))
    val e = intercept[AnalysisException](save(df, "error"))
    assert(e.getMessage.toLowerCase.contains("interval"))
    assert(!LanceTable.exists(Storage.local, path))
    val maps = spark.range(1).select(map(lit("a"), col("id")).as("m"))
    val old = intercept[Exception](save(maps, "error", "fileVersion" -> "2.1"))
    assert(old.getMessage.contains("map"))
    assert(!LanceTable.exists(Storage.local, path))
  }
}
