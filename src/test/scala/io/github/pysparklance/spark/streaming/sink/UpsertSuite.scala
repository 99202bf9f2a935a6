// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{DataStreamWriter, Trigger}
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.SchemaUpdate
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}
import io.github.pysparklance.testkit.SparkErrors.Condition
import io.github.pysparklance.testkit.{Pylance, SparkLine, StreamingTests}

/** Streaming writes in output mode update, with keys. */
class UpsertSuite extends AnyFunSuite with StreamingTests {

  private def upserting(
      rows: DataFrame,
      keys: String,
      mode: String = "update",
      options: Seq[(String, String)] = Nil
  ): DataStreamWriter[Row] =
    writer(rows, ("upsertKeys" -> keys) +: options: _*).outputMode(mode)

  private def rows: Map[Long, String] =
    read.select("id", "v").collect().map(r => r.getLong(0) -> r.getString(1)).toMap

  private def feedRows(rows: (Long, String)*): Unit =
    feed(rows.map { case (id, v) => s"""{"id": $id, "v": "$v"}""" }: _*)

  private def message(body: => Any): String = {
    val e = intercept[Exception](body)
    Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString("; ")
  }

  private def latest: Long = LanceTable.versions(Storage.local, path).last

  for (stable <- Seq(false, true)) {
    val options = Seq("enableStableRowIds" -> stable.toString)

    test(s"rows with existing keys are updated, other rows are inserted, stable row ids $stable") {
      feedRows(1L -> "a", 2L -> "b", 3L -> "c")
      feedRows(4L -> "d", 2L -> "B")
      drain(upserting(source(), "id", options = options)): Unit
      assert(rows == Map(1L -> "a", 2L -> "B", 3L -> "c", 4L -> "d") && latest == 3)
      assert(table.hasStableRowIds == stable)
      assert(LanceTable.history(Storage.local, path).toSeq.last.operation.contains("Update"))
      forget(1)
      drain(upserting(source(), "id", options = options)): Unit
      assert(latest == 3 && read.count() == 4)
      feedRows(5L -> "e", 1L -> "A", 3L -> "C", 6L -> "f")
      drain(upserting(source(), "id", "append")): Unit
      val all = Map(1L -> "A", 2L -> "B", 3L -> "C", 4L -> "d", 5L -> "e", 6L -> "f")
      assert(rows == all && read.count() == 6)
      val theirs = Pylance.rows(path).map(r => r.get("id").asLong -> r.get("v").asText)
      assert(theirs.toMap == all && theirs.length == 6)
    }

    test(s"many random micro-batches equal a map, stable row ids $stable") {
      val random = new scala.util.Random(7)
      var expected = Map.empty[Long, String]
      for (batch <- 0 until 12) {
        val some = Seq.fill(random.nextInt(30) + 1)(random.nextInt(60).toLong).distinct
        feedRows(some.map(id => id -> s"$batch/$id"): _*)
        expected ++= some.map(id => id -> s"$batch/$id")
      }
      drain(upserting(source(), "id", options = options :+ ("maxRowsPerFile" -> "7"))): Unit
      assert(rows == expected && read.count() == expected.size)
      assert(Pylance.rows(path).length == expected.size)
    }
  }

  test("updated rows keep their stable ids, and the change feed returns updates") {
    feedRows(1L -> "a", 2L -> "b", 3L -> "c")
    drain(upserting(source(), "id", options = Seq("enableStableRowIds" -> "true"))): Unit
    def rowIds = read.select("id", "_rowid").collect().map(r => r.getLong(0) -> r.getLong(1)).toMap
    val before = rowIds
    val version = latest
    feedRows(9L -> "i", 3L -> "C", 8L -> "h", 1L -> "A")
    drain(upserting(source(), "id")): Unit
    assert(Seq(1L, 2L, 3L).forall(id => rowIds(id) == before(id)))
    assert(rowIds.values.toSet.size == 5)
    val changes = spark.read.format("lance").option("readChangeFeed", "true")
      .option("startingVersion", version + 1).load(path)
      .select("_change_type", "id", "v").collect().toSet
    assert(changes == Set(
      Row("insert", 9L, "i"),
      Row("insert", 8L, "h"),
      Row("update_preimage", 1L, "a"),
      Row("update_postimage", 1L, "A"),
      Row("update_preimage", 3L, "c"),
      Row("update_postimage", 3L, "C")
    ))
    val created = read.select("id", "_row_created_at_version", "_row_last_updated_at_version")
      .collect().map(r => r.getLong(0) -> (r.getLong(1), r.getLong(2))).toMap
    assert(created(1L) == (version -> (version + 1)) && created(2L) == (version -> version))
    assert(created(9L) == ((version + 1) -> (version + 1)))
    val ofPylance = Pylance.run(
      "result = {r['id']: r['_rowid'] for r in dataset(path).to_table(with_row_id=True).to_pylist()}",
      "path" -> path
    )
    rowIds.foreach { case (id, row) => assert(ofPylance.get(id.toString).asLong == row) }
  }

