// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.hybrid

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{JobWatch, SharedSpark, TemporaryFolder}

/** The table function `hybrid_search`. */
class HybridSearchSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted

  private def path: String = folder.resolve("t").toString

  private def write(): Unit = {
    spark.sql(
      """SELECT int(id) AS id, concat_ws(' ', IF(id % 3 = 0, 'fox', 'dog'), repeat('x ', int(id % 7))) AS t,
        |  array(float(id), float(id % 5)) AS v, int(id % 10) AS g
        |FROM range(120)""".stripMargin
    ).repartition(1).write.format("lance").option("maxRowsPerFile", "50")
      .option("column.v.arrow.fixed-size-list.size", "2").save(path)
    spark.sql(s"DELETE FROM lance.`$path` WHERE id = 60"): Unit
  }

  private def search(arguments: String*): DataFrame = {
    val all = Seq(s"'$path'", "array(61.0, 2.0)", "'foxes'", "search_columns => 't'") ++ arguments
    spark.sql(s"SELECT * FROM hybrid_search(${all.mkString(", ")})")
  }

  private def ids(function: String, query: String, arguments: String*): Seq[Int] =
    spark.sql(s"SELECT id FROM $function('$path', $query, ${arguments.mkString(", ")})")
      .collect().map(_.getInt(0)).toSeq

  private def relevance(frame: DataFrame): Seq[(Int, Float)] =
    frame.select("id", "_relevance_score").collect().map(r => (r.getInt(0), r.getFloat(1))).toSeq

  private def expected(
      candidates: Int,
      k: Int,
      rrfK: Double,
      filter: String*
  ): Seq[(Int, Float)] = {
    val both = Seq(s"k => $candidates") ++ filter.map(f => s"filter => '$f'")
    val lists = Seq(
      ids("vector_search", "array(61.0, 2.0)", both: _*),
      ids("search", "'foxes'", both :+ "search_columns => 't'": _*)
    )
    lists.flatten.distinct.map { id =>
      (id, lists.map(l => if (l.contains(id)) 1 / (l.indexOf(id) + rrfK) else 0.0).sum.toFloat)
    }.sortBy { case (id, score) => (-score, id) }.take(k)
  }

  test("rows of both searches are merged by their ranks, with distance, score, and relevance") {
    write()
    val all = search("k => 12", "with_row_id => true")
    assert(all.columns.toSeq ==
      Seq("id", "t", "v", "g", "_distance", "_score", "_relevance_score", "_rowid"))
    assert(relevance(all) == expected(12, 12, 60))
    val rows = all.collect()
    assert(rows.exists(_.isNullAt(4)) && rows.exists(_.isNullAt(5)))
    rows.foreach { r =>
      if (!r.isNullAt(4)) {
        val (x, y) = (r.getInt(0) - 61f, r.getInt(0) % 5 - 2f)
        assert(r.getFloat(4) == x * x + y * y)
      }
      if (!r.isNullAt(5)) assert(r.getInt(0) % 3 == 0 && r.getFloat(5) > 0)
    }
    assert(relevance(search("k => 12", "rrf_k => 1.5", "candidates => 30")) == expected(
      30,
      12,
      1.5
    ))
    assert(relevance(search("k => 5", "offset => 4", "candidates => 40")) ==
      expected(40, 9, 60).drop(4))
    assert(relevance(search("k => 9", "filter => 'g < 4'")) == expected(9, 9, 60, "g < 4"))
    assert(relevance(search("k => 4", "columns => 'id'")) == expected(4, 4, 60))
  }

  test("a linear combination weighs both searches") {
    write()
    // The farthest of 5 rows has no relevance, like rows of the full-text search.
    assert(relevance(search("k => 4", "candidates => 5", "weight => 1")).map(_._1) ==
      ids("vector_search", "array(61.0, 2.0)", "k => 4"))
    val texts =
      relevance(search("k => 5", "fusion => 'linear'", "weight => 0", "candidates => 200"))
    assert(texts.map(_._1) == ids("search", "'foxes'", "k => 5", "search_columns => 't'"))
    assert(relevance(search("k => 3", "fusion => 'LINEAR'")).head._2 <= 1f)
  }

  test("a small search runs no job, and its plan shows both searches") {
    write()
    val frame = search("k => 3")
    val numTasks = JobWatch(spark.sparkContext) { watch =>
      watch.run(frame.collect()): Unit
      watch.settled().tasks.length
    }
    assert(numTasks == 0)
    val plan = frame.queryExecution.executedPlan.toString
    Seq(
      "LanceHybridSearch",
      "reciprocal rank fusion",
      "nearest v (l2",
      "full-text search in t"
    ).foreach {
      part => assert(plan.contains(part), plan)
    }
  }

  test("a query of a column with lists of vectors is an array of vectors") {
    spark.sql(
      """SELECT int(id) AS id, IF(id % 2 = 0, 'fox', 'dog') AS t,
        |  array(array(float(id + 1), 1F), array(1F, float(id % 3))) AS v FROM range(20)""".stripMargin
    ).repartition(1).write.format("lance")
      .option("column.v.element.arrow.fixed-size-list.size", "2").save(path)
    val query = "array(array(3.0, 1.0), array(1.0, 2.0))"
    val near = ids("vector_search", query, "k => 4", "metric => 'cosine'")
    val texts = ids("search", "'fox'", "k => 4", "search_columns => 't'")
    val both =
      ids("hybrid_search", query, "'fox'", "k => 4", "metric => 'cosine'", "search_columns => 't'")
    assert(near.length == 4 && both.toSet.subsetOf((near ++ texts).toSet))
    def relevance(id: Int): Double =
      Seq(near, texts).map(l => if (l.contains(id)) 1 / (l.indexOf(id) + 60.0) else 0.0).sum
    assert(both.map(relevance) == (near ++ texts).distinct.map(relevance).sorted.reverse.take(4))
  }

  test("invalid arguments are rejected by name") {
    write()
    def call(arguments: String*): String = intercept[Exception](search(arguments: _*)).getMessage
    def sql(q: String): String =
      intercept[Exception](spark.sql(s"SELECT * FROM hybrid_search('$path', $q)")).getMessage
    assert(sql("array(1.0, 2.0)").contains("query is missing"))
    assert(sql("query => 'fox', search_columns => 't'").contains("query vector is missing"))
    assert(sql("array(1.0, 2.0), 'fox', column => 't'").contains("no argument column"))
    assert(sql("array(array(1.0, 2.0)), 'fox', search_columns => 't'").contains("one query vector"))
    assert(sql("array(1.0), 'fox', search_columns => 't'").contains("1 elements"))
    assert(sql("array(1.0, 2.0), 'fox'").contains("no full-text index"))
    assert(call("rrf_k => 0").contains("rrf_k must be"))
    assert(call("weight => 1.5").contains("weight must be"))
    assert(call("weight => 0.5", "rrf_k => 60").contains("rrf_k is for"))
    assert(call("fusion => 'rrf'", "weight => 0.5").contains("weight is for"))
    assert(call("fusion => 'best'").contains("rrf or linear"))
    assert(call("distance_type => 'manhattan'").contains("manhattan"))
    assert(call("filter => 'nothing = 1'").contains("nothing"))
    assert(call("candidates => 0").contains("candidates must be"))
  }
}
