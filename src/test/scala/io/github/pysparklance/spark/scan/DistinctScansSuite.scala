// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{SharedSpark, SingleJoin, SparkLine, TemporaryFolder, TestRun}

/** Queries that ignore duplicates, with and without adaptive execution. */
class DistinctScansSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {

  private def session(configuration: (String, String)*): SparkSession = {
    val s = SharedSpark.newInterpreted()
    configuration.foreach { case (k, v) => s.conf.set(k, v) }
    s
  }

  private lazy val plain = session()

  /** Sorted joins and broadcast ones, adaptive and not. */
  private lazy val sessions: Seq[SparkSession] =
    for (adaptive <- Seq("true", "false"); threshold <- Seq("-1", "10m")) yield session(
      "spark.sql.adaptive.enabled" -> adaptive,
      "spark.sql.autoBroadcastJoinThreshold" -> threshold
    )

  private def path(table: String): String = folder.resolve(table).toString

  /** Orders of 100 customers out of 150, some without a customer. */
  private def save(): Unit = {
    SharedSpark.interpreted
      .range(0, 20000, 1, 1)
      .selectExpr(
        "id",
        "IF(id % 13 = 0, NULL, id * 7919 % 100) AS customer",
        "CAST(id % 50 AS INT) AS part",
        "concat('mode ', id % 5) AS mode",
        "CAST(id % 100 AS DOUBLE) AS weight",
        "DATE '2024-01-01' + CAST(id % 30 AS INT) AS day"
      )
      .write.format("lance").option("maxRowsPerFile", "8000").save(path("orders"))
    SharedSpark.interpreted
      .range(0, 150, 1, 1)
      .selectExpr(
        "id",
        "CAST(id % 60 AS INT) AS part",
        "concat('mode ', id % 7) AS mode",
        "CAST(id AS DOUBLE) AS weight",
        "DATE '2024-01-01' + CAST(id AS INT) AS day"
      )
      .write.format("lance").save(path("customers"))
  }

  private def ask(spark: SparkSession, query: String, options: (String, String)*): DataFrame = {
    Seq("orders", "customers").foreach { table =>
      spark.read.format("lance").options(options.toMap).load(path(table))
        .createOrReplaceTempView(table)
    }
    spark.sql(query)
  }

  private def scansOf(df: DataFrame, table: String): Seq[BatchScanExec] =
    collectWithSubqueries(df.queryExecution.executedPlan) {
      case b: BatchScanExec if b.scan.description().contains(path(table)) => b
    }

  private def isDistinct(scan: BatchScanExec): Boolean =
    scan.scan.description().contains("distinct values")

  private var checks = 0

  /** Checks a query in all sessions, or in one session after the other in a short run. */
  private def check(query: String, isOnce: Boolean): Unit = {
    checks += 1
    val expected = ask(plain, query, "pushDownDistinct" -> "false").collect().toSeq
    TestRun.share(checks, sessions.length, sessions).foreach { spark =>
      val df = ask(spark, query)
      withClue(s"$query\n${df.queryExecution.executedPlan}\n") {
        val scans = scansOf(df, "orders")
        assert(scans.nonEmpty && scans.forall(isDistinct(_) == isOnce))
        assert(df.collect().toSeq.map(_.toString).sorted == expected.map(_.toString).sorted)
        // If one side determines the result of a join, adaptive execution removes the scan.
        val ran = scansOf(df, "orders")
        assert(ran.forall(isDistinct(_) == isOnce))
        if (isOnce) assert(ran.map(_.metrics("numOutputRows").value).sum < 2000)
      }
    }
  }

