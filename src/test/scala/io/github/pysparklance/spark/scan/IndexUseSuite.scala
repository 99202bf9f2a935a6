// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.util.Random

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder, TestRun}

/** Scans use an index if that is less work, and report it. */
class IndexUseSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  private lazy val spark = SharedSpark.interpreted

  private def path: String = folder.resolve("t").toString

  private def load(options: (String, String)*): DataFrame =
    spark.read.format("lance").options(options.toMap).load(path)

  private def query(sql: String, options: (String, String)*): DataFrame = {
    load(options: _*).createOrReplaceTempView("used")
    spark.sql(sql)
  }

  private def scan(df: DataFrame): BatchScanExec =
    collectWithSubqueries(df.queryExecution.executedPlan) { case b: BatchScanExec => b }.head

  private def description(df: DataFrame): String = scan(df).scan.description()

  private def metric(df: DataFrame, name: String): Long = scan(df).metrics(name).value

  private def index(kind: String, column: String, options: String = ""): Unit = spark.sql(
    s"ALTER TABLE lance.`$path` CREATE INDEX `$kind $column` USING $kind ($column) $options"
  ): Unit

  /** 3 fragments with lists, some null, some with a null element. */
  private def write(rows: Int): Unit = spark
    .range(0, rows.toLong, 1, 1)
    .selectExpr(
      "id",
      "CASE WHEN id % 11 = 3 THEN NULL ELSE hash(id) END AS h",
      """CASE id % 7
           WHEN 0 THEN NULL
           WHEN 1 THEN array()
           WHEN 2 THEN array(NULL)
           WHEN 3 THEN array('a', NULL)
           ELSE array('a', concat('x', id % 97), 'c') END AS l""",
      "CASE id % 7 WHEN 0 THEN NULL WHEN 1 THEN array(NULL, 0.0D) WHEN 2 THEN array(-0.0D, 1.0D)" +
        " ELSE array(double(id % 50), CAST('NaN' AS DOUBLE)) END AS d",
      "concat('Item', lpad(id % 97, 3, '0'), ' of %_ group', id % 5) AS t"
    )
    .write
    .format("lance")
    .option("maxRowsPerFile", (rows / 3 + 1).toString)
    .save(path)

  private def same(sql: String): DataFrame = {
    def sorted(df: DataFrame): Seq[Row] = df.collect().toSeq.sortBy(_.toString)
    val indexed = query(sql)
    val found = sorted(indexed)
    assert(found == sorted(query(sql, "useScalarIndex" -> "false")), sql)
    query(sql)
  }

  test("LABEL_LIST and Spark evaluate conditions on lists") {
    write(20000)
    index("LABEL_LIST", "l")
    index("LABEL_LIST", "d")
    Seq(
      "array_contains(l, 'x5')",
      "arrays_overlap(l, array('x5', 'x6'))",
      "arrays_overlap(array('x5', NULL), l)",
      "array_contains(l, 'x5') AND id < 100",
      "array_contains(l, 'none')",
      "array_contains(d, 7.0D)",
      "array_contains(l, 'x5') OR array_contains(d, 7.0D)"
    ).foreach { condition =>
      val used = same(s"SELECT id FROM used WHERE $condition")
      assert(description(used).contains("index LABEL_LIST"), condition)
      used.collect()
      assert(metric(used, "lanceRowsRead") < 2000, condition)
    }
    val others = Seq(
      "NOT array_contains(l, 'x5')",
      "NOT arrays_overlap(l, array('x5', NULL))",
      "array_contains(l, 'x5') IS NULL",
      "array_contains(l, 'x5') OR id = 4",
      "array_contains(d, 0.0D)",
      "NOT arrays_overlap(d, array(0.0D))",
      "NOT arrays_overlap(d, array(-0.0D, 1.0D))",
      "array_contains(d, CAST('NaN' AS DOUBLE))",
      "arrays_overlap(l, array(CAST(NULL AS STRING)))",
      "array_contains(l, t)"
    )
    TestRun.sample(4, others).foreach(condition => same(s"SELECT id FROM used WHERE $condition"))
    // Spark merges subqueries on equal scans.
    same(
      """SELECT (SELECT sum(id) FROM used WHERE array_contains(l, 'x5')),
        |  (SELECT sum(id) FROM used WHERE array_contains(l, 'x6'))""".stripMargin
    )
    same("SELECT count(*) FROM used WHERE array_contains(l, 'x5') GROUP BY id % 3")
  }

  test("NGRAM evaluates patterns") {
    write(20000)
    index("NGRAM", "t")
    Seq("%tem053%", "Item053 %roup4", "%053 of \\%\\_ gr%", "%m053_of%").foreach { pattern =>
      val used = same(s"SELECT id FROM used WHERE t LIKE '${pattern.replace("\\", "\\\\")}'")
      assert(description(used).contains("index NGRAM t (NGRAM, 3 of 3 fragments)"), pattern)
    }
    assert(description(same("SELECT id FROM used WHERE endswith(t, 'none3')")).contains("NGRAM"))
    Seq("t LIKE '%5%'", "NOT t LIKE '%053 of%'", "t LIKE 'Item'", "contains(t, 'm053') OR id = 1")
      .foreach(condition => same(s"SELECT id FROM used WHERE $condition"))
  }

  test("a BTREE that covers the table returns the first rows of an order") {
    write(30000)
    index("BTREE", "h")
    spark.sql(s"DELETE FROM lance.`$path` WHERE id % 5 = 2 OR h > 2100000000"): Unit
    def top(order: String, limit: Int): DataFrame = {
      val sql = s"SELECT h FROM used ORDER BY $order LIMIT $limit"
      val expected = query(sql, "useScalarIndex" -> "false").collect().toSeq
      val found = query(sql)
      assert(found.collect().toSeq == expected, sql)
      found
    }
    for {
      direction <- Seq("ASC", "DESC")
      nulls <- Seq("FIRST", "LAST")
      limit <- Seq(1, 10, 3000)
    } {
      val found = top(s"h $direction NULLS $nulls", limit)
      assert(metric(found, "lanceRowsRead") == limit)
      assert(description(found).contains("index BTREE h (BTREE, 3 of 3 fragments)"))
    }
    assert(!description(top("h, id", 5)).contains("index"))
    load().where("id < 10").write.format("lance").mode("append").save(path)
    assert(!description(top("h", 5)).contains("index"))
  }

  test(
    "an index with many entries of deleted rows before the first ones is not used for an order"
  ) {
    spark.range(0, 600000, 1, 1).write.format("lance").save(path)
    index("BTREE", "id")
    for ((deleted, isUsed) <- Seq(200000L -> true, 300000L -> false)) {
      spark.sql(s"DELETE FROM lance.`$path` WHERE id < $deleted"): Unit
      val found = query("SELECT id FROM used ORDER BY id LIMIT 3")
      assert(found.collect().toSeq.map(_.getLong(0)) == Seq(deleted, deleted + 1, deleted + 2))
      assert(description(found).contains("index BTREE id") == isUsed, deleted)
    }
  }

  test("large results of zone maps are used after a deferred compaction") {
    val fragment = 1100000L
    def append(from: Long, until: Long): Unit = spark.range(from, until, 1, 1).write.format("lance")
      .option("maxRowsPerFile", fragment.toString).mode("append").save(path)
    append(0, 2 * fragment)
    (0 until 2).foreach(i => append(2 * fragment + 10 * i, 2 * fragment + 10 * i + 10))
    index("ZONEMAP", "id")
    spark.sql(s"OPTIMIZE lance.`$path` WITH (defer_index_remap = true)"): Unit
    assert(LanceTable.open(Storage.local, path).indices.exists(_.isFragmentReuse))
    val until = fragment - 10000
    assert(until > (1 << 20))
    val used = query(s"SELECT sum(id) FROM used WHERE id < $until")
    assert(used.collect().toSeq == Seq(Row(until * (until - 1) / 2)))
    assert(description(used).contains("index ZONEMAP id"))
    assert(metric(used, "lanceRowsRead") < fragment + 100)
  }

  test("lookups that are more work than the scan are skipped") {
    val rows = 400000
    spark.range(0, rows.toLong, 1, 1).selectExpr("id", "hash(id) AS h").write.format("lance")
      .option("maxRowsPerFile", (rows / 4).toString).save(path)
    index("BTREE", "id")
    index("BTREE", "h")
    def used(condition: String): Boolean =
      description(same(s"SELECT id FROM used WHERE $condition")).contains("index ")
    assert(used("id = 77") && used("id IN (5, 399999)") && used("id BETWEEN 1000 AND 60000"))
    assert(used(s"h > ${Int.MaxValue - 1000000}") && used("h > 2147000000 AND id > 10"))
    assert(!used("id >= 0") && !used("h > 0") && !used(s"id < ${rows * 3 / 4}"))
    assert(used("id >= 200000 AND id <= 200100 AND id <> 200050"))
    assert(used("id < 399999 AND id > 399000") && used("id <= 3000 OR id > 399990"))
  }

  test("EXPLAIN shows covered fragments, selected rows, and fragments that are read in full") {
    write(30000)
    index("BTREE", "id")
    def explained(condition: String): String =
      query(s"EXPLAIN SELECT id FROM used WHERE $condition").head().getString(0)
    val usual = explained("id IN (5, 7)")
    assert(usual.contains("index BTREE id (BTREE, 3 of 3 fragments): 2 rows of 1 fragments"))
    assert(!usual.contains("in full"))
    assert(explained("id IN (5, 29999)").contains(" fragments): 2 rows of 2 fragments"))
    load().where("id < 100").write.format("lance").mode("append").save(path)
    assert(explained("id IN (5, 7)").contains(
      "index BTREE id (BTREE, 3 of 4 fragments, 1 not indexed): 2 rows of 1 fragments, " +
        "1 fragments in full"
    ))
  }

  test("metrics, and cached lookups") {
    write(30000)
    index("BTREE", "id")
    index("BITMAP", "t")
    IndexCache.shared.clear()
    val cold = same("SELECT id FROM used WHERE id = 12345")
    IndexCache.shared.clear()
    cold.collect()
    assert(metric(cold, "lanceIndexBytes") > 0 && metric(cold, "lanceIndexCacheMisses") > 0)
    assert(metric(cold, "lanceIndexRows") == 1 && metric(cold, "lanceRowsRead") == 1)
    assert(metric(cold, "lanceIndexTime") > 0)
    assert(metric(cold, "lanceIndexTime") <= metric(cold, "lancePlanningTime"))
    IndexCache.shared.clear()
    val warmed = spark.sql(s"CALL lance.system.prewarm_index('$path', 'BTREE id')").head()
    assert(warmed.getString(1) == "BTREE" && warmed.getLong(2) > 100000)
    spark.sql(s"CALL lance.system.prewarm_index('$path', 'BITMAP t')"): Unit
    Seq("id = 12346", "id IN (7, 20000)", "t = 'Item003 of %_ group2'").foreach { condition =>
      val warm = query(s"SELECT id FROM used WHERE $condition")
      warm.collect()
      assert(metric(warm, "lanceIndexBytes") == 0 && metric(warm, "lanceIndexCacheMisses") == 0)
      assert(metric(warm, "lanceIndexCacheHits") > 0)
    }
    val failed = intercept[Exception](
      spark.sql(s"CALL lance.system.prewarm_index('$path', 'none')").collect()
    )
    assert(failed.getMessage.contains("an index none"))
  }

  test("fastSearch reads the fragments that the index of the conditions covers") {
    write(300)
    index("BTREE", "id")
    load().selectExpr("id + 1000 AS id", "h", "l", "d", "t").write.format("lance").mode("append")
      .save(path)
    index("BITMAP", "t")
    load().selectExpr("id + 5000 AS id", "h", "l", "d", "t").write.format("lance").mode("append")
      .save(path)
    def count(condition: String): Long =
      query(s"SELECT id FROM used WHERE $condition", "fastSearch" -> "true").collect().length.toLong
    assert(count("id IN (5, 1005, 5005)") == 1 && count("id >= 0") == 300)
    assert(count("t LIKE 'Item005 of%'") == count("t LIKE 'Item005 of%' AND h <=> h"))
    assert(count("t = 'Item005 of %_ group0'") > 0)
    assert(count("t IS NOT NULL") == 600 && count("t IS NOT NULL AND id >= 0") == 300)
    assert(count("NOT id = 3") == 299 && count("h <=> h") == 1200)
    assert(count("id = 5 OR t = 'none'") == 1 && count("id < 0 OR h IS NULL OR true") == 1200)
    val all = query(
      "SELECT id FROM used WHERE id >= 0",
      "useScalarIndex" -> "false",
      "fastSearch" -> "true"
    )
    assert(all.collect().length == 1200)
  }

  test("random conditions, appends, and deletes") {
    val seed = TestRun.seed
    val random = new Random(seed)
    write(6000)
    Seq("id", "h").foreach(index("BTREE", _, "WITH (zone_size = 64)"))
    Seq("l", "d").foreach(index("LABEL_LIST", _))
    index("NGRAM", "t")
    index("ZONEMAP", "id")
    val parts = IndexedSeq(
      () => s"id ${Seq("<", ">", "=", "<=>")(random.nextInt(4))} ${random.nextInt(7000)}",
      () => s"id BETWEEN ${random.nextInt(3000)} AND ${random.nextInt(6000)}",
      () => s"h > ${random.nextInt()}",
      () => "h IS NULL",
      () => s"h IN (${random.nextInt()}, NULL, hash(${random.nextInt(6000)}L))",
      () => s"array_contains(l, 'x${random.nextInt(97)}')",
      () => s"arrays_overlap(l, array('x${random.nextInt(97)}', NULL))",
      () => s"array_contains(d, ${random.nextInt(52)}.0D)",
      () => s"t LIKE '%m0${random.nextInt(97)} of%${random.nextInt(5)}'",
      () => s"contains(t, 'roup${random.nextInt(5)}')"
    )
    def condition(depth: Int): String = random.nextInt(if (depth == 0) 1 else 4) match {
      case 0 => parts(random.nextInt(parts.length))()
      case 1 => s"(${condition(depth - 1)} AND ${condition(depth - 1)})"
      case 2 => s"(${condition(depth - 1)} OR ${condition(depth - 1)})"
      case _ => s"NOT (${condition(depth - 1)})"
    }
    (1 to (if (TestRun.isLong) 24 else 13)).foreach { round =>
      withClue(s"seed ${seed}L, round $round: ") {
        same(s"SELECT id FROM used WHERE ${condition(3)}")
        val order =
          s"h ${Seq("ASC", "DESC")(round % 2)} NULLS ${Seq("FIRST", "LAST")(round / 2 % 2)}"
        same(s"SELECT h FROM used ORDER BY $order LIMIT ${1 + random.nextInt(30)}")
      }
      if (round % 8 == 3)
        spark.sql(s"DELETE FROM lance.`$path` WHERE id % 13 = ${random.nextInt(13)}"): Unit
      if (round == 12)
        load().where("id < 900").write.format("lance").mode("append").save(path)
    }
  }
}
