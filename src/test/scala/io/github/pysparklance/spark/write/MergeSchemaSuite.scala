// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CommitConflictException, Field, LogicalType}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.SchemaUpdate
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}
import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{ExactRows, Pylance, SharedSpark, SparkLine, TemporaryFolder}

/** Writes of rows with other columns than the table. */
class MergeSchemaSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session

  private def path: String = folder.resolve("t").toString
  private def table: LanceTable = LanceTable.open(Storage.local, path)
  private def load(): DataFrame = spark.read.format("lance").load(path)
  private def sql(query: String): DataFrame = spark.sql(query).coalesce(1)

  private def save(df: DataFrame, mode: String, options: (String, String)*): Unit =
    df.write.format("lance").mode(mode).options(options.toMap).save(path)

  private def append(query: String): Unit = save(sql(query), "append", "mergeSchema" -> "true")

  test("new columns are appended, in one version with the rows") {
    save(sql("SELECT 1L AS id, 'a' AS s"), "error")
    append("SELECT 2.5D AS price, 2L AS id, array(1, 2) AS tags, 'b' AS s")
    assert(table.version == 2)
    assert(load().schema.fieldNames.toSeq == Seq("id", "s", "price", "tags"))
    assert(load().orderBy("id").collect().toSeq ==
      Seq(Row(1L, "a", null, null), Row(2L, "b", 2.5, Seq(1, 2))))
    val theirs = Pylance.rows(path)
    assert(theirs(0).get("price").isNull && theirs(1).get("price").asDouble == 2.5)
    assert(Pylance.validate(path) == 2)
    val history = LanceTable.history(Storage.local, path).toSeq.last
    assert(history.rowsAdded.contains(1L))
  }

  test("a new blob has the version of the table's files") {
    save(sql("SELECT 1L AS id"), "error")
    sql("SELECT 2L AS id, CAST('abc' AS BINARY) AS b")
      .write
      .format("lance")
      .mode("append")
      .option("mergeSchema", "true")
      .option("column.b.lance-encoding:blob", "true")
      .save(path)
    assert(table.fileVersion == FileVersion.V2_2 && table.schema.field("b").exists(_.isBlobV2))
    assert(load().where("id = 2").selectExpr("CAST(b AS STRING)").head() == Row("abc"))
    assert(Pylance.validate(path) == 2)
  }

  test("missing columns are null, names match in any case, and values are cast") {
    save(sql("SELECT 1L AS id, 'a' AS s, 1.5D AS d"), "error")
    append("SELECT 2 AS ID")
    append("SELECT 'c' AS S, 3 AS id, 7 AS extra")
    assert(load().orderBy("id").collect().toSeq ==
      Seq(Row(1L, "a", 1.5, null), Row(2L, null, null, null), Row(3L, "c", null, 7)))
    assert(table.version == 3)
  }

  test("constraints are checked after values are cast") {
    assume(SparkLine.isFrom("4.1"), "Spark has CHECK constraints since 4.1")
    spark.sql(
      s"CREATE TABLE lake.`$path` (n INT, d DECIMAL(5, 0), " +
        "CONSTRAINT p CHECK (n > 0), CONSTRAINT q CHECK (d < 10))"
    )
    Seq("SELECT 0.5D AS n, 1 AS d", "SELECT 1 AS n, 9.6BD AS d, 1 AS more").foreach { query =>
      val e = intercept[Exception](append(query))
      val causes = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null)
      assert(causes.exists(_.toString.contains("CHECK_CONSTRAINT_VIOLATION")), e)
    }
    assert(load().count() == 0)
  }

  test("a concurrent change of field ids does not lose new columns of appended rows") {
    save(sql("SELECT 1L AS id, 1 AS a, 1 AS x"), "error")
    save(sql("SELECT 2L AS id, 2 AS a, 2 AS x"), "append")
    SchemaUpdate.plan(table, Seq(SchemaChange.Drop(FieldPath.of("x")))).run(): Unit
    val change = SchemaChange.Add(
      FieldPath.root,
      Field(-1, "c", LogicalType.parse("int32"), nullable = true)
    )
    val stale = SchemaUpdate.plan(table, Seq(change))
    // Compaction drops the files with the highest field id.
    spark.sql(s"OPTIMIZE lake.`$path`").collect(): Unit
    val file = DataFile("a.lance", IndexedSeq(0), IndexedSeq(0), FileVersion.default, 99)
    val rows = IndexedSeq(Fragment.unassigned(Seq(file), 1))
    val e = intercept[CommitConflictException](stale.commit(rows = rows))
    assert(e.getMessage.contains("field ids") && !e.retryable)
  }

  test("members of structs, also in lists and maps") {
    save(
      sql(
        "SELECT 1L AS id, named_struct('a', 1) AS s, array(named_struct('x', 1)) AS l, " +
          "map('k', named_struct('m', 1)) AS m"
      ),
      "error"
    )
    append(
      "SELECT 2L AS id, named_struct('b', 'new', 'a', 2) AS s, " +
        "array(named_struct('x', 2, 'y', named_struct('z', 3))) AS l, " +
        "map('k', named_struct('m', 2, 'n', 4)) AS m"
    )
    assert(load().schema.map(f => f.name -> f.dataType.catalogString).toMap - "id" == Map(
      "s" -> "struct<a:int,b:string>",
      "l" -> "array<struct<x:int,y:struct<z:int>>>",
      "m" -> "map<string,struct<m:int,n:int>>"
    ))
    assert(ExactRows(load().orderBy("id")) == Seq(
      """[1, [1, null], ([1, null]), {"k" -> [1, null]}]""",
      """[2, [2, "new"], ([2, [3]]), {"k" -> [2, 4]}]"""
    ))
    assert(table.version == 2)
    val theirs = Pylance.rows(path)
    assert(theirs.last.get("s").get("b").asText == "new")
    assert(theirs.map(_.get("l").toString) ==
      Seq("""[{"x":1,"y":null}]""", """[{"x":2,"y":{"z":3}}]"""))
    assert(theirs.map(_.get("m").toString) ==
      Seq("""[["k",{"m":1,"n":null}]]""", """[["k",{"m":2,"n":4}]]"""))
    append(
      "SELECT 3L AS id, named_struct('B', 'alone') AS s, " +
        "array(named_struct('y', named_struct('z', 5)), null) AS l"
    )
    assert(ExactRows(load().where("id = 3")) ==
      Seq("""[3, [null, "alone"], ([null, [5]], null), null]"""))
    assert(Pylance.rows(path).length == 3)
  }

  test("overwrites of all or some rows merge columns") {
    save(sql("SELECT id, 'a' AS s FROM range(4)"), "error")
    save(
      sql("SELECT 9L AS id, 1 AS n"),
      "overwrite",
      "mergeSchema" -> "true",
      "replaceWhere" -> "id > 1"
    )
    assert(load().orderBy("id").collect().toSeq ==
      Seq(Row(0L, "a", null), Row(1L, "a", null), Row(9L, null, 1)))
    save(sql("SELECT 5L AS id, true AS flag"), "overwrite", "mergeSchema" -> "true")
    assert(load().collect().toSeq == Seq(Row(5L, null, null, true)))
    assert(Pylance.validate(path) == 1)
  }

  test("tables by name, with DataFrames and SQL") {
    try {
      sql("SELECT 1L AS id").writeTo("lake.merging").using("lance").create()
      sql("SELECT 2 AS n, 2L AS id").writeTo("lake.merging").option("mergeSchema", "true").append()
      sql("SELECT 'x' AS s, 3L AS id")
        .write
        .option("merge_schema", "true")
        .mode("append")
        .saveAsTable("lake.merging")
      val last = "SELECT true AS b, 4L AS id"
      if (SparkLine.isFrom("4.0")) // Spark 3.5 has no options of INSERT
        spark.sql(s"INSERT INTO lake.merging WITH (`mergeSchema` = 'true') BY NAME $last")
      else spark.sql(last).writeTo("lake.merging").option("mergeSchema", "true").append()
      val rows = spark.table("lake.merging").select("id", "n", "s", "b").orderBy("id").collect()
      assert(rows.toSeq == Seq(
        Row(1L, null, null, null),
        Row(2L, 2, null, null),
        Row(3L, null, "x", null),
        Row(4L, null, null, true)
      ))
      intercept[AnalysisException](sql("SELECT 5L AS id, 1 AS z").writeTo("lake.merging").append())
      val missing = sql("SELECT 5L AS id").writeTo("lake.not_there").option("mergeSchema", "true")
      assert(intercept[AnalysisException](missing.append()).condition ==
        "TABLE_OR_VIEW_NOT_FOUND")
    } finally spark.sql("DROP TABLE IF EXISTS lake.merging"): Unit
  }

  test("incompatible columns are rejected, and nothing changes") {
    save(sql("SELECT 1L AS id, named_struct('a', 1) AS s"), "error", "fileVersion" -> "2.1")
    val plain = intercept[AnalysisException](save(sql("SELECT 2L AS id, 1 AS x"), "append"))
    assert(plain.getMessage.contains("x") || plain.condition != null)
    val cases = Seq(
      "SELECT 2L AS id, named_struct('a', 1, 'b', 2) AS s" -> "2.1",
      "SELECT 'no number' AS id, array(1) AS s" -> "s",
      "SELECT 2L AS id, 1 AS `a.b`" -> "a.b"
    )
    for ((query, problem) <- cases)
      assert(intercept[AnalysisException](append(query)).getMessage.contains(problem), query)
    val both = intercept[AnalysisException] {
      save(
        sql("SELECT 1 AS x"),
        "overwrite",
        "mergeSchema" -> "true",
        "overwriteSchema" -> "true"
      )
    }
    assert(both.getMessage.contains("cannot be combined"))
    assert(table.version == 1 && load().count() == 1)
  }

  test("concurrently added columns are a conflict, but rows are not") {
    save(sql("SELECT 1L AS id"), "error")
    val target = path
    spark.udf.register(
      "meddle_rows",
      (x: Long) => {
        val t = LanceTable.open(Storage.local, target)
        if (t.version == 1) t.append(t.fragments.map { f =>
          io.github.pysparklance.table.manifest.Fragment.unassigned(f.files, f.physicalRows.get)
        }): Unit
        x
      }
    )
    append("SELECT meddle_rows(id) AS id, 1 AS n FROM range(5, 6)")
    assert(table.version == 3)
    assert(load().orderBy("id").collect().toSeq == Seq(Row(1L, null), Row(1L, null), Row(5L, 1)))
    spark.udf.register(
      "meddle_columns",
      (x: Long) => {
        val t = LanceTable.open(Storage.local, target)
        if (t.schema.field("theirs").isEmpty) {
          val field = io.github.pysparklance.core.Field(
            io.github.pysparklance.core.Field.Unassigned,
            "theirs",
            io.github.pysparklance.core.LogicalType.Utf8(large = false),
            nullable = true,
            IndexedSeq.empty
          )
          SchemaUpdate.plan(t, Seq(SchemaChange.Add(FieldPath.root, field))).run(): Unit
        }
        x
      }
    )
    val e = intercept[AnalysisException](
      append("SELECT meddle_columns(id) AS id, 1 AS other FROM range(6, 7)")
    )
    assert(e.getMessage.contains("the columns were changed concurrently"))
    assert(table.version == 4 && load().count() == 3)
  }
}