  test("the inner columns of EXISTS, IN, semi and anti joins are returned once") {
    save()
    Seq(
      "SELECT id FROM customers WHERE EXISTS (SELECT * FROM orders WHERE customer = customers.id)",
      "SELECT id FROM customers WHERE NOT EXISTS (SELECT * FROM orders WHERE customer = customers.id)",
      "SELECT id FROM customers WHERE id IN (SELECT customer FROM orders)",
      "SELECT id FROM customers WHERE id NOT IN (SELECT customer FROM orders)",
      "SELECT id FROM customers WHERE id NOT IN (SELECT customer FROM orders WHERE customer IS NOT NULL)",
      "SELECT id FROM customers WHERE id + 1 IN (SELECT customer * 2 FROM orders)",
      "SELECT id FROM customers WHERE id < 5 OR id IN (SELECT customer FROM orders)",
      "SELECT id FROM customers LEFT SEMI JOIN orders ON orders.part = customers.part",
      "SELECT id FROM customers LEFT ANTI JOIN orders ON orders.part = customers.part",
      "SELECT id FROM customers LEFT SEMI JOIN orders ON orders.part > customers.part + 3",
      "SELECT id FROM customers WHERE mode IN (SELECT mode FROM orders)",
      "SELECT id FROM customers WHERE day NOT IN (SELECT day FROM orders WHERE part > 7)",
      "SELECT id FROM customers WHERE id NOT IN (SELECT customer FROM orders WHERE part > 40)",
      "SELECT id FROM customers WHERE id IN (SELECT c.id FROM customers c JOIN orders ON c.id = customer)"
    ).foreach(check(_, isOnce = true))
  }

  test("groups without functions, and counted distinct values, are returned once") {
    save()
    Seq(
      "SELECT DISTINCT customer FROM orders",
      "SELECT part FROM orders GROUP BY part",
      "SELECT count(DISTINCT customer) FROM orders",
      "SELECT count(DISTINCT day) FROM orders WHERE part < 20",
      "SELECT approx_count_distinct(customer), max(customer % 7) FILTER (WHERE customer < 90) FROM orders",
      "SELECT DISTINCT customer % 10 FROM orders",
      "SELECT customer FROM orders INTERSECT SELECT id FROM customers",
      "SELECT customer FROM orders EXCEPT SELECT id + 20 FROM customers",
      "SELECT customer FROM orders UNION SELECT id FROM customers",
      "SELECT DISTINCT customers.id FROM customers JOIN orders ON orders.part = customers.part"
    ).foreach(check(_, isOnce = true))
  }

  test("the scan keeps duplicates of counted and sampled rows, and of several columns") {
    save()
    Seq(
      "SELECT customers.id FROM customers JOIN orders ON customer = customers.id",
      "SELECT customer FROM orders LEFT SEMI JOIN customers ON customer = customers.id",
      "SELECT customer, count(*) FROM orders GROUP BY customer",
      "SELECT count(DISTINCT customer), count(customer) FROM orders",
      "SELECT approx_count_distinct(customer), sum(customer) FROM orders",
      "SELECT DISTINCT customer, part FROM orders",
      "SELECT id FROM customers WHERE weight IN (SELECT weight FROM orders)",
      "SELECT id FROM customers WHERE EXISTS " +
        "(SELECT * FROM orders WHERE customer = customers.id AND part < customers.part)",
      "SELECT customer, row_number() OVER (ORDER BY customer) FROM orders",
      "SELECT customer FROM orders UNION ALL SELECT id FROM customers"
    ).foreach(check(_, isOnce = false))
    val random = "SELECT id FROM customers WHERE id IN (SELECT customer + int(rand()) FROM orders)"
    sessions.foreach { spark =>
      val df = ask(spark, random)
      assert(df.collect().length == 100 && scansOf(df, "orders").forall(!isDistinct(_)))
    }
  }

