// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{SharedSpark, SparkLine, TemporaryFolder}

/** Options that request another distribution and order of the rows from Spark. */
class RowDistributionSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session

  private def path: String = folder.resolve("t").toString

  /** 1000 rows in eight tasks, each with all of the ten keys. */
  private def rows: DataFrame = spark
    .range(0, 1000, 1, 8)
    .select(col("id"), (col("id") * 7919 % 10).as("key"), struct((-col("id")).as("x")).as("s"))

  private def save(df: DataFrame, options: (String, String)*): Unit =
    df.write.format("lance").mode("error").options(options.toMap).save(path)

  /** The ids, file by file. */
  private def files: Seq[Seq[Long]] = {
    val found = spark.read.format("lance").load(path).select("_fragid", "_rowoffset", "id")
    found
      .collect()
      .groupBy(_.getLong(0))
      .toSeq
      .sortBy(_._1)
      .map(_._2.toSeq.sortBy(_.getLong(1)).map(_.getLong(2)))
  }

  private def keys(ids: Seq[Long]): Set[Long] = ids.map(_ * 7919 % 10).toSet

  test("rows keep the order of the query") {
    save(rows)
    assert(files.length == 8 && files.flatten == (0L until 1000L))
  }

  test("hash writes equal rows to one file") {
    save(
      rows,
      "distributionMode" -> "hash",
      "distributionColumns" -> "key",
      "distributionPartitions" -> "3"
    )
    val found = files
    assert(found.length <= 3 && found.flatten.sorted == (0L until 1000L))
    assert(found.map(keys(_).size).sum == 10)
  }

  test("small tasks are combined") {
    save(rows, "distributionMode" -> "hash", "distributionColumns" -> "key")
    assert(files.length == 1)
  }

  test("range sorts across all files") {
    save(
      rows,
      "distribution-mode" -> "RANGE",
      "orderBy" -> "key desc, `s`.`x`",
      "distributionPartitions" -> "4"
    )
    val expected = (0L until 1000L).sortBy(id => (-(id * 7919 % 10), -id))
    assert(files.length == 4 && files.flatten == expected)
  }

  test("range by columns sorts by them") {
    save(rows.orderBy(rand(1)), "distributionMode" -> "range", "distributionColumns" -> "ID")
    assert(files.flatten == (0L until 1000L))
  }

  test("orderBy alone sorts within tasks") {
    save(rows, "orderBy" -> "id desc nulls last")
    val expected = (0 until 8).map(i => (i * 125L until (i + 1) * 125L).reverse)
    assert(files == expected)
  }

  test("table properties have the same effect") {
    spark.sql(
      "CREATE TABLE lake.sorted USING lance TBLPROPERTIES " +
        "('distributionMode' = 'range', 'orderBy' = 'id desc') AS SELECT id FROM range(0, 100, 1, 4)"
    )
    try {
      def ids = spark.table("lake.sorted").collect().map(_.getLong(0)).toSeq
      assert(ids == (0L until 100L).reverse)
      spark.sql("INSERT INTO lake.sorted SELECT id FROM range(100, 200, 1, 4)")
      assert(ids.drop(100) == (100L until 200L).reverse)
      // The options of the write take precedence.
      spark
        .range(200, 210, 1, 2)
        .writeTo("lake.sorted")
        .option("distribution_mode", "none")
        .option("orderBy", "id")
        .append()
      assert(ids.drop(200) == (200L until 210L))
    } finally spark.sql("DROP TABLE lake.sorted"): Unit
  }

  test("a clustering key with a special name is the default of distributionColumns") {
    val key = if (SparkLine.isFrom("4.0")) "CLUSTER BY" else "PARTITIONED BY"
    spark.sql(
      s"CREATE TABLE lake.odd (`a-b c` INT, v INT) USING lance $key (`a-b c`) TBLPROPERTIES " +
        "('distributionMode' = 'range')"
    )
    try {
      spark.sql("INSERT INTO lake.odd SELECT 3 - id, id FROM range(0, 3, 1, 3)")
      assert(spark.table("lake.odd").collect().map(_.getInt(0)).toSeq == Seq(1, 2, 3))
    } finally spark.sql("DROP TABLE lake.odd"): Unit
  }

  test("lists of any length are split at commas outside of backticks") {
    assert(RowDistribution.parts("a, `b,c` ,d.`e f`") == Seq("a", "`b,c`", "d.`e f`"))
    assert(RowDistribution.parts("a,,b,") == Seq("a", "", "b"))
    assert(RowDistribution.parts("") == Seq(""))
    assert(RowDistribution.parts("`a`," * 200000 + "`b`").length == 200001)
  }

  test("names in an order can be keywords, with any number of spaces") {
    val words = rows.select(col("id").as("desc"), col("key").as("nulls first"))
    def order(text: String): Seq[Long] = {
      save(words.coalesce(1), "orderBy" -> text)
      try spark.read.format("lance").load(path).collect().map(_.getLong(0)).toSeq
      finally LanceTable.drop(Storage.local, path): Unit
    }
    val ascending = 0L until 1000L
    assert(order("desc") == ascending && order("desc DESC") == ascending.reverse)
    assert(order("desc  dEsC \t nulls   FIRST") == ascending.reverse)
    assert(order("`nulls first` asc, desc asc") == ascending.sortBy(id => (id * 7919 % 10, id)))
    val e = intercept[AnalysisException](save(rows, "orderBy" -> ("id" + " " * 100000 + "up")))
    assert(e.getMessage.contains("is not the name of a column"))
  }

  test("errors name the invalid option") {
    def rejected(options: (String, String)*): String =
      intercept[AnalysisException](save(rows, options: _*)).getMessage
    assert(rejected("distributionMode" -> "round").contains("'round', one of none, hash, range"))
    assert(rejected("distributionMode" -> "hash").contains("distributionColumns"))
    assert(rejected("distributionMode" -> "range").contains("orderBy"))
    assert(rejected("distributionColumns" -> "id").contains("hash or range"))
    assert(rejected("distributionPartitions" -> "3").contains("hash or range"))
    assert(rejected("orderBy" -> "s.y").contains("orderBy names a column s.y"))
    assert(rejected("orderBy" -> "id,,key").contains("empty"))
    assert(rejected("orderBy" -> "id up").contains("'id up'"))
    assert(!LanceTable.exists(Storage.local, path))
  }
}