  test("an aggregation in output mode update") {
    val counts = source().groupBy("v").agg(count("*").as("n"), max("id").as("id"))
    feedRows(1L -> "a", 2L -> "b")
    feedRows(3L -> "a")
    drain(upserting(counts, "v")): Unit
    val found = read.select("v", "n", "id").collect().toSet
    assert(found == Set(Row("a", 2L, 3L), Row("b", 1L, 2L)))
  }

  test("keys of several columns, with nulls, and names in backticks") {
    val columns = "`a b` STRING, at DATE, n INT"
    def line(key: String, at: String, n: Int) = s"""{"a b": $key, "at": $at, "n": $n}"""
    feed(
      line("null", "\"2026-01-01\"", 1),
      line("\"x\"", "null", 2),
      line("\"x\"", "\"2026-01-01\"", 3)
    )
    feed(line("null", "\"2026-01-01\"", 4), line("\"x\"", "null", 5), line("\"y\"", "null", 6))
    drain(upserting(source(columns), "`a b`, at")): Unit
    val found = read.select("n").collect().map(_.getInt(0)).sorted.toSeq
    assert(found == Seq(3, 4, 5, 6))
  }

  test("micro-batches with more rows than the lookup of the driver") {
    val many = StagedKeys.maxLocalRows + 500
    feedRows(1L -> "a", 20000L -> "b", 30000L -> "c")
    feedIds(0L until many)
    drain(upserting(source(), "id", options = Seq("enableStableRowIds" -> "true"))): Unit
    assert(read.count() == many + 2)
    assert(read.where("id = 1").select("v").collect().map(_.getString(0)).toSeq == Seq("v1"))
    feedIds((0L until many) :+ 77L)
    val error = message(drain(upserting(source(), "id")))
    assert(error.contains("several rows of the micro-batch have the same key, id = 77"), error)
    assert(read.count() == many + 2)
  }

  test("duplicate keys in a micro-batch or in the table are an error that names the key") {
    feedRows(1L -> "a", 1L -> "b")
    val error = message(drain(upserting(source(), "id")))
    assert(error.contains("several rows of the micro-batch have the same key, id = 1"), error)
    val (named, present) = dataFiles
    assert(named == present && table.fragments.isEmpty)
    spark.sql(s"INSERT INTO lance.`$path` VALUES (1, 'x'), (1, 'y'), (2, 'z')")
    val other = upserting(source().dropDuplicates("id"), "id")
      .option("checkpointLocation", folder.resolve("other").toString)
    assert(message(drain(other)).contains("several rows of the table have the same values of id"))
    assert(read.count() == 3)
  }

  test("unsupported key columns are rejected by name") {
    feed("""{"id": 1, "v": "a", "f": 1.5, "s": {"x": 1}}""")
    val all = source("id BIGINT, v STRING, f DOUBLE, s STRUCT<x: INT>")
    for (
      (keys, why) <-
        Seq("nope" -> "nope", "f" -> "floating-point", "s" -> "single values", "s.x" -> "top-level")
    )
      assert(message(drain(upserting(all, keys))).contains(why), keys)
    val counts = source().groupBy("id").count()
    assert(message(drain(upserting(counts, "id", "complete"))).contains("output mode complete"))
  }

  test("the lookup uses an index on the key, which remains correct") {
    feedIds(0L until 2000L)
    drain(upserting(source(), "id")): Unit
    spark.sql(s"CREATE INDEX by_id ON lance.`$path` USING btree (id)").collect(): Unit
    feedRows(5L -> "five", 5000L -> "new", 1999L -> "last")
    drain(upserting(source(), "id")): Unit
    assert(read.count() == 2001)
    for ((id, v) <- Seq(5L -> "five", 5000L -> "new", 1999L -> "last", 6L -> "v6"))
      assert(read.where(col("id") === id).select("v").collect().map(_.getString(0)).toSeq == Seq(v))
  }