  test(
    "an option keeps all rows; scans of a column are shared if both may drop duplicates"
  ) {
    save()
    val spark = sessions.head
    val query = "SELECT id FROM customers WHERE id IN (SELECT customer FROM orders)"
    val all = ask(spark, query, "pushDownDistinct" -> "false")
    assert(all.collect().length == 100 && scansOf(all, "orders").forall(!isDistinct(_)))
    val others = ask(spark, query, "pushDownAggregates" -> "false")
    assert(others.collect().length == 100 && scansOf(others, "orders").forall(isDistinct))
    val off = session("spark.lance.read.pushDownDistinct" -> "false")
    val none = ask(off, query)
    assert(none.collect().length == 100 && scansOf(none, "orders").forall(!isDistinct(_)))
    val twice = ask(
      spark,
      s"$query AND id NOT IN (SELECT customer + 90 FROM orders WHERE customer < 5) AND part IN " +
        "(SELECT part FROM orders)"
    )
    assert(twice.collect().map(_.getLong(0)).toSet ==
      (0L until 100L).filter(i => i % 60 < 50 && (i < 90 || i > 94)).toSet)
  }

  /** `one` has every value of k twice in one task, `sm` has the values 0 to 7 twice. */
  private def saveDuplicates(): Unit = {
    val spark = SharedSpark.interpreted
    spark.range(0, 10, 1, 1).selectExpr("id % 5 AS k").write.format("lance").save(path("one"))
    spark.range(0, 16, 1, 1).selectExpr("id % 8 AS k").write.format("lance").save(path("sm"))
  }

  private def askDuplicates(spark: SparkSession, query: String, isOn: Boolean): DataFrame = {
    Seq("one", "sm").foreach { table =>
      spark.read.format("lance").option("pushDownDistinct", isOn.toString).load(path(table))
        .createOrReplaceTempView(table)
    }
    spark.sql(query)
  }

