// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.floor

import java.lang.ref.WeakReference
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.execution.ColumnarToRowExec
import org.apache.spark.sql.functions.{col, sum}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.BeforeAndAfterAll
import org.scalatest.concurrent.Eventually.eventually
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.benchmarks.Runs

class FloorSourceSuite extends AnyFunSuite with BeforeAndAfterAll {
  private var spark: SparkSession = _
  private var work: Path = _

  override def beforeAll(): Unit = {
    spark = SparkSession.builder().master("local[2]").appName("floor")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "4")
      .config("spark.sql.session.timeZone", "UTC")
      .getOrCreate()
    work = Files.createTempDirectory("floor")
  }

  override def afterAll(): Unit = {
    FloorSource.clear()
    spark.stop()
    Runs.clear(work)
  }

  private def floor(source: Path, options: (String, String)*): DataFrame =
    spark.read.format(classOf[FloorSource].getName)
      .option("source", source.toString).options(options.toMap).load()

  /** All column types of the benchmark tables, with nulls, in three files. */
  private def table(numRows: Long): DataFrame =
    spark.range(0, numRows, 1, 3).selectExpr(
      "id AS l_orderkey",
      "CAST(id % 7 AS INT) AS l_linenumber",
      "CAST(id * 3.25 AS DECIMAL(15,2)) AS l_quantity",
      "CAST(id AS DECIMAL(38,4)) AS wide",
      "IF(id % 5 = 0, NULL, concat('comment ', id)) AS l_comment",
      "CAST(id % 2 AS STRING) AS l_returnflag",
      "date_add(DATE'1992-01-01', CAST(id % 2500 AS INT)) AS l_shipdate",
      "timestamp_seconds(id) AS at",
      "id % 3 = 0 AS flag",
      "CAST(id AS DOUBLE) / 3 AS double",
      "array(CAST(id AS FLOAT), NULL, CAST(0.5 AS FLOAT)) AS vector",
      "IF(id % 11 = 0, NULL, CAST(repeat(CAST(id AS STRING), 20) AS BINARY)) AS bytes",
      "named_struct('a', id, 'b', CAST(id AS STRING)) AS struct",
      "map('k', id) AS map"
    )

  private def written(name: String, numRows: Long): Path = {
    val path = work.resolve(name)
    table(numRows).write.parquet(path.toString)
    path
  }

  /** As text, because byte arrays are not equal by value. */
  private def rows(frame: DataFrame): Seq[String] =
    frame.withColumn("bytes", col("bytes").cast("string")).collect().map(_.toString).toSeq.sorted

  test("results equal the source, also after it is removed") {
    val source = written("types", 30000)
    val expected = rows(spark.read.parquet(source.toString))
    assert(floor(source).schema == spark.read.parquet(source.toString).schema)
    assert(rows(floor(source)) == expected)
    Runs.clear(source)
    assert(rows(floor(source)) == expected)
    val few = floor(source).where("l_linenumber = 3 AND l_comment IS NOT NULL")
    assert(few.select("l_orderkey", "l_comment").collect().toSet ==
      table(30000).where("l_linenumber = 3 AND l_comment IS NOT NULL")
        .select("l_orderkey", "l_comment").collect().toSet)
    assert(floor(source).count() == 30000)
  }

  test("columns are read on the first request, and no others") {
    val source = written("columns", 10000)
    assert(floor(source).agg(sum("l_orderkey")).head() == Row(49995000L))
    Runs.clear(source)
    assert(floor(source).agg(sum("l_orderkey")).head() == Row(49995000L))
    assertThrows[Exception](floor(source).agg(sum("double")).head())
  }

  test("a table joined with itself, and a nested column alone") {
    val source = written("join", 9000)
    val left = floor(source).select(col("l_orderkey"), col("l_comment"))
    val right = floor(source).select((col("l_orderkey") - 1).as("before"), col("l_comment").as("c"))
    val joined = left.join(right, col("l_orderkey") === col("before"))
    assert(joined.count() == 8999)
    assert(joined.where("l_orderkey = 42").select("c").head() == Row("comment 43"))
    assert(floor(source).agg(sum("struct.a")).head() == Row(9000L * 8999 / 2))
  }

  test("batches are columnar, and have the number of partitions of the source") {
    val source = written("partitions", 60000)
    spark.conf.set("spark.sql.files.maxPartitionBytes", "200000")
    try {
      val parquet = spark.read.parquet(source.toString).rdd.getNumPartitions
      val frame = floor(source)
      assert(parquet > 2 && frame.rdd.getNumPartitions == parquet)
      assert(frame.queryExecution.executedPlan.exists(_.isInstanceOf[ColumnarToRowExec]))
      assert(rows(frame) == rows(table(60000)))
    } finally spark.conf.unset("spark.sql.files.maxPartitionBytes")
  }

  test("repeated batches have the number of rows of the source") {
    val source = written("repeated", 70000)
    FloorSource.clear()
    val repeated = floor(source, "repeat" -> "true", "batches" -> "1")
    assert(rows(repeated).length == 70000)
    assert(FloorSource.numBatchesKept == repeated.rdd.getNumPartitions)
    val known = rows(table(70000)).toSet
    assert(rows(repeated).forall(known) && rows(repeated).toSet.size < 70000)
  }

  test("cleared batches are released, even if a view of them exists") {
    val source = written("viewed", 5000)
    floor(source).createOrReplaceTempView("viewed")
    assert(spark.table("viewed").where("l_linenumber = 0").count() == 715)
    val options = Map("source" -> source.toString).asJava
    val data = new WeakReference(FloorData.of(new CaseInsensitiveStringMap(options)))
    assert(data.get.numBatchesKept > 0)
    eventually {
      FloorSource.clear()
      assert(data.get == null)
    }
    assert(spark.table("viewed").count() == 5000)
  }

  test("the size estimate is the file size times the share of the columns") {
    val source = written("size", 20000)
    def bytes(frame: DataFrame) = frame.queryExecution.optimizedPlan.stats.sizeInBytes
    val parquet = spark.read.parquet(source.toString)
    assert(bytes(floor(source)) == bytes(parquet))
    val columns = Seq("l_orderkey", "l_comment").map(col)
    val (ours, theirs) =
      (bytes(floor(source).select(columns: _*)), bytes(parquet.select(columns: _*)))
    assert((ours - theirs).abs <= theirs / 100)
  }
}