  test("names of keys are case-sensitive if the session is") {
    val key = "spark.sql.caseSensitive"
    spark.conf.set(key, "true")
    try {
      val columns = "ID BIGINT, id BIGINT, v STRING"
      def row(upper: Long, lower: Long, v: String) = s"""{"ID": $upper, "id": $lower, "v": "$v"}"""
      feed(row(1, 7, "a"), row(2, 8, "b"))
      feed(row(1, 8, "B"), row(2, 9, "c"))
      drain(upserting(source(columns), "id")): Unit
      val found = read.selectExpr("`ID`", "`id`", "v").collect().map(_.mkString(",")).toSet
      assert(found == Set("1,7,a", "1,8,B", "2,9,c"))
      feed(row(3, 10, "d"))
      val error = message(drain(upserting(source(columns), "Id")))
      assert(error.contains("the column Id is not one of ID, id, v"), error)
    } finally spark.conf.unset(key)
  }

  test("keys with a collation are rejected") {
    assume(SparkLine.isFrom("4.0"), "Spark has collations since 4.0")
    feed("""{"id": "a", "v": "x"}""", """{"id": "A", "v": "y"}""")
    val rows = source("id STRING COLLATE UTF8_LCASE, v STRING")
    val error = message(drain(upserting(rows, "id")))
    assert(error.contains("UTF8_LCASE") && error.contains("upsertKeys: the column id"), error)
  }

  test("mergeSchema of the session does not apply to upserts") {
    feedRows(1L -> "a")
    val key = "spark.lance.write.mergeSchema"
    spark.conf.set(key, "true")
    try {
      drain(upserting(source(), "id")): Unit
      feed("""{"id": 1, "v": "b", "w": "new"}""")
      val error = message(drain(upserting(source("id BIGINT, v STRING, w STRING"), "id")))
      assert(error.contains("`w`"), error)
      assert(rows == Map(1L -> "a") && read.columns.toSeq == Seq("id", "v"))
      drain(upserting(source(), "id")): Unit
      assert(rows == Map(1L -> "b"))
    } finally spark.conf.unset(key)
  }

