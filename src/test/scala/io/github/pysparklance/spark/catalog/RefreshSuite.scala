// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.testkit.{Pylance, SharedSpark, SparkLine, TemporaryFolder}

/** Visibility of writes of others in queries, existing DataFrames, views, and caches. */
class RefreshSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark: SparkSession = {
    val s = SharedSpark.newInterpreted()
    s.conf.set(
      "spark.sql.catalog.spark_catalog",
      "io.github.pysparklance.spark.LanceSessionCatalog"
    )
    s
  }

  private def table(): String = {
    val path = folder.resolve("t").toString
    Pylance.write("[{'id': i} for i in range(5)]", path)
    path
  }

  private def append(path: String, id: Int): Unit =
    Pylance.write(s"[{'id': $id}]", path, "mode" -> "append")

  private def overwrite(path: String): Unit =
    Pylance.write("[{'id': 100}]", path, "mode" -> "overwrite")

  private def ids(df: DataFrame): Seq[Long] = df.collect().map(_.getLong(0)).toSeq.sorted

  test("a DataFrame reads rows of another writer when it is executed again") {
    val path = table()
    for (held <- Seq(spark.table(s"lake.`$path`"), spark.read.format("lance").load(path))) {
      val before = ids(held.toDF()).length
      append(path, 5)
      assert(held.count() == before + 1)
      assert(ids(held.select("id")).length == before + 1)
    }
    val fixed = spark.read.format("lance").option("version", "1").load(path)
    append(path, 7)
    assert(fixed.count() == 5)
    assert(spark.sql(s"SELECT * FROM lake.`$path` VERSION AS OF 2").count() == 6)
  }

  test(
    "a recreated table is another table, even with the same path and version"
  ) {
    def scan = spark.read.format("lance").load(folder.resolve("t").toString)
      .queryExecution.executedPlan.collectFirst { case b: BatchScanExec => b.batch }.get
    table()
    val first = scan
    assert(first == scan)
    Storage.local.deleteFolder(folder.resolve("t").toString)
    table()
    assert(first != scan)
  }

  test("a query reads one version, even if it names the table several times") {
    val path = table()
    val early = spark.table(s"lake.`$path`").toDF("a")
    append(path, 5)
    val late = spark.table(s"lake.`$path`").toDF("b")
    assert(early.join(late, early("a") === late("b")).count() == 6)
    assert(early.exceptAll(late).count() == 0 && late.exceptAll(early).count() == 0)
  }

  test("the version is fixed from planning to the last task") {
    val path = table()
    val query = spark.table(s"lake.`$path`").where("id >= 0").repartition(2).queryExecution
    query.executedPlan
    overwrite(path)
    append(path, 101)
    assert(query.toRdd.map(_.getLong(0)).collect().toSeq.sorted == (0 to 4))
    assert(ids(spark.table(s"lake.`$path`")) == Seq(100, 101))
  }

  test("a view of a table returns new rows; changed columns are an error") {
    val path = table()
    spark.sql(s"CREATE OR REPLACE TEMP VIEW seen AS SELECT * FROM lake.`$path`")
    val held = spark.table(s"lake.`$path`")
    append(path, 5)
    assert(spark.table("seen").count() == 6)
    spark.range(3).toDF("other").write.format("lance").option("overwriteSchema", "true")
      .mode("overwrite").save(path)
    // Before 4.1, a DataFrame whose columns have changed keeps its version.
    if (SparkLine.isFrom("4.1")) {
      val e = intercept[AnalysisException](held.collect())
      assert(e.getMessage.contains("id"))
    } else assert(held.count() == 5)
    spark.sql("DROP VIEW seen"): Unit
  }

  private def isCached(df: DataFrame): Boolean =
    df.queryExecution.withCachedData.collect { case c: InMemoryRelation => c }.nonEmpty

  test("writes and REFRESH TABLE refresh CACHE TABLE") {
    for (name <- Seq("lake.cached_here", "cached_there")) {
      spark.sql(s"CREATE TABLE $name USING lance AS SELECT 1L AS id")
      try {
        spark.sql(s"CACHE TABLE $name")
        assert(isCached(spark.table(name)) && ids(spark.table(name)) == Seq(1))
        spark.sql(s"INSERT INTO $name VALUES (2)")
        assert(isCached(spark.table(name)) && ids(spark.table(name)) == Seq(1, 2))
        val location = spark.sql(s"DESCRIBE TABLE EXTENDED $name").where("col_name = 'Location'")
          .head().getString(1).stripPrefix("file:")
        append(location, 3)
        spark.sql(s"REFRESH TABLE $name")
        assert(isCached(spark.table(name)) && ids(spark.table(name)) == Seq(1, 2, 3))
        spark.sql(s"UNCACHE TABLE $name")
        assert(!isCached(spark.table(name)))
      } finally spark.sql(s"DROP TABLE $name"): Unit
    }
  }
}
