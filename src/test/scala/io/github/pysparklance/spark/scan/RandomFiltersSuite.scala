// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.util.Random

import org.apache.spark.sql.execution.FilterExec
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.SchemaUpdate
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}
import io.github.pysparklance.testkit.{
  ExactRows,
  RandomFilters,
  SharedSpark,
  SparkLine,
  TemporaryFolder,
  TestRun
}

/** Random conditions have the same results on a Lance table and on a Parquet table of the same
  * rows.
  */
class RandomFiltersSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  private lazy val spark = SharedSpark.session

  private val queriesPerTable = if (TestRun.isLong) 600 else 24
  private val seed = TestRun.seed

  /** The columns that are read of the matching rows. */
  private val projections =
    IndexedSeq("*", "id, st.c, list, t", "id, st.in, d", "y, m, w, ts", "vec, t, m, n")

  // Without generated code most of them, which takes longer to compile than small tables take to
  // read.
  private val tables = Seq(
    (SharedSpark.interpreted, 3000L, false, "700", false),
    (SharedSpark.interpreted, 3000L, true, "700", true),
    (SharedSpark.interpreted, 12000L, true, "8000", true),
    (SharedSpark.session, 3000L, false, "3000", true)
  )

  TestRun.share(1, 2, tables).foreach { case (spark, rows, clustered, maxRows, deletes) =>
    val codegen = spark.conf.get("spark.sql.codegen.wholeStage", "true").toBoolean
    val what = s"$rows rows, ${if (clustered) "clustered" else "scattered"}, " +
      s"$maxRows a file, ${if (deletes) "some" else "none"} deleted" +
      (if (codegen) ", generated code" else "")
    test(s"$what: random conditions have the same results as on Parquet") {
      val lance = folder.resolve("lance").toString
      val parquet = folder.resolve("parquet").toString
      val table = RandomFilters.table(spark, rows, seed, clustered)
      val narrow = if (deletes) table.withColumn("i", col("i").cast("smallint")) else table
      narrow.write.format("lance").option("maxRowsPerFile", maxRows).save(lance)
      if (deletes) {
        deleteEverySeventh(lance)
        widen(lance, "i")
      }
      table.where(if (deletes) "id % 7 <> 3" else "true").write.parquet(parquet)
      val random = new Random(seed)
      // Compiling generated code for each of them takes long.
      val queries = (1 to (if (codegen) queriesPerTable / 3 else queriesPerTable)).map { _ =>
        (new RandomFilters(random).condition(), random.nextInt(projections.length))
      }
      val answers = parquetAnswers(SharedSpark.interpreted, parquet, queries.map(_._1))
      var pushed = 0
      queries.indices.foreach { i =>
        val (condition, projection) = queries(i)
        val ours = spark.read
          .format("lance")
          .option("batchSize", 64) // several windows of batches in a file
          .load(lance)
          .where(condition)
          .selectExpr("id", s"xxhash64(${projections(projection)})")
        withClue(s"seed ${seed}L, query $i, ${projections(projection)} WHERE $condition: ") {
          val rows = ours.collect().toSeq.map(r => (r.getLong(0), r.getLong(1)))
          assert(rows == answers(i, projection))
        }
        if (isPushedWhole(ours)) pushed += 1
      }
      assert(pushed >= queries.length / 2)
      (1 to math.max(1, queries.length / 10)).foreach { i =>
        val query = new RandomFilters(random).query()
        def answer(format: String, path: String): Seq[String] = {
          spark.read.format(format).load(path).createOrReplaceTempView("random_rows")
          ExactRows(spark.sql(query)).sorted
        }
        withClue(s"seed ${seed}L, whole query $i, $query: ") {
          assert(answer("lance", lance) == answer("parquet", parquet))
        }
      }
    }
  }

  /** The results of all queries by number and projection, from one query that has the conditions as
    * columns.
    */
  private def parquetAnswers(
      spark: SparkSession,
      path: String,
      conditions: Seq[String]
  ): (Int, Int) => Seq[(Long, Long)] = {
    val hashes = projections.map(p => s"xxhash64($p)")
    val rows = spark.read
      .parquet(path)
      .selectExpr("id" +: (hashes ++ conditions): _*)
      .collect()
      .sortBy(_.getLong(0))
    (query, projection) => {
      val at = 1 + projections.length + query
      rows.toSeq.collect {
        case r if !r.isNullAt(at) && r.getBoolean(at) => (r.getLong(0), r.getLong(1 + projection))
      }
    }
  }

  test("of rows that do not match, only the columns of the condition are read") {
    val path = folder.resolve("t").toString
    spark
      .range(0, 400000, 1, 1)
      .selectExpr("id", "sha2(string(id), 256) AS text", "id % 1000 AS k")
      .write
      .format("lance")
      .save(path)
    def read = spark.read.format("lance").option("minPartitionNum", "1").load(path)
    def bytes(df: DataFrame): Long = {
      df.collect()
      val scan = collect(df.queryExecution.executedPlan) { case b: BatchScanExec => b }.head
      scan.metrics("lanceBytesRead").value
    }
    val all = bytes(read.select("text"))
    val one = read.where("id = 399000").select("text")
    assert(bytes(one) < all / 5 && one.collect().length == 1)
    val none = read.where("k > 1000").select("text")
    assert(bytes(none) < all / 5 && none.collect().isEmpty)
    val metrics =
      collect(none.queryExecution.executedPlan) { case b: BatchScanExec => b }.head.metrics
    assert(metrics("lanceFilteredRows").value == 400000)
    assert(read.where("k = 5").limit(3).collect().length == 3)
  }

  test(
    "Spark evaluates conditions that may fail or need a function; the plan shows pushed conditions"
  ) {
    val path = folder.resolve("t").toString
    spark.range(0, 10, 1, 1).selectExpr("id", "string(id) AS t").write.format("lance").save(path)
    def read = spark.read.format("lance").load(path)
    assert(!isPushedWhole(read.where("10 / id > 2")))
    assert(!isPushedWhole(read.where("cast(t AS INT) > 2")))
    assert(!isPushedWhole(read.where("rand() > 0.5")))
    // Other collations, and casts that can lose something.
    if (SparkLine.isFrom("4.0")) {
      val collated = read.where("t COLLATE UTF8_LCASE = '7' COLLATE UTF8_LCASE")
      assert(!isPushedWhole(collated) && collated.count() == 1)
    }
    assert(!isPushedWhole(read.where("cast(id AS INT) = 5")))
    assert(isPushedWhole(read.where("cast(id AS DECIMAL(38, 4)) > 5.5")))
    assert(read.where("cast(id AS DECIMAL(38, 4)) > 5.5").count() == 4)
    val pushed = read.where("id > 5 AND t LIKE '7%'")
    assert(isPushedWhole(pushed))
    val plan = pushed.queryExecution.executedPlan.toString
    assert(plan.contains("where") && plan.contains("startswith"))
    val off =
      spark.read.format("lance").option("pushDownFilters", "false").load(path).where("id > 5")
    assert(!isPushedWhole(off) && off.count() == 4)
    assert(read.where("_fragid = 0 AND id >= 8 AND _rowoffset > 0").count() == 2)
    assert(read.where("_rowoffset BETWEEN 2 AND 4").select("id").count() == 3)
  }

  private def isPushedWhole(df: DataFrame): Boolean =
    collect(df.queryExecution.executedPlan) { case f: FilterExec => f }.isEmpty

  /** Changes a column to `INT`, so that it has separate files. */
  private def widen(path: String, column: String): Unit = {
    val change =
      SchemaChange.SetType(FieldPath(IndexedSeq(column)), LogicalType.Integer(32, signed = true))
    val table = SchemaUpdate.plan(LanceTable.open(Storage.local, path), Seq(change)).run()
    if (table.fragments.exists(_.files.length != 2)) fail("a fragment without a second file")
  }

  private def deleteEverySeventh(path: String): Unit = {
    val table = LanceTable.open(Storage.local, path)
    var first = 0L
    val rows = table.fragments.map { f =>
      val n = f.physicalRows.get
      val deleted = (0L until n).filter(r => (first + r) % 7 == 3)
      first += n
      f.id -> DeletionVector.of(deleted.map(_.toInt).toArray)
    }.toMap
    table.delete(rows, "id % 7 = 3"): Unit
  }
}