  private def problem(body: => Any): AnalysisException = {
    val e = intercept[Exception](body)
    Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null)
      .collectFirst { case a: AnalysisException => a }.getOrElse(throw e)
  }

  test("a stream that lacks columns or fields of the table is rejected, and updates no row") {
    val nested =
      "s STRUCT<a: INT, b: ARRAY<STRUCT<c: INT, d: INT>>, m: MAP<STRING, STRUCT<f: INT, h: INT>>>"
    val all = s"id BIGINT, v STRING, e ARRAY<FLOAT>, $nested"
    spark.sql(s"CREATE TABLE lance.`$path` ($all, n INT DEFAULT 7)")
    spark.sql(
      s"INSERT INTO lance.`$path` VALUES (1, 'a', array(1.5F), named_struct('a', 1, 'b', " +
        "array(named_struct('c', 2, 'd', 3)), 'm', map('k', named_struct('f', 4, 'h', 5))), 5)"
    )
    val before = read.collect().toSeq
    feed(
      """{"id": 1, "v": "b", "e": [2.5], "N": 6, "s": {"a": 7, "b": [], "m": {}}}""",
      """{"id": 2, "v": "c"}"""
    )
    for (
      (columns, missing) <- Seq(
        "id BIGINT, v STRING" -> "e, s, n",
        all -> "n",
        "id BIGINT, v STRING, e ARRAY<FLOAT>, n INT, s STRUCT<a: INT, b: ARRAY<STRUCT<c: INT>>, " +
          "m: MAP<STRING, STRUCT<f: INT>>>" -> "s.b.d, s.m.h"
      );
      mode <- Seq("append", "update")
    ) {
      val e = problem(drain(upserting(source(columns), "id", mode)))
      assert(e.condition == "LANCE_STREAM_MISSING_COLUMNS", e)
      assert(e.getMessage.contains(s"lack columns of the table: $missing. "), e)
    }
    assert(read.collect().toSeq == before && latest == 2)
    assert(dataFiles._1 == dataFiles._2)
    drain(upserting(source(s"$all, N INT"), "id")): Unit
    val found = read.select("id", "v", "n").collect().toSet
    assert(found == Set(Row(1L, "b", 6), Row(2L, "c", null)))
    // Appended rows replace no values.
    val other = writer(source()).option("checkpointLocation", folder.resolve("other").toString)
    drain(other): Unit
    assert(read.count() == 4)
  }

  test("columns without a Spark type are columns that a stream lacks") {
    Pylance.write(
      "pa.table({'id': pa.array([1], pa.int64()), 'v': ['a'], 'w': pa.array([7], pa.decimal256(50, 2))})",
      path
    )
    feedRows(1L -> "b")
    for (rows <- Seq(source(), source().selectExpr("*", "NULL AS w"))) {
      val e = problem(drain(upserting(rows, "id")))
      assert(e.condition == "LANCE_STREAM_MISSING_COLUMNS" && e.getMessage.contains(": w."), e)
    }
    assert(latest == 1)
  }

  test("a column that is added while a stream runs stops the stream, and keeps its values") {
    val query = upserting(source(), "id").trigger(Trigger.ProcessingTime(0)).start(path)
    val e =
      try {
        feedRows(1L -> "a", 2L -> "b")
        query.processAllAvailable()
        spark.sql(s"ALTER TABLE lance.`$path` ADD COLUMN n INT")
        spark.sql(s"UPDATE lance.`$path` SET n = 7")
        feedRows(2L -> "B", 3L -> "c")
        problem(query.processAllAvailable())
      } finally query.stop()
    assert(e.condition == "LANCE_STREAM_MISSING_COLUMNS" && e.getMessage.contains(": n."), e)
    assert(read.collect().toSet == Set(Row(1L, "a", 7), Row(2L, "b", 7)))
    val wide = source("id BIGINT, v STRING").selectExpr("*", "8 AS n")
    drain(upserting(wide, "id")): Unit
    assert(read.collect().toSet == Set(Row(1L, "a", 7), Row(2L, "B", 8), Row(3L, "c", 8)))
  }

  test("a column that is added while tasks write a micro-batch keeps its values") {
    feedRows(1L -> "a")
    drain(upserting(source(), "id")): Unit
    UpsertSuite.inTask = () => {
      UpsertSuite.inTask = () => ()
      val n = Field(Field.Unassigned, "n", LogicalType.parse("int32"), nullable = true)
      SchemaUpdate.plan(table, Seq(SchemaChange.Add(FieldPath.root, n))).run(): Unit
    }
    feedRows(1L -> "b")
    val meanwhile = udf((v: String) => {
      UpsertSuite.inTask()
      v
    })
    val rows = source().withColumn("v", meanwhile(col("v")))
    val error = message(drain(upserting(rows, "id")))
    assert(error.contains("the columns were changed concurrently"), error)
    assert(read.collect().toSeq == Seq(Row(1L, "a", null)))
    assert(dataFiles._1 == dataFiles._2)
    val e = problem(drain(upserting(rows, "id")))
    assert(e.condition == "LANCE_STREAM_MISSING_COLUMNS", e)
  }

  test("the name of a key differs from the column in case") {
    feedRows(1L -> "a", 2L -> "b")
    drain(upserting(source(), "ID")): Unit
    feedRows(2L -> "B", 3L -> "c")
    drain(upserting(source(), "iD")): Unit
    assert(rows == Map(1L -> "a", 2L -> "B", 3L -> "c") && read.columns.toSeq == Seq("id", "v"))
  }

  for {
    (kind, length) <- Seq("CHAR" -> 4, "VARCHAR" -> 4)
    isLarge <- Seq(false, true)
  } test(
    s"$kind keys, also of rows that pylance wrote without padding, large micro-batch $isLarge"
  ) {
    spark.sql(s"CREATE TABLE lance.`$path` (k $kind($length), v STRING)")
    spark.sql(s"INSERT INTO lance.`$path` VALUES ('ab', 'old'), ('a', 'old')")
    Pylance.write("{'k': ['cd', 'c'], 'v': ['old', 'old']}", path, "mode" -> "append")
    val more = if (isLarge) (10000 to 99999).take(StagedKeys.maxLocalRows.toInt) else Nil
    val lines = Seq("ab" -> "new", "cd" -> "new", "ef" -> "new") ++
      more.map(i => java.lang.Integer.toString(i, 36) -> "more")
    feed(lines.map { case (k, v) => s"""{"k": "$k", "v": "$v"}""" }: _*)
    drain(upserting(source("k STRING, v STRING"), "k")): Unit
    val found = read.where("v != 'more'").collect().map(r => r.getString(0).trim -> r.getString(1))
    assert(found.sorted.toSeq ==
      Seq("a" -> "old", "ab" -> "new", "c" -> "old", "cd" -> "new", "ef" -> "new"))
    assert(read.count() == 5 + more.length)
    feed("""{"k": "ab ", "v": "spaces"}""")
    drain(upserting(source("k STRING, v STRING"), "k")): Unit
    // CHAR ignores trailing spaces.
    assert(read.count() == 5 + more.length + (if (kind == "CHAR") 0 else 1))
    assert(read.where("v = 'spaces'").count() == 1)
  }

  test("keys with nulls, of several columns, in a large micro-batch") {
    val columns = "a BIGINT, b STRING, v STRING"
    val many = StagedKeys.maxLocalRows + 500
    def line(a: Any, b: String, v: String) =
      s"""{"a": $a, "b": ${if (b == null) "null" else "\"" + b + "\""}, "v": "$v"}"""
    feed(
      line(null, "x", "old"),
      line(5, null, "old"),
      line(5, "x", "old"),
      line(null, null, "old"),
      line(-1, "x", "kept"),
      line(-1, null, "kept")
    )
    drain(upserting(source(columns), "a, b")): Unit
    val large = (0L until many).map(i => line(i, "x", "new")) ++
      Seq(line(null, "x", "new"), line(5, null, "new"), line(null, null, "new"))
    feed(large: _*)
    drain(upserting(source(columns), "a, b")): Unit
    val counts = read.groupBy("v").count().collect().map(r => r.getString(0) -> r.getLong(1)).toMap
    assert(counts == Map("new" -> (many + 3), "kept" -> 2L))
    feed((large :+ line(null, null, "again")): _*)
    val error = message(drain(upserting(source(columns), "a, b")))
    assert(error.contains("have the same key, a = null, b = null"), error)
  }

  test("windows with a watermark in output mode update") {
    def at(id: Int, time: String) = s"""{"id": $id, "at": "2026-01-01T00:$time"}"""
    val counts = source("id BIGINT, at TIMESTAMP").withWatermark("at", "1 minute")
      .groupBy(window(col("at"), "1 minute")).agg(count("*").as("n"))
      .selectExpr("window.start AS start", "n")
    feed(at(1, "00:10"), at(2, "00:20"))
    feed(at(3, "00:30"), at(4, "01:05"))
    feed(at(5, "05:00"))
    feed(at(6, "05:10"))
    // Spark drops rows that are older than the watermark of the micro-batch before.
    feed(at(7, "00:40"), at(8, "05:20"))
    drain(upserting(counts, "start")): Unit
    def found = read.selectExpr("minute(start)", "n").collect().toSet
    assert(found == Set(Row(0, 3L), Row(1, 1L), Row(5, 3L)))
    val before = latest
    forget(checkpoint.resolve("commits").toFile.list().filter(_.forall(_.isDigit)).map(_.toInt).max)
    drain(upserting(counts, "start")): Unit
    assert(found == Set(Row(0, 3L), Row(1, 1L), Row(5, 3L)) && latest == before)
  }

  test("upserts into a branch, and the repetition of a micro-batch") {
    spark.sql(s"CREATE TABLE lance.`$path` (id BIGINT, v STRING)")
    spark.sql(s"INSERT INTO lance.`$path` VALUES (1, 'main'), (2, 'main')")
    spark.sql(s"ALTER TABLE lance.`$path` CREATE BRANCH dev").collect(): Unit
    def dev = spark.read.format("lance").option("branch", "dev").load(path)
    def ofBranch = dev.collect().map(r => r.getLong(0) -> r.getString(1)).sorted.toSeq
    def version =
      LanceTable.open(Storage.local, path, Revision.OnBranch("dev", None)).version
    val branch = Seq("branch" -> "dev")
    feedRows(2L -> "dev", 3L -> "dev")
    feedRows(3L -> "again")
    drain(upserting(source(), "id", options = branch)): Unit
    val expected = Seq(1L -> "main", 2L -> "dev", 3L -> "again")
    assert(ofBranch == expected)
    val before = version
    forget(1)
    drain(upserting(source(), "id", options = branch)): Unit
    assert(ofBranch == expected && version == before)
    assert(rows == Map(1L -> "main", 2L -> "main"))
    feedRows(1L -> "dev")
    drain(upserting(source(), "id", options = branch)): Unit
    assert(ofBranch == (1L -> "dev") +: expected.tail)
  }
}

private object UpsertSuite {

  /** Called by tasks. */
  @volatile var inTask: () => Unit = () => ()
}
