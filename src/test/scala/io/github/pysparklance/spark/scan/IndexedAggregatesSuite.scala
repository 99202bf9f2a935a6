// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.nio.file.{Files, Path, StandardCopyOption}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{ExactRows, Pylance, SharedSpark, TemporaryFolder, TestRun}

/** Aggregates by indices equal the aggregates of a scan, after every kind of change. */
class IndexedAggregatesSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted
  private def path: String = folder.resolve("t").toString
  private def t: String = s"lake.`$path`"
  private def sql(text: String): DataFrame = spark.sql(text)

  /** Columns with their SQL over `id`, values to compare with, and whether an index has their
    * values as Spark has them.
    */
  private val allColumns = Seq(
    ("bool", "id % 3 = 0", "true", true),
    ("byte", "CAST(id % 5 AS TINYINT)", "CAST(2 AS TINYINT)", true),
    ("short", "CAST(id % 7 - 3 AS SMALLINT)", "CAST(-2 AS SMALLINT)", true),
    ("int", "CAST(id % 11 AS INT)", "4", true),
    ("long", "id % 13 * 10000000000", "30000000000L", true),
    (
      "float",
      "CASE id % 4 WHEN 0 THEN 0.0F WHEN 1 THEN -0.0F WHEN 2 THEN float('NaN') ELSE 1.5F END",
      "0.0F",
      false
    ),
    (
      "double",
      "CASE id % 3 WHEN 0 THEN -0.0D WHEN 1 THEN double('NaN') ELSE -2.5D END",
      "double('NaN')",
      false
    ),
    ("day", "date_add(DATE'2020-01-01', CAST(id % 6 AS INT))", "DATE'2020-01-03'", true),
    ("time", "timestamp_micros(id % 4 * 1234567)", "timestamp_micros(1234567)", true),
    ("small_decimal", "CAST(id % 6 - 2 AS DECIMAL(9, 2)) / 4", "CAST(0.25 AS DECIMAL(9, 2))", true),
    ("wide_decimal", "CAST(id % 4 - 2 AS DECIMAL(30, 5))", "CAST(-1 AS DECIMAL(30, 5))", true),
    ("text", "CONCAT('v', id % 9)", "'v3'", true),
    ("padded", "CAST(CONCAT('c', id % 3) AS CHAR(4))", "'c1'", false),
    ("bytes", "CAST(CONCAT('b', id % 4) AS BINARY)", "CAST('b2' AS BINARY)", true)
  )

  /** A short run has the columns of the queries on several columns, and some others. */
  private val columns = {
    val (needed, others) =
      allColumns.partition(c => Set("bool", "int", "long", "day", "text").contains(c._1))
    needed ++ TestRun.sample(2, others)
  }

  private def rows(from: Int, until: Int): DataFrame = {
    val values = columns.zipWithIndex.map { case ((name, value, _, _), i) =>
      s"IF(id % ${5 + i} = 1, NULL, $value) AS $name"
    }
    val nested =
      "IF(id % 9 = 2, NULL, named_struct('n', IF(id % 4 = 3, NULL, CAST(id % 5 AS INT)))) AS s"
    spark.range(from.toLong, until.toLong, 1, 3).selectExpr(Seq("id") ++ values :+ nested: _*)
  }

  private def create(kind: String, isStable: Boolean): Unit = {
    rows(0, 300).createOrReplaceTempView("first_rows")
    sql(
      s"CREATE TABLE $t TBLPROPERTIES ('enableStableRowIds' = '$isStable') AS SELECT * FROM first_rows"
    )
    (columns.map(_._1) :+ "s.n").foreach { name =>
      sql(s"CREATE INDEX ${name.replace('.', '_')}_index ON $t USING $kind ($name)")
    }
  }

  private def queries(from: String): Seq[(String, Boolean)] =
    columns.flatMap { case (name, _, value, isGrouped) =>
      Seq(
        s"SELECT count(*) FROM $from WHERE $name = $value" -> true,
        s"SELECT count(*), count($name) FROM $from" -> true,
        s"SELECT count($name) FROM $from WHERE $name > $value OR $name IS NULL" -> true,
        s"SELECT count(*) FROM $from WHERE NOT $name <=> $value" -> true,
        s"SELECT count(*) FROM $from WHERE $name IN ($value, NULL) AND id < 200" -> false,
        s"SELECT $name, count(*), count($name) FROM $from GROUP BY $name" -> isGrouped
      ) ++ (
        // Either zero may be the least.
        if (name == "float") Nil
        else
          Seq(
            s"SELECT min($name), max($name) FROM $from" -> isGrouped,
            s"SELECT max($name), count(*) FROM $from WHERE NOT $name <=> $value" -> isGrouped,
            s"SELECT min($name) FROM $from WHERE int > 2 AND text <> 'v1'" -> isGrouped,
            s"SELECT $name, min(int) FROM $from GROUP BY $name" -> false
          )
      )
    } ++ Seq(
      s"SELECT count(s.n), count(*) FROM $from WHERE s.n >= 2" -> true,
      s"SELECT count(*) FROM $from WHERE s.n IS NULL" -> true,
      s"SELECT min(s.n), max(s.n), max(day), count(*) FROM $from" -> true,
      s"SELECT min(s.n), max(id) FROM $from" -> false,
      s"SELECT min(int), sum(int) FROM $from" -> false,
      s"SELECT s.n, count(*) FROM $from GROUP BY s.n" -> true,
      s"SELECT text, count(*) FROM $from WHERE int > 3 GROUP BY text" -> false,
      s"SELECT text, count(DISTINCT int) FROM $from GROUP BY text" -> false,
      s"SELECT text, sum(int) FROM $from GROUP BY text" -> false,
      s"SELECT count(*) FROM $from WHERE text = 'v1' AND int IN (1, 2) OR bool" -> true
    )

  private var steps = 0

  private def isByIndex(df: DataFrame): Boolean =
    df.queryExecution.optimizedPlan.exists {
      case r: DataSourceV2ScanRelation => r.scan.isInstanceOf[LanceIndexScan]
      case _ => false
    }

  /** @param isCovered whether the indices cover all rows */
  private def check(step: String, kind: String, isCovered: Boolean): Unit = {
    spark.read.format("lance").option("useScalarIndex", "false").load(path)
      .createOrReplaceTempView("without")
    steps += 1
    // Runs a different part of the queries after each step.
    val some = queries(t).zip(queries("without")).zipWithIndex.collect {
      case (pair, i) if i % 8 == steps % 8 => pair
    }
    some.foreach { case ((query, mayBe), (plain, _)) =>
      val counted = sql(query)
      val byIndex = isByIndex(counted)
      withClue(s"$kind, $step, $query: ") {
        assert(!isByIndex(sql(plain)))
        assert(ExactRows(counted).sorted == ExactRows(sql(plain)).sorted)
        if (!query.contains("padded"))
          assert(byIndex == (mayBe && isCovered && (kind == "bitmap" || !query.contains("GROUP"))))
      }
    }
  }

  private val cases =
    Seq("bitmap" -> false, "bitmap" -> true, "btree" -> true, "btree" -> false)

  for ((kind, isStable) <- TestRun.sample(1, cases))
    test(
      s"aggregates by $kind indices after changes, ${if (isStable) "stable row ids" else "addresses"}"
    ) {
      create(kind, isStable)
      check("fresh", kind, isCovered = true)
      sql(s"DELETE FROM $t WHERE id % 10 = 4")
      check("deleted", kind, isCovered = true)
      rows(300, 360).write.format("lance").mode("append").save(path)
      check("appended", kind, isCovered = false)
      (columns.map(_._1) :+ "s.n").foreach { name =>
        sql(s"OPTIMIZE INDEX ${name.replace('.', '_')}_index ON $t")
      }
      check("optimized", kind, isCovered = true)
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('updateMode' = 'rows')")
      sql(s"UPDATE $t SET text = 'moved', int = 3 WHERE id % 10 = 5")
      check("updated rows", kind, isCovered = false)
      sql(s"OPTIMIZE $t")
      (columns.map(_._1) :+ "s.n").foreach { name =>
        sql(s"OPTIMIZE INDEX ${name.replace('.', '_')}_index ON $t")
      }
      check("compacted", kind, isCovered = true)
      if (!isStable) {
        sql(s"DELETE FROM $t WHERE id < 60")
        sql(s"OPTIMIZE $t WITH (defer_index_remap = true)")
        check("compacted, remap deferred", kind, isCovered = true)
      }
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('updateMode' = 'columns')")
      sql(s"UPDATE $t SET text = 'changed' WHERE id < 100")
      assert(!isByIndex(sql(s"SELECT text, count(*) FROM $t GROUP BY text")))
      assert(isByIndex(sql(s"SELECT count(*) FROM $t WHERE int = 3")))
    }

  for (kind <- Seq("bitmap", "btree"))
    test(s"a $kind index that Spark extended by updated rows counts rows") {
      sql(
        s"CREATE TABLE $t TBLPROPERTIES ('enableStableRowIds' = 'true', 'updateMode' = 'rows') " +
          "AS SELECT id, id % 5 AS v FROM range(0, 200, 1, 2)"
      )
      sql(s"CREATE INDEX i ON $t USING $kind (v)")
      sql(s"UPDATE $t SET v = 7 WHERE id % 10 = 1")
      def counted = sql(s"SELECT count(*) FROM $t WHERE v = 1")
      def check(isIndexed: Boolean): Assertion = {
        assert(isByIndex(counted) == isIndexed)
        assert(ExactRows(counted) == Seq("[20]"))
      }
      check(isIndexed = false)
      sql(s"OPTIMIZE INDEX i ON $t")
      check(isIndexed = true)
      sql(s"INSERT INTO $t VALUES (200, 8)")
      Pylance.run(
        "dataset(path).optimize.optimize_indices(num_indices_to_merge=10)\nresult = None",
        "path" -> path
      )
      assert(ExactRows(counted) == Seq("[20]"))
      sql(s"OPTIMIZE INDEX i ON $t WITH (retrain = true)")
      check(isIndexed = true)
    }

  test("an index that contradicts its rows is not used for MIN and MAX") {
    Seq("btree", "bitmap", "zonemap").foreach { kind =>
      def write(name: String, value: String): Path = {
        val at = folder.resolve(s"$kind-$name")
        spark.range(
          0,
          1000,
          1,
          1
        ).selectExpr(s"$value AS v").write.format("lance").save(at.toString)
        Files.list(at.resolve("data")).iterator.asScala.find(_.toString.endsWith(".lance")).get
      }
      val file = write("indexed", "id % 100 + 100")
      val other = write("other", "id % 100 + 120")
      val of = s"lake.`${folder.resolve(s"$kind-indexed")}`"
      sql(s"CREATE INDEX i ON $of USING $kind (v)")
      assert(isByIndex(sql(s"SELECT min(v), max(v) FROM $of")))
      assert(Files.size(file) == Files.size(other))
      Files.copy(other, file, StandardCopyOption.REPLACE_EXISTING)
      val found = sql(s"SELECT min(v), max(v) FROM $of")
      assert(ExactRows(found) == Seq("[120, 219]"), kind)
      assert(isByIndex(found) == (kind == "zonemap"))
    }
  }

  test("MIN and MAX by zone maps read more zones if the outermost values are deleted") {
    spark.range(0, 20000, 1, 2).selectExpr(
      "id",
      "IF(id % 3 = 0, NULL, CONCAT('v', 100000 + id)) AS s"
    )
      .write.format("lance").save(path)
    Seq("id", "s").foreach(c => sql(s"CREATE INDEX ${c}_zones ON $t USING zonemap ($c)"))
    def check(isIndexed: Boolean): Unit =
      Seq("min(id), max(id)", "min(s), max(s)").foreach { what =>
        val found = sql(s"SELECT $what FROM $t")
        val plain = spark.read.format("lance").option("useScalarIndex", "false").load(path)
        assert(isByIndex(found) == isIndexed, what)
        assert(ExactRows(found) == ExactRows(plain.selectExpr(what.split(", ").toSeq: _*)), what)
      }
    check(isIndexed = true)
    sql(s"DELETE FROM $t WHERE id < 9000 OR id BETWEEN 15000 AND 19990 OR id = 19999")
    check(isIndexed = true)
    sql(s"DELETE FROM $t WHERE id <> 9000 AND id <> 9001")
    check(isIndexed = true)
    sql(s"DELETE FROM $t WHERE id <> 9000")
    check(isIndexed = true)
    rows(0, 1).selectExpr("id", "text AS s").write.format("lance").mode("append").save(path)
    check(isIndexed = false)
  }

  test("COUNT reads only the deletion files of fragments with matching rows") {
    spark.range(0, 60, 1, 6).selectExpr("id", "id % 2 AS v").write.format("lance").save(path)
    sql(s"CREATE INDEX ids ON $t USING btree (id)")
    sql(s"CREATE INDEX vs ON $t USING bitmap (v)")
    sql(s"DELETE FROM $t WHERE id % 10 = 3")
    val table = LanceTable.open(Storage.local, path)
    assert(table.fragments.forall(_.deletionFile.isDefined))
    assert(ExactRows(sql(s"SELECT count(*) FROM $t WHERE v = 1")) == Seq("[24]"))
    table.fragments.drop(1).flatMap(table.deletionPath(_)).foreach(Storage.local.delete(_))
    for ((condition, count) <- Seq("id = 3" -> 0, "id < 5" -> 4, "id < 10" -> 9, "id >= 0" -> 54)) {
      val counted = sql(s"SELECT count(*) FROM $t WHERE $condition")
      assert(isByIndex(counted) && ExactRows(counted) == Seq(s"[$count]"), condition)
    }
  }

  test("EXPLAIN names the index, and the option turns it off") {
    create("bitmap", isStable = false)
    val plan = sql(s"EXPLAIN SELECT text, count(*) FROM $t GROUP BY text").head().getString(0)
    assert(plan.contains("count(*) by index text_index"), plan)
    val extremes =
      sql(s"EXPLAIN SELECT min(int), max(text) FROM $t WHERE long > 0").head().getString(0)
    assert(extremes.contains("min(int) by index int_index, long_index"), extremes)
    assert(extremes.contains("max(text) by index text_index, long_index"), extremes)
    val sampled = sql(s"SELECT count(*) FROM $t TABLESAMPLE (10 PERCENT) WHERE text = 'v1'")
    assert(!isByIndex(sampled))
    def load(option: String, value: String) =
      spark.read.format("lance").option(option, value).load(path)
    assert(!isByIndex(load("includeDeletedRows", "true").groupBy("text").count()))
    Seq(
      "includeDeletedRows" -> "true",
      "useScalarIndex" -> "false",
      "pushDownAggregates" -> "false"
    )
      .foreach { case (option, value) =>
        assert(!isByIndex(load(option, value).selectExpr("min(int)")), option)
      }
    assert(isByIndex(sql(s"SELECT min(int) FROM $t")))
    assert(!isByIndex(sql(s"SELECT min(int) FROM $t WHERE _rowaddr > 5")))
    assert(!isByIndex(sql(s"SELECT min(int) FROM $t TABLESAMPLE (10 PERCENT)")))
  }
}
