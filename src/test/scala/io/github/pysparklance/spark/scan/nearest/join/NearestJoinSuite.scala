// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest.join

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions.{
  IsNotNull,
  LateralSubquery,
  LessThan,
  Literal
}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LateralJoin, LogicalPlan}
import org.apache.spark.sql.execution.datasources.v2.{
  DataSourceV2Relation,
  DataSourceV2ScanRelation
}
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{
  SharedSpark,
  SparkLine,
  TemporaryFolder,
  TestRun,
  VectorCase,
  VectorFixtures
}

/** Lateral joins with `vector_search`, compared with single searches. */
class NearestJoinSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted

  private def path: String = folder.resolve("t").toString

  /** Runs `body` with a left side that is collected, and again with one that is not. */
  private def bothWays(body: => Any): Unit = Seq("10MB", "-1").foreach { threshold =>
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", threshold)
    try withClue(s"threshold $threshold: ")(body): Unit
    finally spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
  }

  private def queries(vectors: Seq[Seq[Double]], name: String = "queries"): Unit = {
    val rows = vectors.zipWithIndex.map { case (v, i) =>
      s"($i, ${if (v == null) "NULL" else v.map(e => s"double('$e')").mkString("array(", ", ", ")")})"
    }
    spark.sql(
      s"SELECT CAST(i AS INT) AS i, CAST(vec AS ARRAY<DOUBLE>) AS vec FROM VALUES ${rows.mkString(", ")} AS t(i, vec)"
    ).repartition(3).createOrReplaceTempView(name)
  }

  private def found(frame: DataFrame): Seq[(Int, Long, Float)] =
    frame.select("i", "id", "_distance").collect().map(r =>
      (r.getInt(0), r.getAs[Number](1).longValue, r.getFloat(2))
    ).toSeq.sortBy(t => (t._1, t._3, t._2))

  private def single(table: String, q: Seq[Double], i: Int, arguments: String) =
    spark.sql(
      s"SELECT $i AS i, id, _distance FROM vector_search('$table', '${q.mkString("[", ",", "]")}', $arguments)"
    )

  private def singles(
      table: String,
      vectors: Seq[Seq[Double]],
      arguments: String
  ): Seq[(Int, Long, Float)] = vectors.zipWithIndex.filter(_._1 != null).flatMap { case (q, i) =>
    found(single(table, q, i, arguments))
  }

  private def lateral(table: String, arguments: String): DataFrame =
    spark.sql(
      s"SELECT i, n.id, n._distance FROM queries q, LATERAL vector_search('$table', q.vec, $arguments) n"
    )

  private val cases = VectorFixtures.kept.filterNot(_.family.endsWith("multi"))

  private def vectorsOf(c: VectorCase): Seq[Seq[Double]] = {
    val recorded = c.queries.map(_.vectors.head.toSeq)
    val moved = recorded.map(v => v.map(e => if (c.metric == "hamming") e else e * 0.75 + 0.125))
    (recorded ++ moved).distinct
  }

  private val argumentLists = Seq(
    "k => 7, vector_column => 'v'",
    "k => 5, vector_column => 'v', nprobes => 2, refine_factor => 3",
    "k => 40, vector_column => 'v', nprobes => 1000, filter => 'id % 3 = 0'",
    "k => 9, vector_column => 'v', use_index => false",
    "k => 6, offset => 2, vector_column => 'v', filter => 'id % 5 < 3', prefilter => false"
  )

  // A short run takes some of the tables, with two of the lists for each table, and other ones for
  // the next table.
  TestRun.sample(4, cases.zipWithIndex).foreach { case (c, number) =>
    test(s"${c.name}: a join finds the same rows as separate searches") {
      val table = c.path.toAbsolutePath.toString
      val vectors = vectorsOf(c)
      queries(vectors)
      // With several queries, RQ skips other vectors by the error bounds of its codes.
      val isExact = c.family != "ivf_rq"
      for (
        (arguments, i) <- argumentLists.zipWithIndex
        if TestRun.isLong || (i + 3 * number) % 5 < 2
      ) bothWays {
        val (ours, theirs) = (found(lateral(table, arguments)), singles(table, vectors, arguments))
        withClue(s"$arguments: ") {
          if (isExact) assert(ours == theirs)
          else assert(ours.toSet.intersect(theirs.toSet).size >= theirs.size * 9 / 10)
        }
      }
    }
  }

  test("tasks search a large batch, and find the same rows as separate searches") {
    val c = cases.find(_.family == "ivf_sq").get
    val table = c.path.toAbsolutePath.toString
    val r = new Random(TestRun.seed)
    val vectors = Seq.fill(80)(Seq.fill(8)(r.nextGaussian()))
    val sql = vectors.map(_.mkString("[", ",", "]")).mkString("[", ",", "]")
    val batch = spark.sql(
      s"SELECT query_index AS i, id, _distance FROM vector_search('$table', '$sql', 4, vector_column => 'v')"
    )
    assert(found(batch) == singles(table, vectors, "k => 4, vector_column => 'v'"))
    queries(vectors)
    bothWays {
      assert(found(lateral(table, "k => 4, vector_column => 'v'")) == found(batch))
    }
  }

  private def write(n: Int, stable: Boolean = false): Unit =
    spark.sql(
      s"""SELECT id, IF(id < 0, NULL, array(float(id % 17), float(id % 5), float(id))) AS v, 'x' || id AS name
         |FROM range($n)""".stripMargin
    ).repartition(1).write.format("lance").mode("overwrite").option("maxRowsPerFile", "40")
      .option("enableStableRowIds", stable.toString)
      .option("column.v.arrow.fixed-size-list.size", "3").save(path)

  for (stable <- Seq(false, true))
    test(s"tables without an index, after changes, stable row ids $stable") {
      write(130, stable)
      spark.sql(s"DELETE FROM lance.`$path` WHERE id % 7 = 3")
      spark.sql(s"UPDATE lance.`$path` SET v = array(1F, 2F, 3F) WHERE id IN (4, 50, 121)")
      spark.sql(s"UPDATE lance.`$path` SET v = NULL WHERE id IN (5, 51)")
      val vectors = Seq(Seq(1.0, 2.0, 3.0), null, Seq(5.0, 1.0, 60.0), Seq(0.0, 0.0, 0.0))
      queries(vectors)
      bothWays {
        for (a <- Seq("4", "300", "6, filter => 'id % 2 = 0'", "6, filter => \"length(name) = 3\""))
          assert(found(lateral(path, a)) == singles(path, vectors, a), a)
      }
    }

  test("all columns, computed columns, filters, and conditions around the call") {
    write(60)
    queries(Seq(Seq(1.0, 2.0, 3.0), null, Seq(5.0, 1.0, 40.0)))
    bothWays {
      val all = spark.sql(
        s"SELECT * FROM queries q JOIN LATERAL vector_search('$path', q.vec, 2, with_row_id => true)"
      )
      assert(all.columns.toSeq == Seq("i", "vec", "id", "v", "name", "_distance", "_rowid"))
      assert(all.count() == 4)
      all.collect().foreach { r =>
        assert(r.getString(4) == s"x${r.getLong(2)}")
        val d = r.getSeq[Float](3).zip(r.getSeq[Double](1)).map { case (a, b) => (a - b) * (a - b) }
        assert(math.abs(d.sum - r.getFloat(5)) < 1e-4)
      }
      val inner = spark.sql(
        s"""SELECT i, twice, d FROM queries q, LATERAL (
           |  SELECT id * 2 + q.i AS twice, _distance AS d
           |  FROM vector_search('$path', q.vec, k => 5, columns => array('id')) WHERE id % 2 = q.i % 2
           |) n WHERE i < 9""".stripMargin
      )
      val outside = spark.sql(
        s"""SELECT i, n.id * 2 + i AS twice, n._distance AS d
           |FROM queries q JOIN LATERAL vector_search('$path', q.vec, k => 5) n ON n.id % 2 = i % 2""".stripMargin
      )
      assert(inner.collect().toSet == outside.collect().toSet && inner.count() > 0)
      val grouped = spark.sql(
        s"""SELECT i, count(*), min(n.id) FROM queries q, LATERAL vector_search('$path', vec, 3) n
           |GROUP BY i ORDER BY i""".stripMargin
      )
      assert(grouped.collect().map(r => (r.getInt(0), r.getLong(1))).toSeq == Seq((0, 3L), (2, 3L)))
    }
  }

  test("a left join keeps rows without neighbors") {
    write(60)
    queries(Seq(Seq(1.0, 2.0, 3.0), null))
    bothWays {
      val rows = spark.sql(
        s"""SELECT i, n.id, n._distance FROM queries q
           |LEFT JOIN LATERAL (SELECT id, _distance FROM vector_search('$path', q.vec, 2)) n ON true""".stripMargin
      ).collect()
      assert(rows.length == 3)
      assert(rows.filter(_.getInt(0) == 1).toSeq == Seq(Row(1, null, null)))
    }
  }

  test("a join can be joined with itself, cached, and used in a view") {
    write(60)
    queries(Seq(Seq(1.0, 2.0, 3.0), Seq(5.0, 1.0, 40.0)))
    val near = lateral(path, "3")
    assert(near.as("a").join(near.as("b"), "i").count() == 18)
    near.createOrReplaceTempView("near")
    assert(spark.sql("SELECT * FROM near a JOIN near b ON a.id = b.id").count() ==
      near.select("id").as("a").join(near.select("id").as("b"), "id").count())
    val cached = lateral(path, "3").cache()
    try assert(found(cached) == found(near) && found(cached) == found(near))
    finally cached.unpersist(): Unit
  }

  test("the plan shows the search, and reads only the columns that are used") {
    write(60)
    queries(Seq(Seq(1.0, 2.0, 3.0)))
    val plan = lateral(path, "3, filter => 'id > 5'").queryExecution.executedPlan.toString
    assert(plan.contains("LanceNearestJoin") && plan.contains("nearest v (l2, k 3, exact)"), plan)
    assert(plan.contains("prefilter id > 5") && !plan.contains("name#"), plan)
  }

  test("joins with other columns are other plans") {
    spark.sql(
      "SELECT id, 'x' || id AS a, 'y' || id AS b, array(float(id), 1F, 2F) AS v FROM range(20)"
    ).write.format("lance").mode("overwrite").option("column.v.arrow.fixed-size-list.size", "3")
      .save(path)
    spark.sql(
      "SELECT * FROM VALUES (0, array(1D, 2D, 3D)), (1, array(9D, 1D, 40D)) AS t(i, vec)"
    ).createOrReplaceTempView("queries")
    // Two calls, because Spark renames the columns of a common table expression that is used twice.
    val near = s"FROM queries q, LATERAL vector_search('$path', q.vec, 1) n"
    def both(first: String, second: String): DataFrame = spark.sql(
      s"SELECT DISTINCT i, n.$first $near UNION ALL SELECT DISTINCT i, n.$second $near"
    )
    def rows(frame: DataFrame): Seq[(Int, String)] =
      frame.collect().map(r => (r.getInt(0), r.getString(1))).toSeq.sorted
    bothWays {
      val different = both("a", "b")
      val joins = different.queryExecution.sparkPlan.collect { case join: NearestJoinExec => join }
      assert(joins.length == 2 && !joins.head.sameResult(joins.last))
      assert(rows(different) == Seq((0, "x1"), (0, "y1"), (1, "x9"), (1, "y9")))
      assert(rows(both("a", "a")) == Seq((0, "x1"), (0, "x1"), (1, "x9"), (1, "x9")))
      val joined = spark.sql(
        s"""WITH r AS (SELECT q.i, n.* FROM queries q, LATERAL vector_search('$path', q.vec, 1) n)
           |SELECT r.i, r.a || s.b FROM r JOIN r s ON r.i = s.i""".stripMargin
      )
      assert(rows(joined) == Seq((0, "x1y1"), (1, "x9y9")))
    }
  }

  test("computed columns of a left join are null in rows without neighbors") {
    write(60)
    queries(Seq(Seq(1.0, 2.0, 3.0), null))
    bothWays {
      val rows = spark.sql(
        s"""SELECT i, twice, text, j FROM queries q LEFT JOIN LATERAL (
           |  SELECT once * 2 AS twice, text, q.i AS j
           |  FROM (SELECT id AS once, coalesce(name, 'none') || q.i AS text FROM vector_search('$path', q.vec, 2))
           |) n ON true""".stripMargin
      ).collect()
      assert(rows.length == 3)
      assert(rows.filter(_.getInt(0) == 1).toSeq == Seq(Row(1, null, null, null)))
      rows.filter(_.getInt(0) == 0).foreach { r =>
        assert(r.getString(2) == s"x${r.getLong(1) / 2}0" && r.getInt(3) == 0)
      }
    }
  }

  test("the estimated size of a join counts all rows and columns") {
    spark.sql("SELECT id, array(float(id), 1F, 2F) AS v, sha2(string(id), 512) AS t FROM range(20)")
      .write.format("lance").mode("overwrite").option("column.v.arrow.fixed-size-list.size", "3")
      .save(path)
    queries(Seq(Seq(1.0, 2.0, 3.0), Seq(9.0, 1.0, 40.0)))
    def join(column: String): NearestJoin = spark.sql(
      s"SELECT i, n.$column FROM queries q, LATERAL vector_search('$path', q.vec, 7) n"
    ).queryExecution.optimizedPlan.collectFirst { case j: NearestJoin => j }.get
    val (narrow, wide) = (join("id"), join("t"))
    assert(narrow.stats.sizeInBytes > narrow.left.stats.sizeInBytes * 4)
    assert(wide.stats.sizeInBytes > narrow.stats.sizeInBytes)
    assert(wide.search.rowBytes(wide.columns) > narrow.search.rowBytes(narrow.columns))
  }

  test("the rows that a task reads together are limited by their size") {
    def rowsAtATime(rowBytes: Long): Long =
      new JoinWork(null, null, null, null, null, rowBytes).rowsAtATime
    assert(rowsAtATime(1) == 8192 && rowsAtATime(1L << 20) == 64 && rowsAtATime(1L << 40) == 1)
  }

  test("many queries with many rows each are searched in groups") {
    write(10)
    val numQueries = 4200
    spark.range(numQueries.toLong)
      .selectExpr("int(id) AS i", "array(double(id), 1D, 2D) AS vec").coalesce(1)
      .createOrReplaceTempView("queries")
    bothWays {
      assert(lateral(path, "k => 5000").count() == numQueries * 10L)
      assert(lateral(path, "k => 1, offset => 5000").count() == 0)
      assert(lateral(path, "k => 1, offset => 4000").count() == 0)
    }
  }

  private def tables(plan: LogicalPlan): Seq[String] = plan.collect {
    case r: DataSourceV2Relation => r.identifier
    case r: DataSourceV2ScanRelation => r.relation.identifier
  }.flatten.map(_.name())

  test("authorization finds the table in the plan, and its filters are not ignored") {
    write(60)
    queries(Seq(Seq(1.0, 2.0, 3.0)))
    val execution = lateral(path, "3").queryExecution
    assert(tables(execution.analyzed) == Seq(path))
    assert(tables(execution.optimizedPlan) == Seq(path))
    val join = execution.analyzed.collectFirst { case j: NearestJoin => j }.get
    val filtered = Filter(Literal.TrueLiteral, join.right)
    val call = NearestCall(filtered, join.queries, join.search, join.found)
    val plan = LateralJoin(join.left, LateralSubquery(call), Inner, None)
    assert(failure(NearestJoins.Lateral(plan)).contains("row filter"))
    // a rule that runs later
    assert(failure(NearestJoins.Strategy(join.copy(right = filtered))).contains("row filter"))
    // a rule of the optimizer, whose filter Spark pushes into the scan, or evaluates
    val column = join.right.output.map(a => a.name -> a).toMap
    for (
      condition <- Seq(
        LessThan(column("id"), Literal(10L)),
        IsNotNull(column("v")),
        Literal.FalseLiteral
      )
    ) {
      val plan =
        spark.sessionState.optimizer.execute(join.copy(right = Filter(condition, join.right)))
      val optimized = plan.collectFirst { case j: NearestJoin => j }.get
      assert(failure(NearestJoins.Strategy(optimized)).contains("row filter"), condition)
    }
  }

  test("tables with columns of the types CHAR and VARCHAR are joined") {
    spark.sql(
      s"CREATE TABLE lance.`$path` (id BIGINT, c CHAR(3), d VARCHAR(3), v ARRAY<FLOAT>) " +
        "TBLPROPERTIES ('column.v.arrow.fixed-size-list.size' = '2')"
    )
    spark.sql(
      s"INSERT INTO lance.`$path` VALUES (1, 'a', 'a', array(1F, 2F)), (2, 'bb', 'bb', array(5F, 6F))"
    )
    queries(Seq(Seq(1.0, 2.0), Seq(5.0, 6.0)))
    val joined = spark.sql(
      s"SELECT i, n.id, n.c, n.d FROM queries q, LATERAL vector_search('$path', q.vec, 1) n"
    )
    assert(joined.collect().toSet == Set(Row(0, 1L, "a  ", "a"), Row(1, 2L, "bb ", "bb")))
  }

  private def failure(body: => Any): String = {
    val e = intercept[Exception](body)
    Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString("; ")
  }

  test("invalid queries and unsupported shapes are rejected by name") {
    write(60)
    def of(vectors: Seq[Double]*)(arguments: String): String = {
      queries(vectors)
      failure(lateral(path, arguments).collect())
    }
    assert(of(Seq(1.0, 2.0))("3").contains("the query vector has 2 elements"))
    assert(of(Seq(1.0, Double.NaN, 2.0))("3").contains("NaN at position 1"))
    assert(of(Seq(1.0, 1.0, 2.0))("3, fast_search => true").contains("requires a vector index"))
    assert(of(Seq(1.0, 1.0, 2.0))("3, distance_type => 'hamming'").contains("hamming"))
    assert(of(Seq(1.0, 1.0, 2.0))("3, filter => 'nothing = 1'").contains("nothing"))
    assert(of(Seq(1.0, 1.0, 2.0))("q.i").contains("not constant"))
    def sql(text: String) = failure(spark.sql(text).collect())
    assert(sql(s"SELECT * FROM queries q, LATERAL vector_search('$path', q.i, 3)")
      .contains("arrays of numbers are expected"))
    assert(sql(
      s"SELECT * FROM queries q, LATERAL (SELECT max(id) FROM vector_search('$path', q.vec, 3))"
    ).contains("around vector_search"))
    assert(sql(
      s"SELECT * FROM queries q LEFT JOIN LATERAL vector_search('$path', q.vec, 3) n ON n.id > 3"
    ).contains("LEFT JOIN LATERAL"))
    assert(sql(
      s"SELECT * FROM (SELECT array(1F, NULL, 2F) AS vec) q, LATERAL vector_search('$path', q.vec, 3)"
    ).contains("null at position 1"))
    def call(vector: String) = s"SELECT id FROM vector_search('$path', $vector, 1)"
    Seq(
      s"SELECT i, (${call("q.vec")}) AS id FROM queries q",
      s"SELECT i, 1 + (SELECT max(id) FROM (${call("q.vec")})) AS id FROM queries q",
      s"SELECT i FROM queries q WHERE i IN (${call("q.vec")})",
      s"SELECT i FROM queries q WHERE NOT EXISTS (${call("q.vec")} AS n WHERE n.id = 3)"
    ).foreach { text =>
      val problem = sql(text)
      assert(problem.contains("scalar, IN, or EXISTS subquery: use a lateral join"), problem)
    }
    queries(Seq(Seq(1.0, 1.0, 2.0)))
    val constant = call("array(1F, 1F, 2F)")
    assert(
      spark.sql(s"SELECT i, ($constant) AS id FROM queries q WHERE EXISTS ($constant)").count() == 1
    )
    // A subquery with a lateral join of its own.
    assert(spark.sql(
      s"SELECT (SELECT count(*) FROM queries q, LATERAL vector_search('$path', q.vec, 2)) AS n"
    ).collect().toSeq == Seq(Row(2L)))
  }

  test("a query without vectors is rejected by name") {
    val table = VectorFixtures.kept.find(_.family.endsWith("multi")).get.path.toAbsolutePath
    bothWays {
      val problem = failure(
        spark.sql(
          s"""SELECT n.id FROM (SELECT CAST(array() AS ARRAY<ARRAY<DOUBLE>>) AS vec) q,
             |LATERAL vector_search('$table', q.vec, 3, vector_column => 'v') n""".stripMargin
        ).collect()
      )
      assert(problem.contains("a query has no vectors"), problem)
    }
  }

  if (SparkLine.isFrom("4.2")) test("NEAREST BY of Spark is planned as a join") {
    val table = folder.resolve("t").toString
    write(90)
    val vectors = Seq(Seq(1.0, 2.0, 3.0), Seq(5.0, 1.0, 40.0))
    queries(vectors)
    for (
      (function, direction, metric) <- Seq(
        ("vector_l2_distance", "DISTANCE", "l2"),
        ("vector_cosine_similarity", "SIMILARITY", "cosine"),
        ("vector_inner_product", "SIMILARITY", "dot"),
        ("l2_distance", "DISTANCE", "l2")
      );
      mode <- Seq("APPROX", "EXACT")
    ) {
      val near = spark.sql(
        s"""SELECT i, t.id FROM (SELECT i, CAST(vec AS ARRAY<FLOAT>) AS vec FROM queries) q
           |JOIN lance.`$table` t $mode NEAREST 3 BY $direction $function(t.v, q.vec)""".stripMargin
      )
      val plan = near.queryExecution.executedPlan.toString
      assert(plan.contains("LanceNearestJoin") && plan.contains(s"($metric, k 3"), plan)
      val wanted = singles(table, vectors, s"3, distance_type => '$metric'")
      assert(near.collect().map(r => (r.getInt(0), r.getLong(1))).toSet ==
        wanted.map(w => (w._1, w._2)).toSet)
    }
  }

  if (SparkLine.isFrom("4.2")) test("APPROX NEAREST uses the index, and EXACT NEAREST does not") {
    val c = cases.find(_.name.contains("ivf_sq-dot")).get
    val table = c.path.toAbsolutePath.toString
    val vectors = vectorsOf(c).take(3)
    queries(vectors)
    for ((mode, plan) <- Seq("APPROX" -> "(dot, k 4, index", "EXACT" -> "(dot, k 4, exact")) {
      val near = spark.sql(
        s"""SELECT i, t.id FROM (SELECT i, CAST(vec AS ARRAY<FLOAT>) AS vec FROM queries) q
           |JOIN lance.`$table` t $mode NEAREST 4 BY SIMILARITY vector_inner_product(t.v, q.vec)""".stripMargin
      )
      assert(near.queryExecution.executedPlan.toString.contains(plan))
      assert(tables(near.queryExecution.optimizedPlan) == Seq(table))
      val arguments =
        s"4, vector_column => 'v', distance_type => 'dot', use_index => ${mode == "APPROX"}"
      val wanted = singles(table, vectors, arguments)
      assert(near.collect().map(r => (r.getInt(0), r.getAs[Number](1).longValue)).toSet ==
        wanted.map(w => (w._1, w._2)).toSet)
    }
  }

  /** Rows and queries with NaN, nulls, and zeros. */
  private val unusual =
    """VALUES (0, array(1D, 2D)), (1, array(2D, 1.5D)), (2, array(double('NaN'), 1D)),
      |(3, array(0D, 0D)), (4, NULL), (5, array(5D, -1D)), (6, array(-1D, -1D)),
      |(7, array(double('NaN'), 0D))""".stripMargin

  private def writeUnusual(): Unit = {
    spark.sql(s"SELECT id, CAST(v AS ARRAY<FLOAT>) AS v FROM $unusual AS t(id, v)")
      .repartition(1).write.format("lance").option("maxRowsPerFile", "3")
      .option("column.v.arrow.fixed-size-list.size", "2").save(path)
    spark.read.format("lance").load(path).localCheckpoint().createOrReplaceTempView("copied")
    spark.sql(
      """SELECT i, CAST(vec AS ARRAY<FLOAT>) AS vec FROM VALUES (0, array(1D, 1D)), (1, array(0D, 0D)),
        |(2, array(double('NaN'), 1D)), (3, array(1D, NULL)), (4, NULL) AS t(i, vec)""".stripMargin
    ).createOrReplaceTempView("queries")
  }

  /** The rows that each query finds; none for left rows without neighbors. */
  private def nearestBy(
      table: String,
      mode: String,
      k: Int,
      ranking: String
  ): Map[Int, Set[Int]] = {
    val near = spark.sql(
      s"SELECT i, t.id FROM queries q LEFT JOIN $table t $mode NEAREST $k BY $ranking(t.v, q.vec)"
    )
    val isOurs = near.queryExecution.executedPlan.toString.contains("LanceNearestJoin")
    assert(isOurs == (table != "copied"), near.queryExecution.executedPlan)
    near.collect().groupBy(_.getInt(0)).map { case (i, rows) =>
      i -> rows.filterNot(_.isNullAt(1)).map(_.getInt(1)).toSet
    }
  }

  if (SparkLine.isFrom("4.2")) test("NEAREST BY ranks NaN, nulls, and zeros as Spark does") {
    writeUnusual()
    for (
      ranking <- Seq(
        "DISTANCE vector_l2_distance",
        "SIMILARITY vector_cosine_similarity",
        "SIMILARITY vector_inner_product",
        "DISTANCE l2_distance",
        "DISTANCE cosine_distance"
      )
    ) {
      val (few, all) =
        (nearestBy("copied", "EXACT", 3, ranking), nearestBy("copied", "EXACT", 99, ranking))
      bothWays {
        val found = nearestBy(s"lance.`$path`", "EXACT", 3, ranking)
        withClue(s"$ranking: ") {
          assert(found(0) == few(0))
          // The others have rows at the same distance.
          (1 to 4).foreach(i => assert(found(i).size == few(i).size, s"query $i"))
          assert(nearestBy(s"lance.`$path`", "APPROX", 99, ranking) == all)
        }
      }
    }
  }

  if (SparkLine.isFrom("4.2"))
    test("EXACT NEAREST keeps the order of products and cosines near 0") {
      val path = folder.resolve("near-zero").toString
      spark.range(1, 11).selectExpr("id", "array(CAST(id * 1e-5 AS FLOAT), 0F, 1F) AS v")
        .coalesce(1).write.format("lance").option(
          "column.v.arrow.fixed-size-list.size",
          "3"
        ).save(path)
      for (function <- Seq("vector_inner_product", "vector_cosine_similarity", "dot_product"))
        assert(
          spark.sql(
            s"""SELECT t.id FROM VALUES (array(1e-5F, 0F, 0F)) q(v)
             |JOIN lance.`$path` t EXACT NEAREST 1 BY SIMILARITY $function(t.v, q.v)""".stripMargin
          ).head().getLong(0) == 10,
          function
        )
    }

  if (SparkLine.isFrom("4.2")) test("NEAREST BY searches the requested and the latest version") {
    val table = "lake.versions"
    spark.sql(s"CREATE TABLE $table (id BIGINT, v ARRAY<FLOAT>) " +
      "TBLPROPERTIES ('column.v.arrow.fixed-size-list.size' = '2')")
    try {
      spark.sql(s"INSERT INTO $table SELECT id, array(CAST(id AS FLOAT), 0F) FROM range(10)")
      def join(from: String) = spark.sql(
        s"""SELECT t.id FROM VALUES (array(5F, 0F)) q(v)
           |JOIN $from t EXACT NEAREST 1 BY DISTANCE l2_distance(t.v, q.v)""".stripMargin
      )
      val latest = join(table)
      spark.sql(s"DELETE FROM $table WHERE id = 5")
      for (limit <- Seq("-1", "1g")) {
        spark.conf.set("spark.sql.autoBroadcastJoinThreshold", limit)
        assert(join(s"$table WITH (`version` = '2')").head().getLong(0) == 5, limit)
        assert(join(table).head().getLong(0) != 5, limit)
      }
      assert(latest.head().getLong(0) != 5)
    } finally {
      spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")
      spark.sql(s"DROP TABLE $table"): Unit
    }
  }

  if (SparkLine.isFrom("4.2")) test("APPROX NEAREST ignores NaN and nulls with an index") {
    writeUnusual()
    spark.sql(s"CREATE INDEX i ON lance.`$path` USING ivf_flat (v) OPTIONS (num_partitions = 1)")
    val found = nearestBy(s"lance.`$path`", "APPROX", 3, "DISTANCE l2_distance")
    assert((0 to 4).map(found) == Seq(Set(0, 1, 3), Set(3, 6, 0), Set.empty, Set.empty, Set.empty))
    val all = nearestBy(s"lance.`$path`", "APPROX", 99, "DISTANCE l2_distance")
    assert(all(0) == Set(0, 1, 3, 5, 6))
  }

  if (SparkLine.isFrom("4.2"))
    test("Spark plans NEAREST BY for integers, which it compares as floats") {
      spark.sql(
        "SELECT CAST(id AS INT) AS id, CAST(array(id, 0) AS ARRAY<TINYINT>) AS v FROM range(9)"
      ).write.format("lance").option("column.v.arrow.fixed-size-list.size", "2").save(path)
      queries(Seq(Seq(2.6, 0.5)))
      val near = spark.sql(
        s"SELECT t.id FROM queries q JOIN lance.`$path` t EXACT NEAREST 1 BY DISTANCE l2_distance(t.v, q.vec)"
      )
      assert(near.collect().toSeq == Seq(Row(3)))
      assert(!near.queryExecution.executedPlan.toString.contains("LanceNearestJoin"))
    }
}