  private def outcome(df: => DataFrame): Either[String, Seq[String]] =
    try Right(df.collect().toSeq.map(_.toString).sorted)
    catch {
      case e: Throwable =>
        val conditions = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).collect {
          case t: org.apache.spark.SparkThrowable if t.condition != null => t.condition
        }
        Left(conditions.find(_ => true).getOrElse(throw e))
    }

  test("a scalar subquery with two rows for one outer row fails below consumers of sets") {
    assume(
      SparkLine.isFrom("4.0"),
      "Spark 3.5 takes scalar subqueries of one row by their form only"
    )
    saveDuplicates()
    val scalar = "(SELECT b.k FROM one b WHERE b.k = a.k)"
    val queries = Seq(
      s"SELECT DISTINCT $scalar FROM sm a",
      s"SELECT max($scalar) FROM sm a",
      s"SELECT count(DISTINCT k) FROM sm a WHERE $scalar >= 0",
      s"SELECT approx_count_distinct($scalar) FROM sm a",
      s"SELECT k FROM sm WHERE k IN (SELECT $scalar FROM sm a)",
      s"SELECT k FROM sm c WHERE EXISTS (SELECT 1 FROM sm a WHERE a.k = c.k AND $scalar >= 0)",
      s"SELECT k FROM sm c LEFT ANTI JOIN (SELECT $scalar AS v FROM sm a) d ON c.k = d.v",
      s"SELECT DISTINCT v FROM (SELECT $scalar AS v FROM sm a) JOIN one ON one.k = v",
      s"SELECT $scalar FROM sm a UNION SELECT k FROM one"
    )
    for {
      (query, i) <- queries.zipWithIndex
      spark <- TestRun.share(i, sessions.length, sessions)
      isOn <- Seq(true, false)
    } withClue(s"$query, rule $isOn\n") {
      assert(outcome(askDuplicates(spark, query, isOn)) == Left("SCALAR_SUBQUERY_TOO_MANY_ROWS"))
    }
  }

  test("every join type returns the same rows with and without the rule") {
    saveDuplicates()
    val joins = Seq[(JoinType, String)](
      Inner -> "SELECT a.k, b.k AS l FROM sm a JOIN one b ON a.k = b.k",
      Inner -> "SELECT a.k, b.k AS l FROM sm a JOIN one b ON a.k < b.k",
      Cross -> "SELECT a.k, b.k AS l FROM sm a CROSS JOIN one b",
      LeftOuter -> "SELECT a.k, b.k AS l FROM sm a LEFT JOIN one b ON a.k = b.k",
      RightOuter -> "SELECT a.k, b.k AS l FROM one a RIGHT JOIN sm b ON a.k = b.k",
      FullOuter -> "SELECT a.k, b.k AS l FROM sm a FULL JOIN one b ON a.k = b.k - 3",
      LeftSemi -> "SELECT a.k, a.k AS l FROM sm a LEFT SEMI JOIN one b ON a.k = b.k",
      LeftAnti -> "SELECT a.k, a.k AS l FROM sm a LEFT ANTI JOIN one b ON a.k = b.k",
      LeftAnti -> "SELECT a.k, a.k AS l FROM sm a WHERE k NOT IN (SELECT k FROM one)",
      ExistenceJoin(
        null
      ) -> "SELECT a.k, a.k AS l FROM sm a WHERE k > 6 OR k IN (SELECT k FROM one)"
    ) ++ SingleJoin.joinType.toSeq.flatMap { single =>
      Seq(
        single -> "SELECT a.k, (SELECT b.k FROM one b WHERE b.k + 1000 = a.k) AS l FROM sm a",
        // Duplicates on the left of a scalar subquery do not make it fail.
        single -> "SELECT a.k, (SELECT b.k FROM (VALUES (3), (4)) AS b(k) WHERE b.k = a.k) AS l FROM sm a"
      )
    }
    def kind(joinType: JoinType): String = joinType.getClass.getSimpleName
    var seen = Set.empty[String]
    for {
      spark <- Seq(sessions.head, sessions.last)
      ((joinType, join), i) <- joins.zipWithIndex
      consumers = Seq(
        s"SELECT DISTINCT l FROM ($join)",
        s"SELECT DISTINCT k FROM ($join)",
        s"SELECT max(l), min(k), count(DISTINCT k) FROM ($join)",
        s"SELECT * FROM sm WHERE k IN (SELECT l FROM ($join))",
        s"SELECT * FROM sm c WHERE NOT EXISTS (SELECT 1 FROM ($join) d WHERE d.l = c.k)"
      )
      consumer <- join +: TestRun.share(i, consumers.length, consumers)
    } withClue(s"$consumer\n") {
      val on = askDuplicates(spark, consumer, isOn = true)
      seen ++= on.queryExecution.sparkPlan.collect { case j: BaseJoinExec => kind(j.joinType) }
      assert(outcome(on) == outcome(askDuplicates(spark, consumer, isOn = false)), joinType)
    }
    assert(seen == joins.map(j => kind(j._1)).toSet, "a join was planned as another one")
  }

  test("join sides whose duplicates may be dropped") {
    val both = DuplicateFreeSides(left = true, right = true)
    Seq(Inner, Cross, LeftOuter, RightOuter, FullOuter, LeftSemi, LeftAnti, ExistenceJoin(null))
      .foreach(t => assert(DuplicateFreeSides.of(t) == both, t))
    SingleJoin.joinType.foreach { single =>
      assert(DuplicateFreeSides.of(single) == DuplicateFreeSides(left = true, right = false))
    }
    assert(DuplicateFreeSides.of(NaturalJoin(Inner)) == DuplicateFreeSides(false, false))
  }

  test("keys that prune another scan are broadcast once") {
    save()
    SharedSpark.interpreted
      .range(0, 40000, 1, 1).selectExpr("id % 40 AS k", "id")
      .write.partitionBy("k").parquet(path("facts"))
    for (adaptive <- Seq("true", "false")) {
      val spark = session("spark.sql.adaptive.enabled" -> adaptive)
      spark.read.parquet(path("facts")).createOrReplaceTempView("facts")
      val df = ask(
        spark,
        "SELECT count(*) FROM facts LEFT SEMI JOIN (SELECT part FROM orders WHERE part = 7) ON k = part"
      )
      assert(df.head() == Row(1000L))
      val broadcasts = df.queryExecution.executedPlan.toString
      assert(broadcasts.contains("dynamicpruning"), broadcasts)
      assert(!broadcasts.contains("distinct values"), broadcasts)
    }
  }
}
