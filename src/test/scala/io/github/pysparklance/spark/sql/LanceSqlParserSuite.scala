// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.types.{DataType, IntegerType}
import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.spark.sql.statements._
import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{SharedSpark, SparkLine, TemporaryFolder}

/** The parser handles the statements of the connector, and passes all others to Spark unchanged. */
class LanceSqlParserSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session
  private def parse(sql: String): LogicalPlan = SessionShim.parser(spark).parsePlan(sql)

  /** Without Spark's ids of expressions. */
  private def shown(plan: LogicalPlan): String = plan.toString.replaceAll("#\\d+", "#")

  private def rejection(sql: String): ParseException = intercept[ParseException](parse(sql))

  test("blanks, comments, case, quotes, and semicolons do not matter") {
    val expected = DescribeHistoryCommand(TableTarget(Seq("a", "b c", "t")), Some(3))
    for (
      sql <- Seq(
        "DESCRIBE HISTORY a.`b c`.t LIMIT 3",
        "desc history a.`b c`.t limit 3;",
        " -- first\n Describe /* of /* what */ */ History\ta . `b c`\n.t Limit\n3 ; ; -- done",
        "DESCRIBE HISTORY IDENTIFIER('a.`b c`.t') LIMIT 3"
      )
    ) assert(parse(sql) == expected, sql)
  }

  test("statements that only begin like ours are passed to Spark") {
    val plain = new SparkSqlParser
    for (
      sql <- Seq(
        "DESCRIBE history",
        "DESCRIBE TABLE history c",
        "DESCRIBE detail",
        "SHOW TABLES IN tags",
        "ALTER TABLE t ADD COLUMNS (tag INT, branch STRING)",
        "ALTER TABLE t DROP COLUMN tag",
        "SELECT 1 AS restore -- ; OPTIMIZE t",
        "WITH optimize AS (SELECT 1) SELECT * FROM optimize",
        "CREATE TABLE shallow USING lance AS SELECT 1 AS clone"
      )
    ) assert(shown(parse(sql)) == shown(plain.parsePlan(sql)), sql)
    for (sql <- Seq("RESTORE", "SHOW TAGS", "ALTER TABLE t CREATE", "DESCRIBE 'x", "/* RESTORE")) {
      val ours = rejection(sql)
      assert(ours.getMessage == intercept[ParseException](plain.parsePlan(sql)).getMessage)
    }
  }

  test("errors in our statements contain the position and the syntax") {
    val e = rejection("RESTORE TABLE t\n  TO VERSION 3")
    assert(e.condition == "PARSE_SYNTAX_ERROR")
    assert(e.getMessage.contains("at or near 'VERSION'"))
    assert(e.getMessage.contains("expected VERSION AS OF, TIMESTAMP AS OF or TAG, as in RESTORE"))
    assert(e.line.contains(2) && e.startPosition.contains(5))
    for (
      (sql, found) <- Seq(
        "DESCRIBE HISTORY t LIMIT" -> "end of input",
        "DESCRIBE HISTORY t LIMIT -1" -> "'-'",
        "DESCRIBE HISTORY t LIMIT 1 2" -> "'2'",
        "ALTER TABLE t CREATE OR REPLACE TAG IF NOT EXISTS x" -> "'NOT'",
        "ALTER TABLE t CREATE TAG a.b" -> "'b'",
        "ALTER TABLE t DROP TAG" -> "end of input",
        "ALTER TABLE t CREATE BRANCH b AS OF 3" -> "'3'",
        "SHOW TAGS IN t WHERE name = 'x'" -> "'WHERE'",
        "RESTORE t TO TIMESTAMP AS OF" -> "end of input"
      )
    ) assert(rejection(sql).getMessage.contains(s"at or near $found"), sql)
    assert(rejection("RESTORE t TO TIMESTAMP AS OF 1 +").condition == "PARSE_SYNTAX_ERROR")
  }

  test("parameters and variables are replaced in our statements") {
    val path = folder.resolve("t").toString
    spark.sql(s"CREATE TABLE lance.`$path` AS SELECT 1 AS id")
    spark.sql(s"INSERT INTO lance.`$path` VALUES (2)")
    def version(frame: org.apache.spark.sql.DataFrame): Seq[Any] =
      frame.collect().map(_.get(0)).toSeq
    val named = spark.sql(
      "DESCRIBE HISTORY IDENTIFIER(:t) LIMIT :n",
      Map[String, Any]("t" -> s"lance.`$path`", "n" -> 1)
    )
    assert(version(named) == Seq(2))
    assert(version(spark.sql(s"DESCRIBE HISTORY lance.`$path` LIMIT ?", Array(1))) == Seq(2))
    spark.sql(
      s"ALTER TABLE lance.`$path` CREATE TAG :tag AS OF VERSION :v",
      Map[String, Any]("tag" -> "a", "v" -> 1)
    )
    // Before 4.1, Spark's grammar has no parameters there.
    if (SparkLine.isFrom("4.1"))
      assert(spark.sql(
        s"SELECT * FROM lance.`$path` VERSION AS OF :v",
        Map("v" -> "a")
      ).count() == 1)
    val missing = intercept[AnalysisException](
      spark.sql(s"DESCRIBE HISTORY lance.`$path` LIMIT :n", Map("m" -> 1))
    )
    assert(missing.condition == "UNBOUND_SQL_PARAMETER")
    val session = spark.newSession()
    session.conf.set("table.of.the.test", s"lance.`$path`")
    session.conf.set("what", "DESCRIBE HISTORY")
    val variables = Seq("what", "table.of.the.test").map(name => "$" + s"{$name}")
    assert(version(session.sql(variables.mkString("", " ", " LIMIT 1"))) == Seq(2))
  }

  test("a session without configuration has a catalog named lance; a configured catalog is kept") {
    val path = folder.resolve("t").toString
    val session = spark.newSession()
    session.sql(s"CREATE TABLE lance.`$path` AS SELECT 1 AS id")
    assert(session.sql(s"SELECT * FROM lance.`$path`").collect().toSeq == Seq(Row(1)))
    assert(session.table(s"lance.`$path`").count() == 1)
    val other = spark.newSession()
    other.conf.set("spark.sql.catalog.lance", "no.such.Catalog")
    assert(
      intercept[Exception](other.table(s"lance.`$path`")).getMessage.contains("no.such.Catalog")
    )
  }

  test("missing tables and other tables get Spark's errors") {
    def condition(sql: String): String = intercept[AnalysisException](spark.sql(sql)).condition
    assert(condition("DESCRIBE HISTORY lance.nowhere.t") == "TABLE_OR_VIEW_NOT_FOUND")
    assert(condition("RESTORE nowhere TO VERSION AS OF 1") == "TABLE_OR_VIEW_NOT_FOUND")
    spark.range(1).createOrReplaceTempView("a_view")
    // Spark 3.5 has no name for this error.
    val notView =
      if (SparkLine.isFrom("4.0")) "EXPECT_TABLE_NOT_VIEW" else "_LEGACY_ERROR_TEMP_1013"
    assert(condition("DESCRIBE DETAIL a_view").startsWith(notView))
    spark.sql("CREATE TABLE a_file_table USING parquet AS SELECT 1 AS a")
    try assert(condition("SHOW TAGS IN a_file_table") == "UNSUPPORTED_FEATURE.TABLE_OPERATION")
    finally spark.sql("DROP TABLE a_file_table"): Unit
  }

  test("columns with and without values, types with commas") {
    val plain = new SparkSqlParser
    for (
      sql <- Seq(
        "ALTER TABLE t ADD COLUMNS (a INT, b STRUCT<x: INT, y: INT>)",
        "ALTER TABLE t ADD COLUMNS a INT, b INT",
        "ALTER TABLE t ADD COLUMN a INT DEFAULT (1) FIRST",
        "ALTER TABLE t ADD COLUMNS (`AS` INT)"
      )
    ) assert(shown(parse(sql)) == shown(plain.parsePlan(sql)), sql)
    val computed =
      parse(
        "ALTER TABLE t ADD COLUMNS (a STRUCT<x: INT, y: DECIMAL(9, 2)> AS (f(1, ')')), b AS (c), d INT)"
      )
    assert(computed == AddComputedColumnsCommand(
      TableTarget(Seq("t")),
      Seq(
        ComputedColumn(
          "a",
          Some(DataType.fromDDL("STRUCT<x: INT, y: DECIMAL(9, 2)>")),
          None,
          Some("f(1, ')')")
        ),
        ComputedColumn("b", None, None, Some("c")),
        ComputedColumn("d", Some(IntegerType), None, None)
      )
    ))
    val from = parse("ALTER TABLE a.t ADD COLUMNS x, `y z` FROM b.`v w`")
    val source = ColumnSource("`b`.`v w`", isQuery = false)
    assert(from == AddColumnsFromCommand(TableTarget(Seq("a", "t")), Seq("x", "y z"), source))
    val update = parse("ALTER TABLE t UPDATE COLUMN (x) FROM (SELECT (1) AS x -- )\n)")
    val query = ColumnSource("SELECT (1) AS x", isQuery = true)
    assert(update == UpdateColumnsFromCommand(TableTarget(Seq("t")), Seq("x"), query))
    assert(rejection("ALTER TABLE t UPDATE COLUMNS x FROM (SELECT 1 +)").condition ==
      "PARSE_SYNTAX_ERROR")
  }

  test("OPTIMIZE, VACUUM, and CLONE with all clauses") {
    val t = TableTarget(Seq("t"))
    assert(parse("OPTIMIZE t") == OptimizeCommand(t, None, Nil, Map.empty))
    assert(parse("OPTIMIZE t WHERE a IN (SELECT x FROM (SELECT 1 AS x)) AND b = 'ZORDER BY' " +
      "ZORDER BY (a, s.`x y`) WITH (p = 1, q.r = 'x', \"s\" = true, u = -2.5)") == OptimizeCommand(
      t,
      Some("a IN (SELECT x FROM (SELECT 1 AS x)) AND b = 'ZORDER BY'"),
      Seq("a", "s.`x y`"),
      Map("p" -> "1", "q.r" -> "x", "s" -> "true", "u" -> "-2.5")
    ))
    assert(parse("VACUUM t RETAIN 2 DAYS DRY RUN WITH (a = 1)") ==
      DryVacuumCommand(t, Map("older_than" -> "172800", "a" -> "1")))
    assert(parse("VACUUM t") == VacuumCommand(t, Map.empty))
    assert(parse("CREATE OR REPLACE TABLE x DEEP CLONE t VERSION AS OF '7' LOCATION '/p'") ==
      CloneTableCommand(
        Seq("x"),
        t,
        Some(VersionPoint.Version(7)),
        isShallow = false,
        IfThere.Replace,
        Some("/p")
      ))
    for (
      (sql, found) <- Seq(
        "OPTIMIZE t WHERE" -> "end of input",
        // Spark's parser takes the last word for a name of the condition.
        "OPTIMIZE t WHERE k = 1 AND" -> "'AND'",
        "OPTIMIZE t WHERE k = 1 id ZORDER BY (a)" -> "'id'",
        "ALTER TABLE t ADD COLUMNS (b AS (k = 1 OR))" -> "'OR'",
        "OPTIMIZE t ZORDER BY ()" -> "')'",
        "OPTIMIZE t WITH (a = 1" -> "end of input",
        "OPTIMIZE t WITH (a = 1, a = 2)" -> "')'",
        "OPTIMIZE t WITH (a = NULL)" -> "NULL",
        "VACUUM t RETAIN -1 HOURS" -> "'-'",
        "CREATE OR REPLACE TABLE IF NOT EXISTS x SHALLOW CLONE t" -> "'NOT'",
        "CREATE TABLE x SHALLOW CLONE t VERSION 3" -> "'VERSION'"
      )
    ) assert(rejection(sql).getMessage.contains(found), sql)
  }
}
