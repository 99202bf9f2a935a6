// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.{FormattedMode, LocalTableScanExec}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{
  ExactRows,
  Fixtures,
  JobWatch,
  SharedSpark,
  SparkLine,
  TemporaryFolder
}

/** The operations that Spark pushes into a scan, and the facts that the scan reports to Spark. */
class ScanSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  private lazy val spark = SharedSpark.session

  private def path: String = folder.resolve("t").toString
  private def load(options: (String, String)*): DataFrame =
    spark.read.format("lance").options(options.toMap).load(path)

  private def scans(df: DataFrame): Seq[BatchScanExec] =
    collect(df.queryExecution.executedPlan) { case b: BatchScanExec => b }

  private def write(rows: Long, options: (String, String)*): Unit =
    spark
      .range(0, rows, 1, 1)
      .select(
        col("id"),
        struct(col("id").as("a"), (col("id") + 1).as("b"), lit("text").as("c")).as("s"),
        array(struct(col("id").as("k"), lit("v").as("v"))).as("l"),
        lit("x" * 100).as("long")
      )
      .write
      .format("lance")
      .options(options.toMap)
      .save(path)

  test("only the columns that a query needs are read, also in structs and lists") {
    write(100)
    val df = load().select(col("s.b"), col("l.k"), col("id"))
    assert(df.where("id = 7").collect().toSeq.map(ExactRows.text) == Seq("[8, (7), 7]"))
    val schema = scans(df).head.scan.readSchema()
    assert(schema.catalogString == "struct<id:bigint,s:struct<b:bigint>,l:array<struct<k:bigint>>>")
    assert(load().select(lit(1)).collect().length == 100)
    assert(load().select("s").collect().head.getStruct(0).size == 3)
  }

  test("only the leaves and rows that a query needs are read, as its metrics report") {
    spark
      .range(0, 100000, 1, 1)
      .selectExpr("named_struct('a', xxhash64(id), 'b', sha2(string(id), 256)) AS s", "id")
      .write
      .format("lance")
      .save(path)
    def bytes(df: DataFrame): Long = {
      df.collect()
      scans(df).head.metrics("lanceBytesRead").value
    }
    val tail = 64L << 10
    val whole = bytes(load("minPartitionNum" -> "1"))
    val leaf = bytes(load("minPartitionNum" -> "1").select("s.a"))
    assert(leaf >= 800000 && leaf < 800000 * 1.05 + tail && whole > 4 * leaf)
    val taken = load().where("_rowaddr IN (99, 55555)").select("s.b")
    assert(taken.count() == 2 && bytes(taken) < tail + 50000)
    assert(bytes(load().select("s.b").limit(3)) < tail + 50000)
    assert(scans(taken).head.metrics("lanceRequests").value <= 4)
  }

  test(
    "a count of all rows is read from the manifest, unless there are filters or other aggregates"
  ) {
    write(5000, "maxRowsPerFile" -> "1000")
    val counted = load().agg(count(lit(1)))
    assert(counted.collect().head.getLong(0) == 5000)
    assert(scans(counted).isEmpty)
    assert(collect(counted.queryExecution.executedPlan) { case l: LocalTableScanExec =>
      l
    }.nonEmpty)
    val named = load().agg(count(lit(1)).as("n"))
    assert(named.queryExecution.executedPlan.isInstanceOf[LocalTableScanExec]) // no job
    assert(named.collect().head == Row(5000L))
    val twice = load().agg((count(lit(1)) * 2).as("twice"), lit("x").as("x"))
    assert(twice.collect().head == Row(10000L, "x"))
    assert(scans(twice).isEmpty)
    assert(load().count() == 5000)
    assert(load().where("id % 2 = 0").count() == 2500)
    assert(load().agg(count(lit(1)), max("id")).collect().head.toSeq == Seq(5000L, 4999L))
    assert(load().groupBy(col("id") % 2).count().collect().length == 2)
  }

  test(
    "tasks are sized by bytes: large fragments are split, small ones combined, and the order is kept"
  ) {
    write(20000, "maxRowsPerFile" -> "5000")
    def tasks(df: DataFrame): Int = scans(df).head.inputRDD.getNumPartitions
    val cut = load("splitSize" -> "1", "batchSize" -> "1000").select("id")
    assert(tasks(cut) == 20)
    assert(cut.collect().map(_.getLong(0)).toSeq == (0L until 20000L))
    val packed = load("minPartitionNum" -> "1").select("id")
    assert(tasks(packed) == 1)
    assert(packed.collect().map(_.getLong(0)).toSeq == (0L until 20000L))
    val configuration = Map(
      "spark.sql.files.maxPartitionBytes" -> "2000",
      "spark.sql.files.openCostInBytes" -> "100"
    )
    configuration.foreach { case (k, v) => spark.conf.set(k, v) }
    try {
      val sized = load("batchSize" -> "1000").select("id", "s.a")
      assert(tasks(sized) > 4)
      assert(sized.collect().map(_.getLong(0)).toSeq == (0L until 20000L))
    } finally configuration.keys.foreach(spark.conf.unset)
  }

  test("few tasks read few rows, and batches of long rows are short") {
    spark
      .range(0, 300, 1, 5)
      .selectExpr(
        "id",
        "unhex(concat_ws('', transform(sequence(1, 1000), i -> sha2(string(id * 1000 + i), 256)))) AS body"
      )
      .write
      .format("lance")
      .save(path)
    def read = spark.read.format("lance").option("splitSize", "1m").load(path)
    def tasks(df: DataFrame): Int = scans(df).head.inputRDD.getNumPartitions
    spark.conf.set("spark.sql.files.openCostInBytes", "1000")
    try {
      val some = read.where("id IN (7, 299)")
      assert(tasks(some) <= 3 && tasks(read.where("id >= 7")) == 5)
      assert(some.select("id").collect().map(_.getLong(0)).toSeq == Seq(7L, 299L))
      val all = read.selectExpr("sum(length(body))")
      assert(all.head().getLong(0) == 300L * 32000)
      assert(tasks(read) == 5)
    } finally spark.conf.unset("spark.sql.files.openCostInBytes")
    val whole = spark.read.format("lance").load(path).selectExpr("sum(length(body))")
    assert(whole.collect().head.getLong(0) == 300L * 32000)
    val batches = scans(whole).head.metrics("lanceBatchesRead").value
    assert(batches >= 30 && batches <= 60)
  }

  test("a task reads at most the given number of fragments") {
    write(1000, "maxRowsPerFile" -> "100")
    def tasks(options: (String, String)*): Int =
      scans(load(("minPartitionNum" -> "1") +: options: _*)).head.inputRDD.getNumPartitions
    assert(tasks() == 1 && tasks("maxFragmentsPerTask" -> "4") == 3)
    val e = intercept[AnalysisException](tasks("max_fragments_per_task" -> "0"))
    assert(e.getMessage.contains("maxFragmentsPerTask is '0'"))
  }

  test("scalar subqueries over the same rows share a scan since Spark 4.3") {
    write(100)
    load().createOrReplaceTempView("merging")
    val query = spark.sql(
      "SELECT (SELECT sum(id) FROM merging WHERE id > 9), (SELECT sum(length(long)) FROM merging WHERE id > 9), " +
        "(SELECT count(DISTINCT long) FROM merging WHERE id > 97)"
    )
    assert(query.head() == Row(4905L, 9000L, 1L))
    val plan = query.queryExecution.explainString(FormattedMode)
    val shared =
      plan.contains("struct<id:bigint,long:string>, where ((id IS NOT NULL) AND (id > 9L))")
    assert(shared == SparkLine.isFrom("4.3"), plan)
  }

  test("statistics describe the columns of the scan") {
    write(10000)
    def bytes(df: DataFrame): BigInt = df.queryExecution.optimizedPlan.stats.sizeInBytes
    val whole = load()
    val one = load().select("id")
    assert(SparkLine.expectedRows(one).contains(BigInt(10000)))
    assert(bytes(one) > 0 && bytes(one) * 3 < bytes(whole))
  }

  test("size estimates use the usual sizes of values, and the bytes of long values") {
    def bytes(table: String, columns: String*): BigInt =
      spark.read.format("lance").load(table).select(columns.map(col): _*)
        .queryExecution.optimizedPlan.stats.sizeInBytes
    spark.range(0, 200000, 1, 2).selectExpr(
      "id",
      "element_at(array('LOW', 'HIGH', 'URGENT'), int(id % 3) + 1) AS priority",
      "cast(id % 1000 AS decimal(15, 2)) AS price"
    ).write.format("lance").save(path)
    assert(bytes(path, "id") == 200000 * 8)
    assert(bytes(path, "id", "priority") == 200000 * (8 + 20))
    assert(bytes(path, "price", "id") == 200000 * (8 + 8))
    val long = folder.resolve("long.lance").toString
    spark.range(20000).selectExpr("concat_ws(' ', sha2(string(id), 512), sha2(string(-id), 512)) s")
      .write.format("lance").save(long)
    assert(bytes(long, "s") > 20000 * 100 && bytes(long, "s") < 20000 * 300)
  }

  test("scans are equal only if they read the same") {
    write(10)
    def scan(df: DataFrame): Any = scans(df).head.scan
    assert(scan(load().select("id")) == scan(load().select("id")))
    assert(scan(load().select("id")).hashCode == scan(load().select("id")).hashCode)
    assert(scan(load().select("id")) != scan(load().select("long")))
  }

  test("metrics of a scan") {
    write(10000, "maxRowsPerFile" -> "4000")
    val df = load().select("id")
    assert(df.collect().length == 10000)
    val metrics = scans(df).head.metrics
    assert(metrics("lanceRowsRead").value == 10000)
    assert(metrics("lanceFragmentsRead").value == 3)
    assert(metrics("lanceBytesRead").value > 0)
    assert(metrics("lanceRequests").value > 0)
    assert(metrics("lanceBatchesRead").value >= 3)
    assert(metrics("lancePagesRead").value == 3)
    assert(metrics("lanceFragmentsTotal").value == 3 && metrics("lanceFragmentsKept").value == 3)
    assert(metrics("lancePlanningTime").value > 0)
    val taken = load().where("_fragid = 1").select("id", "s.c")
    assert(taken.collect().length == 4000)
    assert(scans(taken).head.metrics("lanceFragmentsKept").value == 1)
    assert(scans(taken).head.metrics("lancePagesRead").value == 2)
    assert(scans(taken).head.scan.description().contains("version 1, 1 of 3 fragments, "))
  }

  test("tasks report bytes read to Spark, from any thread") {
    write(100000)
    val df = load("minPartitionNum" -> "2").select("id", "long")
    val tasks = JobWatch(spark.sparkContext) { watch =>
      watch.run(df.collect()): Unit
      watch.settled().tasks.map(_.inputMetrics)
    }
    val told = tasks.map(_.bytesRead).sum
    val read = scans(df).head.metrics("lanceBytesRead").value
    assert(tasks.map(_.recordsRead).sum == 100000)
    assert(read > 50000 && told >= read && told < read * 11 / 10)
  }

  test("deleted rows are omitted from all reads") {
    Fixtures.assumePresent(): Unit
    val t = Fixtures.folder.get.resolve("tables/v2.2/delete_many.lance").toString
    val df = spark.read.format("lance").load(t)
    assert(df.count() == 1000)
    assert(df.select(lit(1)).collect().length == 1000)
    assert(df.where(lit(true)).collect().length == 1000)
  }

  test("the version is fixed when the query is planned") {
    write(10)
    val before = load()
    before.queryExecution.executedPlan: Unit
    spark.range(0).write.format("lance").option(
      "overwriteSchema",
      "true"
    ).mode("overwrite").save(path)
    assert(before.collect().length == 10)
    assert(load().columns.toSeq == Seq("id"))
  }
}
