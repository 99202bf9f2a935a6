// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.SchemaUpdate
import io.github.pysparklance.table.metadata.MetadataChanges
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}
import io.github.pysparklance.table.transaction.operation.UpdateMap
import io.github.pysparklance.testkit.{Pylance, SharedSpark, SparkLine, TemporaryFolder}

/** Overwrites that replace some rows, by a condition or by the clustering key. */
class OverwriteSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session

  private def path: String = folder.resolve("t").toString
  private def table: LanceTable = LanceTable.open(Storage.local, path)
  private def load(): DataFrame = spark.read.format("lance").load(path)

  private def save(df: DataFrame, mode: String, options: (String, String)*): Unit =
    df.write.format("lance").mode(mode).options(options.toMap).save(path)

  /** Ids with one of three days, and the name of their writer. */
  private def rows(ids: Range, word: String): DataFrame =
    spark
      .range(ids.head.toLong, ids.last + 1L, 1, 2)
      .select(
        col("id"),
        when(col("id") % 4 =!= 3, concat(lit("d"), col("id") % 4)).as("day"),
        lit(word).as("word")
      )

  private def triples(df: DataFrame): Set[(Long, String, String)] =
    df.collect().map(r => (r.getLong(0), r.getString(1), r.getString(2))).toSet

  private def pylanceRows: Set[(Long, String, String)] =
    Pylance.rows(path).map { r =>
      val day = r.get("day")
      (r.get("id").asLong, if (day.isNull) null else day.asText, r.get("word").asText)
    }.toSet

  private def checkRows(expected: DataFrame*): Assertion = {
    val wanted = expected.map(triples).reduce(_ ++ _)
    assert(triples(load()) == wanted && load().count() == wanted.size)
    assert(pylanceRows == wanted)
  }

  private def dataFiles: Int = Storage.local.list(s"$path/data").length

  private def cluster(column: String): Unit = {
    val id = table.schema.field(column).get.id
    val key = "lance-schema:unenforced-clustering-key:position"
    new MetadataChanges(table).fieldMetadata(Map(id -> UpdateMap.upsert(Map(key -> "1")))): Unit
  }

  for (stable <- Seq(false, true))
    test(s"replaceWhere replaces matching rows, stable row ids: $stable") {
      save(rows(0 to 39, "a"), "error", "maxRowsPerFile" -> "6", "enableStableRowIds" -> s"$stable")
      assert(table.hasStableRowIds == stable)
      val kept = load().where("day <> 'd1' or day is null").select("id", "_rowid").collect().toSet
      val fresh = rows(40 to 49, "b").where("day = 'd1'")
      save(fresh, "overwrite", "replaceWhere" -> "day = 'd1'")
      assert(table.version == 2)
      checkRows(rows(0 to 39, "a").where("not(day <=> 'd1')"), fresh)
      assert(load().where("word = 'a'").select("id", "_rowid").collect().toSet == kept)
      val history = LanceTable.history(Storage.local, path).toSeq.last
      assert(history.operation.contains("Update"))
      assert((history.rowsAdded, history.rowsDeleted) == ((Some(3L), Some(10L))))
      assert(Pylance.validate(path) == 33)
    }

  test("conditions that match all or no rows, and no new rows") {
    save(rows(0 to 9, "a"), "error")
    save(rows(10 to 12, "b"), "overwrite", "replaceWhere" -> "id >= 10")
    checkRows(rows(0 to 9, "a"), rows(10 to 12, "b"))
    assert(LanceTable.history(Storage.local, path).toSeq.last.operation.contains("Update"))
    save(rows(0 to 2, "c"), "overwrite", "replaceWhere" -> "id >= 0")
    checkRows(rows(0 to 2, "c"))
    save(rows(0 to 2, "c").limit(0), "overwrite", "replaceWhere" -> "id = 1")
    checkRows(rows(0 to 2, "c").where("id <> 1"))
    assert(table.version == 4)
  }

  test("new rows that violate replaceWhere are an error without effect") {
    save(rows(0 to 9, "a"), "error")
    val before = dataFiles
    // One task: another one might end well while the job fails.
    val e = intercept[Exception] {
      val words = rows(0 to 4, "b").coalesce(1)
      save(words, "overwrite", "replaceWhere" -> "day = 'd1' and id < 100")
    }
    val told = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.getMessage)
    assert(told.exists(_.contains("replaceWhere, day = 'd1' and id < 100")))
    // Null is not true.
    intercept[Exception] {
      save(rows(3 to 3, "b").coalesce(1), "overwrite", "replaceWhere" -> "day = 'd1'")
    }
    assert(table.version == 1 && dataFiles == before)
    checkRows(rows(0 to 9, "a"))
  }

  test("invalid conditions are rejected before anything is written") {
    save(rows(0 to 9, "a"), "error")
    for (
      (condition, mode, problem) <- Seq(
        ("dya = 'd1'", "overwrite", "dya"),
        ("day = ", "overwrite", "syntax"),
        ("day = 'd1' AND", "overwrite", "not a complete expression"),
        ("rand() < 0.5", "overwrite", "a condition on the columns of one row"),
        ("id in (select 1)", "overwrite", "a condition on the columns of one row"),
        ("day = 'd1'", "append", "replaceWhere requires mode overwrite")
      )
    ) {
      val e =
        intercept[AnalysisException](save(rows(0 to 1, "b"), mode, "replaceWhere" -> condition))
      assert(e.getMessage.toLowerCase.contains(problem.toLowerCase), condition)
    }
    val both = intercept[AnalysisException](
      save(
        rows(0 to 1, "b"),
        "overwrite",
        "replaceWhere" -> "id = 1",
        "partitionOverwriteMode" -> "dynamic"
      )
    )
    assert(both.getMessage.contains("cannot be combined"))
    assert(table.version == 1)
  }

  test("a concurrently changed row is found again") {
    save(rows(0 to 9, "a"), "error")
    val target = path
    val meddling = udf { (word: String) =>
      val t = LanceTable.open(Storage.local, target)
      if (t.version == 1) {
        val one = io.github.pysparklance.table.deletion.DeletionVector
          .of(org.roaringbitmap.RoaringBitmap.bitmapOf(1))
        t.delete(Map(t.fragments.head.id -> one), "id = 1"): Unit
      }
      word
    }
    val fresh = rows(21 to 21, "b").withColumn("word", meddling(col("word")))
    save(fresh.coalesce(1), "overwrite", "replaceWhere" -> "day = 'd1'")
    assert(table.version == 3)
    checkRows(rows(0 to 9, "a").where("not(day <=> 'd1')"), rows(21 to 21, "b"))
  }

  test("an overwrite does not undo a concurrent change of columns, unless it replaces them") {
    val target = path
    val changes = Seq(
      SchemaChange.Rename(FieldPath.of("word"), "name"),
      SchemaChange.SetMetadata(FieldPath.of("day"), Map("comment" -> Some("a day"))),
      SchemaChange.SetNullable(FieldPath.of("word"), nullable = false),
      SchemaChange.Add(FieldPath.root, Field(-1, "n", LogicalType.parse("int32"), nullable = true))
    )
    def meddled(change: SchemaChange): DataFrame = {
      val meddling = udf { (word: String) =>
        val t = LanceTable.open(Storage.local, target)
        if (t.version == 1) SchemaUpdate.plan(t, Seq(change)).run(): Unit
        word
      }
      rows(21 to 21, "b").withColumn("word", meddling(col("word"))).coalesce(1)
    }
    changes.foreach { change =>
      LanceTable.drop(Storage.local, path)
      save(rows(0 to 9, "a"), "error")
      val e = intercept[AnalysisException](save(meddled(change), "overwrite"))
      assert(e.getMessage.contains("changed concurrently"), change)
      assert(table.version == 2 && table.rowCount.contains(10L), change)
      assert(dataFiles == table.fragments.map(_.files.length).sum, change)
    }
    LanceTable.drop(Storage.local, path)
    save(rows(0 to 9, "a"), "error")
    save(meddled(changes.head), "overwrite", "overwriteSchema" -> "true")
    assert(table.version == 3)
    checkRows(rows(21 to 21, "b"))
  }

  test("dynamic overwrites replace the keys of new rows, including null") {
    save(rows(0 to 19, "a"), "error", "maxRowsPerFile" -> "7")
    cluster("day")
    val fresh = rows(20 to 39, "b").where("day is null or day = 'd2'")
    save(fresh, "overwrite", "partitionOverwriteMode" -> "dynamic")
    assert(table.version == 4) // the rows, and their zone map
    checkRows(rows(0 to 19, "a").where("day in ('d0', 'd1')"), fresh)
    save(fresh.limit(0), "overwrite", "partitionOverwriteMode" -> "dynamic")
    assert(table.version == 4)
    save(rows(0 to 0, "c"), "overwrite")
    checkRows(rows(0 to 0, "c"))
  }

  test("a table property can distribute rows by the clustering key") {
    save(rows(0 to 19, "a"), "error")
    cluster("day")
    val asked = Map(
      "lance.spark.write.distribution-mode" -> "hash",
      "lance.spark.distribution-partitions" -> "3"
    )
    new MetadataChanges(table).config(UpdateMap.upsert(asked))
    save(rows(20 to 99, "b"), "append")
    val days = load().where("word = 'b'").groupBy("day").agg(countDistinct("_fragid")).collect()
    assert(days.length == 4 && days.forall(_.getLong(1) == 1))
  }

  test("a dynamic overwrite of a table that is clustered by a nested field is rejected") {
    val clustered =
      if (SparkLine.isFrom("4.0")) "CLUSTER BY (c, s.b)" else "PARTITIONED BY (c, s.b)"
    spark.sql(s"CREATE TABLE lake.nested_key (a INT, s STRUCT<b: INT>, c INT) $clustered")
    try {
      spark.sql("INSERT INTO lake.nested_key VALUES (1, struct(1), 7), (2, struct(2), 7)")
      val fresh = "SELECT 3 AS a, named_struct('b', 2) AS s, 7 AS c"
      val statements = Seq[() => Any](
        () => spark.sql(fresh).writeTo("lake.nested_key").overwritePartitions(),
        () => spark.sql(s"INSERT OVERWRITE lake.nested_key $fresh"),
        () =>
          spark.sql(
            "INSERT OVERWRITE lake.nested_key PARTITION (c = 7) SELECT 3, named_struct('b', 2)"
          ),
        () => spark.sql(s"INSERT OVERWRITE lake.nested_key PARTITION (c) $fresh")
      )
      spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
      statements.zipWithIndex.foreach { case (statement, i) =>
        val e = intercept[Exception](statement())
        assert(e.getMessage.contains("clustered by nested fields (s.b)"), s"$i: $e")
      }
      assert(spark.table("lake.nested_key").count() == 2)
    } finally {
      spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
      spark.sql("DROP TABLE lake.nested_key"): Unit
    }
  }

  test("a dynamic overwrite of a table without a clustering key is rejected") {
    save(rows(0 to 3, "a"), "error")
    val e = intercept[AnalysisException](
      save(rows(0 to 3, "b"), "overwrite", "partitionOverwriteMode" -> "dynamic")
    )
    assert(e.getMessage.contains("clustering key") && e.getMessage.contains(path))
    val slip = intercept[AnalysisException](
      save(rows(0 to 3, "b"), "overwrite", "partitionOverwriteMode" -> "moving")
    )
    assert(slip.getMessage.contains("static, dynamic"))
    assert(table.version == 1)
  }

  test("SQL and frames by name: REPLACE WHERE, overwrite(condition), INSERT OVERWRITE") {
    try {
      rows(0 to 19, "a").writeTo("lake.replaced").using("lance").create()
      rows(20 to 23, "b").createOrReplaceTempView("fresh_rows")
      spark.sql("INSERT INTO lake.replaced REPLACE WHERE day = 'd0' SELECT * FROM fresh_rows")
      val first = triples(rows(0 to 19, "a").where("not(day <=> 'd0')")) ++
        triples(rows(20 to 23, "b"))
      assert(triples(spark.table("lake.replaced")) == first)
      rows(30 to 30, "c").writeTo("lake.replaced").overwrite(col("id") > 15 && col("day").isNotNull)
      val second = first.filterNot(r => r._1 > 15 && r._2 != null) ++ triples(rows(30 to 30, "c"))
      assert(triples(spark.table("lake.replaced")) == second)
      val options = if (SparkLine.isFrom("4.0")) "WITH (`maxRowsPerFile` = '2')" else ""
      spark.sql(s"INSERT OVERWRITE lake.replaced $options SELECT * FROM fresh_rows")
      assert(triples(spark.table("lake.replaced")) == triples(rows(20 to 23, "b")))
      val e = intercept[AnalysisException](spark.sql(
        "INSERT INTO lake.replaced REPLACE WHERE upper(day) = 'D1' SELECT * FROM fresh_rows"
      ))
      assert(e.getMessage.contains("UPPER(day) = 'D1'"), e.getMessage)
      assert(e.getMessage.contains("the option replaceWhere"))
      if (SparkLine.isFrom("4.0")) {
        rows(1 to 1, "d").createOrReplaceTempView("fresh_rows")
        val where = "WITH (`replaceWhere` = 'upper(day) = \"D1\"')"
        spark.sql(s"INSERT OVERWRITE lake.replaced $where SELECT * FROM fresh_rows")
        assert(triples(spark.table("lake.replaced")) ==
          triples(rows(20 to 23, "b").where("NOT day <=> 'd1'")) ++ triples(rows(1 to 1, "d")))
      }
    } finally spark.sql("DROP TABLE IF EXISTS lake.replaced"): Unit
  }

  test("REPLACE WHERE evaluates arithmetic in ANSI mode") {
    val replaced = Seq(
      "id % 4 = 1",
      "id + 1 > 15",
      "id - 3 <= -2",
      "-id * 2 = -8",
      "abs(id - 5) = 1",
      "id / 2 = 1.5",
      "coalesce(day, 'none') = 'none'"
    )
    val before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", "true")
    try
      replaced.foreach { condition =>
        rows(0 to 19, "a").writeTo("lake.computed").using("lance").createOrReplace()
        rows(0 to 19, "b").where(condition).createOrReplaceTempView("matching_rows")
        withClue(condition) {
          spark.sql(
            s"INSERT INTO lake.computed REPLACE WHERE $condition SELECT * FROM matching_rows"
          )
        }
        val expected = triples(rows(0 to 19, "a").where(s"NOT coalesce($condition, false)")) ++
          triples(spark.table("matching_rows"))
        assert(spark.table("matching_rows").count() > 0, condition)
        assert(triples(spark.table("lake.computed")) == expected, condition)
      }
    finally {
      spark.conf.set("spark.sql.ansi.enabled", before)
      spark.sql("DROP TABLE IF EXISTS lake.computed"): Unit
    }
  }
}
