// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.util.Random

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.scan.task.TopRows
import io.github.pysparklance.testkit.{
  RandomFilters,
  SharedSpark,
  SparkLine,
  TemporaryFolder,
  TestRun
}

/** `ORDER BY ... LIMIT` by the sort columns, and samples that are drawn before rows are read. */
class TopRowsSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  private lazy val spark = SharedSpark.interpreted

  private def path: String = folder.resolve("t").toString

  private def load(options: (String, String)*): DataFrame =
    spark.read.format("lance").options(options.toMap).load(path)

  private def scan(df: DataFrame): BatchScanExec =
    collect(df.queryExecution.executedPlan) { case b: BatchScanExec => b }.head

  private def describes(df: DataFrame, text: String): Boolean =
    scan(df).scan.description().contains(text)

  private def long(from: Long, until: Long): Unit =
    spark
      .range(from, until, 1, 1)
      .selectExpr("id", "xxhash64(id) AS h", "sha2(string(id), 256) AS text")
      .write
      .format("lance")
      .save(path)

  test("random orders return the rows of Spark's sort") {
    val seed = TestRun.seed
    RandomFilters
      .table(spark, 2000, seed, clustered = false)
      .write
      .format("lance")
      .option("maxRowsPerFile", "700")
      .save(path)
    val random = new Random(seed)
    val columns = IndexedSeq("i", "d", "f", "m", "t", "y", "o", "dt", "ts", "st.in.b")
    (1 to 12).foreach { _ =>
      val keys = random.shuffle(columns).take(1 + random.nextInt(2)).map { c =>
        val direction = if (random.nextBoolean()) "DESC" else "ASC"
        s"$c $direction NULLS ${if (random.nextBoolean()) "FIRST" else "LAST"}"
      }
      val order = (keys :+ "id DESC").mkString(", ")
      val condition = if (random.nextBoolean()) "true" else new RandomFilters(random).condition(0)
      def answer(options: (String, String)*): DataFrame = {
        load(options: _*).createOrReplaceTempView("top")
        spark.sql(
          s"SELECT id, st.c, list FROM top WHERE $condition ORDER BY $order LIMIT ${1 + order.length % 9}"
        )
      }
      val ours = answer("batchSize" -> "100", "splitSize" -> "1")
      withClue(s"seed ${seed}L, WHERE $condition ORDER BY $order: ") {
        val plain = answer("pushDownTopN" -> "false", "pushDownFilters" -> "false")
        assert(ours.collect().toSeq == plain.collect().toSeq)
        assert(describes(ours, " in each task") && !describes(plain, "order by"))
      }
    }
  }

  test("other columns are read for the first rows only") {
    long(0, 100000)
    val read = load("minPartitionNum" -> "1")
    def bytes(df: DataFrame): Long = {
      df.collect()
      scan(df).metrics("lanceBytesRead").value
    }
    val top = read.orderBy("h").limit(3).select("text")
    assert(bytes(top) < 1200000 && scan(top).metrics("lanceRowsRead").value == 3)
    assert(bytes(read.select("text")) > 3000000)
    val off = read.orderBy("h").offset(2).limit(2).select("h")
    assert(off.collect().map(_.getLong(0)).toSeq ==
      read.select("h").collect().map(_.getLong(0)).sorted.slice(2, 4).toSeq)
    val last = read.orderBy(col("_rowaddr").desc).limit(2).select("id")
    assert(last.collect().toSeq == Seq(Row(99999L), Row(99998L)) && describes(last, "order by"))
    assert(describes(read.orderBy("h", "id").limit(3), "order by h ASC NULLS FIRST, id"))
    assert(!describes(read.orderBy("h").limit(TopRows.maxLimit + 1), "order by"))
    assert(!describes(read.selectExpr("id", "abs(h) AS a").orderBy("a").limit(3), "order by"))
  }

  test("rows are sampled before they are read, with the given size and seed") {
    long(0, 100000)
    load("minPartitionNum" -> "1").createOrReplaceTempView("sampled")
    def sample(text: String): DataFrame = spark.sql(s"SELECT id FROM sampled $text")
    val one = sample("TABLESAMPLE (1 PERCENT) REPEATABLE (7)")
    val ids = one.collect().map(_.getLong(0)).toSeq
    assert(ids.length > 800 && ids.length < 1200 && ids == ids.sorted.distinct)
    assert(describes(one, "sample of 0.0 until 0.01 seed 7"))
    assert(scan(one).metrics("lanceRowsRead").value == ids.length)
    assert(
      sample("TABLESAMPLE (1 PERCENT) REPEATABLE (7)").collect().map(_.getLong(0)).toSeq == ids
    )
    assert(
      sample("TABLESAMPLE (1 PERCENT) REPEATABLE (8)").collect().map(_.getLong(0)).toSeq != ids
    )
    val filtered = sample("TABLESAMPLE (1 PERCENT) REPEATABLE (7) WHERE id % 2 = 0 AND id > 50000")
    assert(filtered.collect().map(_.getLong(0)).toSeq == ids.filter(i => i % 2 == 0 && i > 50000))
    assert(spark.sql("SELECT count(*) FROM sampled TABLESAMPLE (1 PERCENT) REPEATABLE (7)")
      .head() == Row(ids.length.toLong))
    assert(sample("TABLESAMPLE (1 PERCENT) REPEATABLE (7) LIMIT 5").collect().length == 5)
    val half = sample("TABLESAMPLE (50 PERCENT)")
    assert(!describes(half, "sample") && half.count() > 40000)
    assert(SparkLine.expectedRows(one).contains(BigInt(1000)))
    // The parts of a split are disjoint and contain all rows.
    val shares = load().sample(false, 0.1, 3).select("id").collect().length
    assert(shares > 9000 && shares < 11000)
  }
}
