// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import scala.util.Random

import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder, TestRun}

/** Exact search: `vector_search` and the option `nearest`. */
class NearestSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted

  private val dimension = 5

  private def path: String = folder.resolve("t").toString

  private def vector(r: Random): Seq[Float] =
    if (r.nextInt(9) == 0) null else Seq.fill(dimension)(r.nextInt(6).toFloat)

  private def rows(from: Int, n: Int, r: Random, hasNulls: Boolean = true): DataFrame = {
    val values = (from until from + n).map { id =>
      val v = Option(vector(r)).orElse(
        if (hasNulls) None else Some(Seq(9f, 9f, 9f, 9f, 9f))
      ).fold("NULL")(_.mkString("array(", "F,", "F)"))
      s"($id, $v, ${id % 10})"
    }
    spark.sql(
      s"SELECT id, CAST(v AS ARRAY<FLOAT>) AS v, g FROM VALUES ${values.mkString(",")} AS t(id, v, g)"
    )
  }

  private def write(frame: DataFrame, mode: String, options: (String, String)*): Unit = {
    val size =
      if (mode == "append") Map.empty[String, String]
      else Map("column.v.arrow.fixed-size-list.size" -> dimension.toString)
    frame.repartition(1).write.format("lance").mode(mode).option("maxRowsPerFile", "60")
      .options(size ++ options).save(path)
  }

  /** Ids and distances by sorting all rows. */
  private def expected(
      query: Seq[Float],
      k: Int,
      where: String = "true",
      table: => DataFrame = spark.read.format("lance").load(path)
  ): Seq[(Int, Float)] =
    table.where(where).where("v IS NOT NULL").selectExpr("_rowid", "id", "v").collect()
      .map { r =>
        val d = r.getSeq[Float](2).zip(query).map { case (a, b) => (a - b) * (a - b) }.sum
        (d, r.getLong(0), r.getInt(1))
      }.sortBy(t => (t._1, t._2)).take(k).map(t => (t._3, t._1)).toSeq

  private def found(frame: DataFrame): Seq[(Int, Float)] =
    frame.select("id", "_distance").collect().map(r => (r.getInt(0), r.getFloat(1))).toSeq

  private def array(query: Seq[Float]): String = query.mkString("array(", "F, ", "F)")

  private def search(query: Seq[Float], arguments: String*): DataFrame =
    spark.sql(
      s"SELECT * FROM vector_search(${(Seq(s"'$path'", array(query)) ++ arguments).mkString(", ")})"
    )

  private def option(query: Seq[Float], others: String*): DataFrame = {
    val json = (Seq(s""""column": "v", "q": ${query.mkString(
        "[",
        ",",
        "]"
      )}""") ++ others).mkString("{", ",", "}")
    spark.read.format("lance").option("nearest", json).load(path)
  }

  private def failure(body: => Any): String = intercept[Exception](body).getMessage

  private val query = Seq(1f, 2f, 3f, 2f, 1f)

  for {
    stable <- Seq("false", "true")
    version <- Seq("legacy", "2.0", "2.1", "2.2")
    if version != "legacy" || stable == "false"
  } test(
    s"finds the nearest rows of file version $version, stable row ids $stable, after changes"
  ) {
    val r = new Random(TestRun.seed)
    val hasNulls = version != "legacy"
    write(
      rows(0, 150, r, hasNulls),
      "overwrite",
      "fileVersion" -> version,
      "enableStableRowIds" -> stable
    )
    write(rows(150, 80, r, hasNulls), "append")
    val table = s"lance.`$path`"
    spark.sql(s"DELETE FROM $table WHERE id % 7 = 3")
    spark.sql(s"UPDATE $table SET v = array(1F, 2F, 3F, 2F, 1F) WHERE id IN (11, 200, 60)")
    withClue(s"seed ${TestRun.seed}L: ") {
      for (k <- Seq(1, 10, 1000)) {
        assert(found(search(query, s"$k")) == expected(query, k))
        assert(found(option(query, s""""k": $k""")) == expected(query, k))
      }
      assert(found(search(query, "filter => 'g IN (2, 5)'", "k => 7")) ==
        expected(query, 7, "g IN (2, 5)"))
      // A condition that Spark evaluates.
      assert(found(search(query, "filter => 'length(string(id)) = 2'", "k => 7")) ==
        expected(query, 7, "length(string(id)) = 2"))
      assert(found(search(query, "filter => 'id < 0'")).isEmpty)
      assert(found(search(query, "filter => 'g = 2'", "k => 20", "prefilter => false")) ==
        expected(query, 20).filter(_._1 % 10 == 2))
      assert(found(search(query, "k => 5", "offset => 4")) == expected(query, 9).drop(4))
      val range = expected(query, 1000).filter { case (_, d) => d >= 3 && d < 9 }
      assert(found(search(
        query,
        "k => 12",
        "lower_bound => 3",
        "upper_bound => 9"
      )) == range.take(12))
    }
  }

  test("reads of deleted rows, too many rows, and too large elements are rejected") {
    write(rows(0, 20, new Random(TestRun.seed)), "overwrite")
    val json = """{"column": "v", "q": [1, 2, 3, 2, 1]}"""
    assert(failure(
      spark.read.format("lance").option("nearest", json).option("includeDeletedRows", "true")
        .load(path)
    ).contains("includeDeletedRows"))
    assert(failure(spark.sql(
      s"SELECT * FROM vector_search('$path', '[[1,2,3,2,1],[1,2,3,2,1]]', 10000000)"
    )).contains("2 query vectors with 10000000 rows each"))
    assert(failure(search(Seq(1f, 2f, 3f, 2f), "5")).contains("4 elements"))
    assert(failure(spark.sql(s"SELECT * FROM vector_search('$path', '[1e300,2,3,2,1]')"))
      .contains("out of the range of the column's"))
  }

  test("rows are ordered by distance, and columns are selected by name, also in structs") {
    val r = new Random(TestRun.seed)
    write(
      rows(0, 100, r).selectExpr("id", "v", "g", "named_struct('a', id * 2, 'b', 'x' || id) AS s"),
      "overwrite"
    )
    val all = search(query, "k => 20", "with_row_id => true")
    assert(all.columns.toSeq == Seq("id", "v", "g", "s", "_distance", "_rowid"))
    val ids = spark.read.format("lance").load(path).select("id", "_rowid").collect()
      .map(r => r.getInt(0) -> r.getLong(1)).toMap
    all.collect().foreach { row =>
      assert(row.getStruct(3) == Row(row.getInt(0) * 2, s"x${row.getInt(0)}"))
      assert(row.getLong(5) == ids(row.getInt(0)))
    }
    assert(all.select("_distance").collect().map(_.getFloat(0)).toSeq == expected(
      query,
      20
    ).map(_._2))
    val some = search(query, "k => 3", "columns => array('s.b', 'id')")
    assert(some.columns.toSeq == Seq("b", "id", "_distance"))
    assert(some.collect().map(_.getInt(1)).toSeq == expected(query, 3).map(_._1))
    assert(search(query, "k => 3", "columns => 'id'").columns.toSeq == Seq("id", "_distance"))
    assert(search(query, "k => 3").count() == 3)
    assert(search(query, "k => 9").where("id % 2 = 0").collect().map(_.getInt(0)).toSet ==
      expected(query, 9).map(_._1).filter(_ % 2 == 0).toSet)
    val joined = search(query, "k => 4").as("n").join(
      spark.read.format("lance").load(path).as("t"),
      "id"
    )
    assert(joined.count() == 4)
    assert(spark.sql(
      s"SELECT * FROM range(100) WHERE id IN (SELECT id FROM vector_search('$path', ${array(query)}, 6))"
    ).count() == 6)
  }

  test("several query vectors are a batch, whose rows have the number of the query") {
    val r = new Random(TestRun.seed)
    write(rows(0, 130, r), "overwrite")
    val queries = Seq.fill(4)(Seq.fill(dimension)(r.nextInt(6).toFloat)) :+ query :+ query
    val sql = queries.map(array).mkString("array(", ", ", ")")
    val batch = spark.sql(s"SELECT * FROM vector_search('$path', $sql, 8, filter => 'g <> 4')")
    assert(batch.columns.head == "query_index")
    val rows1 = batch.select("query_index", "id", "_distance").collect()
    queries.zipWithIndex.foreach { case (q, i) =>
      val mine = rows1.filter(_.getInt(0) == i).map(r => (r.getInt(1), r.getFloat(2))).toSeq
      assert(mine == expected(q, 8, "g <> 4"), s"seed ${TestRun.seed}L, query $i")
    }
    assert(rows1.map(_.getInt(0)).toSeq == rows1.map(_.getInt(0)).toSeq.sorted)
  }

  test("other metrics, and a query of text") {
    write(rows(0, 60, new Random(TestRun.seed)), "overwrite")
    for (
      (metric, function) <- Seq(
        "cosine" -> "cosine_distance(v, q)",
        "dot" -> "1 - dot_product(v, q)",
        "L2" -> "l2_distance(v, q)",
        "euclidean" -> "l2_distance(v, q)"
      )
    ) {
      val text = query.mkString("[", ",", "]")
      val near = spark.sql(
        s"""SELECT _distance AS d, float($function) AS e
           |FROM (SELECT *, ${array(
            query
          )} AS q FROM vector_search('$path', '$text', distance_type => '$metric', k => 9))""".stripMargin
      ).collect()
      assert(near.length == 9)
      near.foreach { r =>
        val (d, e) = (r.getFloat(0), r.getFloat(1))
        assert(d.isNaN && e.isNaN || math.abs(d - e) <= 1e-5)
      }
    }
  }

  test("versions, tags, and branches are searched") {
    val r = new Random(TestRun.seed)
    write(rows(0, 50, r), "overwrite")
    spark.sql(s"ALTER TABLE lance.`$path` CREATE TAG first")
    spark.sql(s"ALTER TABLE lance.`$path` CREATE BRANCH side")
    write(rows(50, 50, r), "append")
    def at(options: (String, String)*) =
      spark.read.format("lance").options(options.toMap).load(path)
    assert(found(search(query, "version => 1")) == expected(
      query,
      10,
      table = at("version" -> "1")
    ))
    assert(found(search(query, "tag => 'first'")) == expected(
      query,
      10,
      table = at("version" -> "1")
    ))
    spark.sql(s"DELETE FROM lance.`$path`.branch_side WHERE id < 20")
    assert(found(search(query, "branch => 'side'")) ==
      expected(query, 10, table = at("branch" -> "side")))
    val json = s"""{"q": ${query.mkString("[", ",", "]")}, "column": "v"}"""
    assert(found(at("nearest" -> json, "version" -> "1")) ==
      expected(query, 10, table = at("version" -> "1")))
    assert(found(search(query)) == expected(query, 10))
  }

  test("a table of a catalog is searched by its name, with vectors in a struct") {
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.near")
    spark.sql("DROP TABLE IF EXISTS lake.near.named")
    spark.sql(
      """CREATE TABLE lake.near.named (id INT, s STRUCT<`a.b`: ARRAY<FLOAT>>)
        |TBLPROPERTIES ('column.s.`a.b`.arrow.fixed-size-list.size' = '2')""".stripMargin
    )
    spark.sql(
      """INSERT INTO lake.near.named SELECT id, named_struct('a.b', array(float(id), 0F)) FROM range(20)"""
    )
    val near = spark.sql(
      "SELECT id FROM vector_search('lake.near.named', array(7.2, 0), 2, vector_column => 's.`a.b`')"
    )
    assert(near.collect().map(_.getInt(0)).toSeq == Seq(7, 8))
    spark.sql("USE lake.near")
    try assert(spark.sql("SELECT id FROM vector_search('named', array(7.2, 0), 2)").count() == 2)
    finally spark.sql("USE spark_catalog.default"): Unit
  }

  test("invalid arguments are rejected by name before a job runs") {
    write(rows(0, 20, new Random(1)), "overwrite")
    def call(arguments: String*): String = failure(search(query, arguments: _*))
    assert(failure(search(Seq(1f, 2f))).contains("query vector has 2 elements"))
    assert(failure(search(Seq(1f, 2f))).contains("column v have 5"))
    assert(call("vector_column => 'w'").contains("no column w"))
    assert(
      call("vector_column => 'id'").contains("column id is not a vector column: its type is int32")
    )
    assert(call("distance_type => 'manhattan'").contains("manhattan"))
    assert(call("distance_type => 'hamming'").contains("hamming"))
    assert(call("k => 0").contains("k must be"))
    assert(call("nprobs => 3").contains("no argument nprobs"))
    assert(call("k => 3", "limit => 4").contains("given twice"))
    assert(call("fast_search => true").contains("fast_search"))
    assert(call("minimum_nprobes => 5", "maximum_nprobes => 2").contains("minimum_nprobes"))
    assert(call("approx_mode => 'best'").contains("approx_mode"))
    assert(call("offset => -1").contains("offset"))
    assert(call("filter => 'nothing = 1'").contains("nothing"))
    assert(call("filter => 'id ='").contains("syntax error") || call(
      "filter => 'id ='"
    ).contains("SYNTAX"))
    def sql(q: String) = failure(spark.sql(s"SELECT * FROM vector_search($q)"))
    assert(sql(s"'$path', NULL").contains("missing or null"))
    assert(sql(s"'$path', array(1F, NULL, 1F, 1F, 1F)").contains("null at position 1"))
    assert(sql(s"'$path', array(1F, float('NaN'), 1F, 1F, 1F)").contains("NaN at position 1"))
    assert(sql(s"'${path}x', array(1F)").contains("does not exist") || sql(
      s"'${path}x', array(1F)"
    ).contains("PATH_NOT_FOUND"))
    assert(sql(s"'$path', array(rand(), 1F)").contains("not constant"))
    assert(failure(option(query, "\"nprobs\": 2")).contains("no argument nprobs"))
    assert(failure(spark.read.format("lance").option(
      "nearest",
      "[1]"
    ).load(path)).contains("object"))
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.near")
    spark.sql("CREATE TABLE IF NOT EXISTS lake.near.plain (id INT)")
    assert(failure(spark.read.option("nearest", "{}").table("lake.near.plain").collect())
      .contains("vector_search"))
    assert(sql("'lake.near.plain', array(1F)").contains("the table has no vector column"))
  }

  test("the plan shows the column, the metric, and the filter") {
    write(rows(0, 20, new Random(1)), "overwrite")
    val near = search(query, "k => 3", "filter => 'g = 1'")
    val text = near.queryExecution.executedPlan.toString
    assert(text.contains("nearest v (l2, k 3, exact)") && text.contains("prefilter g = 1"))
  }

  private def named(name: String, first: Int): Unit = {
    spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.near")
    spark.sql(s"DROP TABLE IF EXISTS lake.near.$name")
    spark.sql(
      s"""CREATE TABLE lake.near.$name (id INT, v ARRAY<FLOAT>)
         |TBLPROPERTIES ('column.v.arrow.fixed-size-list.size' = '2')""".stripMargin
    )
    spark.sql(
      s"INSERT INTO lake.near.$name SELECT id, array(float(id), 0F) FROM range($first, $first + 20)"
    ): Unit
  }

  test("names in views and their filters are resolved where the view was created") {
    named("viewed", 0)
    spark.sql("USE lake.near")
    try {
      spark.sql(
        """CREATE OR REPLACE TEMPORARY VIEW nearest_viewed AS
          |SELECT id FROM vector_search('viewed', array(7.2, 0), 2,
          |  filter => 'id IN (SELECT id + 1 FROM viewed)')""".stripMargin
      )
      spark.sql(
        """CREATE OR REPLACE TEMPORARY VIEW changes_viewed AS
          |SELECT id FROM lance_changes('viewed', 2)""".stripMargin
      )
    } finally spark.sql("USE spark_catalog.default"): Unit
    try {
      val found = spark.sql("SELECT * FROM nearest_viewed").collect().map(_.getInt(0)).toSeq
      assert(found == Seq(7, 8))
      assert(spark.sql("SELECT * FROM changes_viewed").count() == 20)
    } finally Seq("nearest_viewed", "changes_viewed").foreach(v => spark.sql(s"DROP VIEW $v"))
  }

  test("a cached search is not used for a table that was dropped and created again") {
    named("again", 0)
    def near = spark.sql("SELECT id FROM vector_search('lake.near.again', array(105, 0), 1)")
    val cached = near.cache()
    try {
      assert(cached.collect().map(_.getInt(0)).toSeq == Seq(19))
      named("again", 100)
      assert(near.collect().map(_.getInt(0)).toSeq == Seq(105))
    } finally cached.unpersist(): Unit
  }

  test("the relation has the name of the table") {
    named("authorized", 0)
    val plan = spark.sql("SELECT * FROM vector_search('lake.near.authorized', array(1, 0), 1)")
      .queryExecution.analyzed
    val relation = plan.collectFirst { case r: DataSourceV2Relation => r }.get
    assert(relation.catalog.map(_.name()).contains("lake"))
    assert(relation.identifier.map(_.toString).contains("near.authorized"))
    spark.sql("INSERT INTO lake.near.authorized VALUES (500, array(1F, 0F))")
    assert(spark.sql("SELECT * FROM vector_search('lake.near.authorized', array(1, 0), 2)")
      .collect().map(_.getInt(0)).toSet == Set(1, 500))
  }

  test("many rows are filtered after the search") {
    spark.sql("SELECT id, array(float(id), 0F) AS v FROM range(3000)").write.format("lance")
      .mode("overwrite").option("column.v.arrow.fixed-size-list.size", "2").save(path)
    val rows = spark.sql(
      s"SELECT id FROM vector_search('$path', array(0, 0), 2000, filter => 'id % 500 = 1', prefilter => false)"
    )
    assert(rows.collect().map(_.getLong(0)).toSeq == Seq(1L, 501L, 1001L, 1501L))
  }
}
