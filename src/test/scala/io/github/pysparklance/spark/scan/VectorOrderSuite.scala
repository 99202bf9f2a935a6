// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.util.Random

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{ExactRows, SharedSpark, TemporaryFolder, TestRun}

/** `ORDER BY` the distance of vectors with a limit. */
class VectorOrderSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  private lazy val spark = SharedSpark.interpreted

  private def path: String = folder.resolve("t").toString

  private def scan(df: DataFrame): BatchScanExec =
    collect(df.queryExecution.executedPlan) { case b: BatchScanExec => b }.head

  private def isPushed(df: DataFrame): Boolean =
    scan(df).scan.description().contains(" in each task")

  private def random = new Random(TestRun.seed)

  /** Elements of vectors, many of them equal, with NaN and infinity. */
  private def vectors(n: Int, dimension: Int, r: Random): Seq[String] = Seq.fill(n) {
    r.nextInt(12) match {
      case 0 => "NULL"
      case 1 =>
        val at = r.nextInt(dimension)
        Seq.tabulate(dimension)(i => if (i == at) "double('NaN')" else "0.5D").mkString(
          "array(",
          ",",
          ")"
        )
      case 2 =>
        val at = r.nextInt(dimension)
        Seq.tabulate(dimension)(i => if (i == at) "NULL" else "1D").mkString("array(", ",", ")")
      case 3 => Seq.fill(dimension)("0D").mkString("array(", ",", ")")
      case _ => Seq.fill(dimension)(s"${r.nextInt(64) / 4.0}D").mkString("array(", ",", ")")
    }
  }

  private def write(elementType: String, item: String, dimension: Int, n: Int): Unit = {
    val r = random
    val rows = vectors(n, dimension, r).zipWithIndex.map { case (v, i) => s"($i, $v)" }
    val isInteger = item.endsWith("int8")
    spark.sql(
      s"""SELECT id, CAST(transform(v, x -> IF(isnan(x) AND $isInteger, 7, x)) AS ARRAY<$elementType>) v,
         |'text' || id AS text FROM VALUES ${rows.mkString(",\n")} AS t(id, v)""".stripMargin
    ).write.format("lance").option("maxRowsPerFile", "70")
      .option("column.v.lance.type", s"fixed_size_list:$item:$dimension")
      .mode("overwrite").save(path)
  }

  private val orders = for {
    direction <- Seq("ASC", "DESC")
    nulls <- Seq("NULLS FIRST", "NULLS LAST")
  } yield s"$direction $nulls"

  private def check(order: String, condition: String = "true", limit: Int = 9): Assertion = {
    val view = s"vectors_${System.nanoTime()}"
    def rows(pushed: Boolean): DataFrame = {
      spark.read.format("lance").option("pushDownTopN", pushed.toString).option("batchSize", "32")
        .option("splitSize", "1").load(path).createOrReplaceTempView(view)
      val key = order.takeWhile(_ != '|')
      val how = order.drop(key.length + 1)
      spark.sql(s"SELECT $key AS d FROM $view WHERE $condition ORDER BY $key $how LIMIT $limit")
    }
    val (ours, plain) = (rows(pushed = true), rows(pushed = false))
    withClue(s"seed ${TestRun.seed}L, $order, WHERE $condition: ") {
      // Rows at the same distance may differ, but distances are exactly equal.
      assert(ExactRows(ours) == ExactRows(plain))
      assert(isPushed(ours) && !isPushed(plain))
    }
  }

  for {
    ((name, elementType), i) <- Seq(
      "float" -> "FLOAT",
      "double" -> "DOUBLE",
      "halffloat" -> "FLOAT",
      "lance.bfloat16" -> "FLOAT",
      "int8" -> "TINYINT",
      "uint8" -> "SMALLINT"
    ).zipWithIndex
    isInteger = name.endsWith("int8")
  } test(s"orders by the distance of $name vectors return the rows of Spark's sort") {
    val dimension = 19
    write(elementType, name, dimension, 300)
    val query = Seq.tabulate(dimension)(i => if (isInteger) s"${i % 7}" else s"${i / 3.0}D")
      .mkString("array(", ", ", ")")
    val all = for {
      function <- Seq("l2_distance", "cosine_distance", "dot_product")
      how <- orders
    } yield s"$function(v, $query)|$how"
    TestRun.share(i, 6, all).foreach(check(_))
    val others = Seq[() => Assertion](
      () => check(s"l2_distance($query, v)|ASC"),
      () => check(s"cosine_distance($query, v)|ASC"),
      () => check(s"l2_distance(v, $query)|ASC", "id BETWEEN 40 AND 220"),
      () => check(s"l2_distance(v, $query)|ASC", "id < 0"),
      () => check(s"l2_distance(v, $query)|ASC", limit = 1000)
    )
    TestRun.share(i, 3, others).foreach(_.apply())
    if (isInteger) check(s"hamming_distance(v, $query)|ASC")
  }

  test("other columns are read for the nearest rows only") {
    write("FLOAT", "float", 4, 3000)
    val read = spark.read.format("lance").option("minPartitionNum", "1").load(path)
    val nearest = read.selectExpr("id", "text", "l2_distance(v, array(1D, 2D, 3D, 4D)) AS d")
      .orderBy(col("d").asc_nulls_last).limit(5)
    nearest.collect().foreach(r => assert(r.getString(1) == s"text${r.getInt(0)}"))
    assert(isPushed(nearest) && scan(nearest).metrics("lanceRowsRead").value <= 10)
  }

  test("vectors in structs, in lists without a size, and of another dimension") {
    spark.sql(
      """SELECT id, named_struct('n', named_struct('v', IF(id % 5 = 0, NULL, array(float(id % 7), 1F)))) AS s,
        |array(float(id % 7), 1F) AS l FROM range(50)""".stripMargin
    ).write.format("lance").option("column.s.n.v.arrow.fixed-size-list.size", "2").save(path)
    check("l2_distance(s.n.v, array(2, 1))|ASC")
    check("l2_distance(l, array(2, 1))|ASC")
    val e = intercept[Exception] {
      spark.read.format("lance").load(path)
        .orderBy(expr("l2_distance(s.n.v, array(2, 1, 3))")).limit(3)
        .collect()
    }
    val text = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.getMessage)
    assert(text.mkString("\n").contains("different dimensions, 2 and 3"))
  }

  test("a limit of 0 and a null query return the same rows as Spark") {
    write("FLOAT", "float", 4, 50)
    val read = spark.read.format("lance").load(path)
    read.createOrReplaceTempView("few")
    assert(spark.sql("SELECT id FROM few ORDER BY l2_distance(v, array(1,2,3,4)) LIMIT 0")
      .collect().isEmpty)
    val nulls = spark.sql(
      "SELECT l2_distance(v, CAST(NULL AS ARRAY<FLOAT>)) AS d FROM few ORDER BY d LIMIT 3"
    )
    assert(nulls.collect().toSeq == Seq.fill(3)(Row(null)))
  }

  test("rows at one distance are ordered by row id, across fragments and tasks") {
    val r = random
    val at = IndexedSeq.fill(240)(r.nextInt(4))
    var shares = 0
    for (stableRowIds <- Seq(false, true)) {
      val rows = at.zipWithIndex.map { case (d, i) =>
        s"($i, ${if (d == 3) "NULL" else s"array(${d}F, 1F)"})"
      }
      spark.sql(s"SELECT * FROM VALUES ${rows.mkString(", ")} AS t(id, v)").repartition(1)
        .write.format("lance").option("maxRowsPerFile", "50").mode("overwrite")
        .option("enableStableRowIds", stableRowIds.toString)
        .option("column.v.arrow.fixed-size-list.size", "2").save(s"$path$stableRowIds")
      // Moved rows have greater addresses, and keep stable row ids.
      val table = s"lance.`$path$stableRowIds`"
      spark.sql(s"UPDATE $table SET id = id + 1000 WHERE id % 5 = 1")
      spark.sql(s"DELETE FROM $table WHERE id % 7 = 3")
      val view = s"ties_$stableRowIds"
      for (pushed <- Seq(true, false)) {
        spark.read.format("lance").option("pushDownTopN", pushed.toString).option("splitSize", "1")
          .option("batchSize", "16").load(s"$path$stableRowIds").createOrReplaceTempView(view)
        def ids(sql: String): Seq[Int] = spark.sql(sql).collect().toSeq.map(_.getInt(0))
        val cases = for (how <- orders; limit <- Seq(1, 7, 60, 130)) yield (how, limit)
        shares += 1
        for ((how, limit) <- TestRun.share(shares, 8, cases)) withClue(
          s"seed ${TestRun.seed}L, stable row ids $stableRowIds, $how LIMIT $limit: "
        ) {
          val key = s"l2_distance(v, array(0.5F, 1F)) $how"
          val ordered = ids(s"SELECT id FROM $table ORDER BY $key, _rowid")
          val found = spark.sql(s"SELECT id FROM $view ORDER BY $key LIMIT $limit")
          assert(found.columns.toSeq == Seq("id"))
          assert(found.collect().toSeq.map(_.getInt(0)) == ordered.take(limit))
          assert(isPushed(found) == pushed)
          assert(ids(
            s"SELECT id, l2_distance(v, array(0.5F, 1F)) d FROM $view WHERE id > 9 ORDER BY d $how LIMIT $limit"
          ) == ids(s"SELECT id FROM $table WHERE id > 9 ORDER BY $key, _rowid").take(limit))
          assert(ids(s"SELECT id FROM $view ORDER BY $key LIMIT $limit OFFSET 5") ==
            ordered.slice(5, 5 + limit))
        }
      }
      val all = s"SELECT _rowid, * FROM $table ORDER BY l2_distance(v, array(1F, 1F)) LIMIT 2"
      assert(spark.sql(all).columns.toSeq == Seq("_rowid", "id", "v"))
    }
  }
}
