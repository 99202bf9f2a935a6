// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{SharedSpark, SparkLine}

/** `CREATE TABLE … LIKE …` between Lance catalogs and Spark's catalog. */
class CreateTableLikeSuite extends AnyFunSuite with BeforeAndAfterEach {
  private lazy val spark = SharedSpark.session
  private def sql(text: String): DataFrame = spark.sql(text)

  override def beforeEach(): Unit = sql("CREATE NAMESPACE lake.alike"): Unit

  override def afterEach(): Unit = {
    sql("DROP NAMESPACE lake.alike CASCADE")
    Seq("like_parquet", "like_lance", "like_made").foreach(t => sql(s"DROP TABLE IF EXISTS $t"))
  }

  private def ddl(table: String): Seq[String] =
    sql(s"SHOW CREATE TABLE $table")
      .head()
      .getString(0)
      .linesIterator
      .drop(1)
      .filterNot(l => l.startsWith("LOCATION") || l.contains("lance.version"))
      .toSeq

  test("the columns of a Lance table") {
    sql(
      "CREATE TABLE lake.alike.a (id BIGINT NOT NULL COMMENT 'key', v ARRAY<FLOAT>, c VARCHAR(4)) " +
        "PARTITIONED BY (id) TBLPROPERTIES ('v.arrow.fixed-size-list.size' = '3', 'fileVersion' = '2.1')"
    )
    sql("INSERT INTO lake.alike.a VALUES (1, array(1, 2, 3), 'abc')")
    sql("CREATE TABLE lake.alike.b LIKE lake.alike.a")
    assert(ddl("lake.alike.b") == ddl("lake.alike.a"))
    assert(spark.table("lake.alike.b").count() == 0)
    intercept[Exception](sql("INSERT INTO lake.alike.b VALUES (1, array(1), 'abc')").collect())
    sql("CREATE TABLE IF NOT EXISTS lake.alike.b LIKE lake.alike.a")
    intercept[TableAlreadyExistsException](sql("create table lake.alike.b like lake.alike.a"))
    sql("CREATE TABLE lake.alike.d LIKE lake.alike.a TBLPROPERTIES ('x' = 'y')")
    assert(sql("SHOW TBLPROPERTIES lake.alike.d ('x')").head().getString(1) == "y")
    sql("CREATE TABLE lake.alike.f LIKE lake.alike.a TBLPROPERTIES ('x' 'z', `k` \"v\")")
    assert(sql("SHOW TBLPROPERTIES lake.alike.f ('x')").head().getString(1) == "z")
    assert(sql("SHOW TBLPROPERTIES lake.alike.f ('k')").head().getString(1) == "v")
    intercept[AnalysisException](sql("CREATE TABLE lake.alike.e LIKE lake.alike.none"))
  }

  test("the constraints of a Lance table") {
    sql(
      "CREATE TABLE lake.alike.a (id INT, v INT, CONSTRAINT k PRIMARY KEY (id), CONSTRAINT c CHECK (v > 0) RELY)"
    )
    sql("CREATE TABLE lake.alike.b LIKE lake.alike.a")
    assert(ddl("lake.alike.b") == ddl("lake.alike.a"))
    sql("INSERT INTO lake.alike.b VALUES (1, 1)")
    val e = intercept[Exception](sql("INSERT INTO lake.alike.b VALUES (1, 0)").collect())
    assert(e.getMessage.contains("CHECK constraint c"))
    sql("ALTER TABLE lake.alike.b DROP CONSTRAINT c")
    sql("INSERT INTO lake.alike.b VALUES (1, 0)")
    assert(ddl("lake.alike.b") != ddl("lake.alike.a"))
  }

  test("between catalogs, and Spark's own statement") {
    sql("CREATE TABLE like_parquet (a INT, b STRING) USING parquet")
    sql("CREATE TABLE lake.alike.p LIKE like_parquet")
    assert(spark.table("lake.alike.p").schema.simpleString == "struct<a:int,b:string>")
    if (SparkLine.isFrom("4.0")) {
      sql("CREATE TABLE like_lance LIKE lake.alike.p")
      sql("INSERT INTO like_lance VALUES (1, 'x')")
      assert(spark.table("like_lance").collect().toSeq == Seq(Row(1, "x")))
    } else {
      val e = intercept[AnalysisException](sql("CREATE TABLE like_lance LIKE lake.alike.p"))
      assert(e.getMessage.contains("LanceSessionCatalog"))
      assert(!spark.catalog.tableExists("like_lance"))
    }
    sql("CREATE TABLE like_made LIKE like_parquet")
    for (
      clauses <-
        Seq("STORED AS PARQUET", "LOCATION 'x' STORED AS ORC", "LOCATION 'x' ROW FORMAT DELIMITED")
    ) {
      val plan = spark.sessionState.sqlParser.parsePlan(s"CREATE TABLE a.b LIKE c $clauses")
      val sparks = if (SparkLine.isFrom("4.2")) "CreateTableLike" else "CreateTableLikeCommand"
      assert(plan.getClass.getSimpleName == sparks, clauses)
    }
    val provider = sql("DESCRIBE TABLE EXTENDED like_made").where("col_name = 'Provider'").head()
    assert(provider.getString(1) == "parquet")
  }
}
