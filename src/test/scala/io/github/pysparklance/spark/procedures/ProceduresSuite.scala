// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.{AnalysisException, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** Name resolution and calls of procedures, and the procedures for versions, tags, and branches. */
class ProceduresSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark: SparkSession = {
    val s = SharedSpark.newInterpreted()
    s.conf.set(
      "spark.sql.catalog.spark_catalog",
      "io.github.pysparklance.spark.LanceSessionCatalog"
    )
    s
  }

  private def sql(text: String): Seq[Row] = spark.sql(text).collect().toSeq
  private def condition(text: String): String =
    intercept[AnalysisException](spark.sql(text)).condition
  private def message(text: String): String =
    intercept[AnalysisException](spark.sql(text)).getMessage

  override def beforeEach(): Unit = {
    super.beforeEach()
    sql("CREATE NAMESPACE lake.db")
    sql("CREATE TABLE lake.db.t AS SELECT 1 AS id")
    sql("INSERT INTO lake.db.t VALUES (2)")
    sql("INSERT INTO lake.db.t VALUES (3)"): Unit
  }

  override def afterEach(): Unit = {
    sql("DROP NAMESPACE lake.db CASCADE")
    super.afterEach()
  }

  private def ids: Set[Int] = sql("SELECT id FROM lake.db.t").map(_.getInt(0)).toSet

  test("arguments by position and by name, in any case; SHOW PROCEDURES") {
    assert(sql("CALL lake.system.rollback_to_version('db.t', 1)") == Seq(Row(3L, 1L, 4L)))
    assert(ids == Set(1))
    assert(sql("CALL lake.system.Rollback_To_Version(version => 2, table => 'lake.db.t')") ==
      Seq(Row(4L, 2L, 5L)))
    assert(ids == Set(1, 2))
    val listed = sql("SHOW PROCEDURES IN lake.system").map(_.toString)
    assert(Procedures.all.forall(p => listed.exists(_.contains(p.name))))
    assert(sql("SHOW PROCEDURES IN lake.db").isEmpty)
  }

  test("an invalid call is an error without effect") {
    assert(condition("CALL lake.system.nothing('db.t')") == "ROUTINE_NOT_FOUND")
    assert(condition("CALL lake.db.restore('db.t', 1)") == "ROUTINE_NOT_FOUND")
    assert(
      condition("CALL lake.system.rollback_to_version('db.t')") == "REQUIRED_PARAMETER_NOT_FOUND"
    )
    assert(condition("CALL lake.system.rollback_to_version('db.t', versoin => 1)") ==
      "UNRECOGNIZED_PARAMETER_NAME")
    val word = "CALL lake.system.rollback_to_version('db.t', 'one')"
    intercept[NumberFormatException](spark.sql(word))
    assert(condition("CALL lake.system.rollback_to_version('db.nowhere', 1)") ==
      "TABLE_OR_VIEW_NOT_FOUND")
    assert(
      message("CALL lake.system.restore('db.t')").contains("one of version, tag and timestamp")
    )
    assert(message("CALL lake.system.restore('db.t', 1, 'x')").contains("one of"))
    assert(message("CALL lake.system.restore('db.t', 99)").contains("99"))
    assert(message("CALL lake.system.rollback_to_version(NULL, 1)").contains("table is null"))
    assert(ids == Set(1, 2, 3))
  }

  test("procedures of any catalog accept paths and tables of other catalogs") {
    sql("CREATE TABLE placed USING lance AS SELECT 1 AS id")
    try {
      sql("INSERT INTO placed VALUES (2)")
      def version(rows: Long): Long =
        sql("DESCRIBE HISTORY placed").find(_.getLong(4) == rows).get.getLong(0)
      val (one, two) = (version(1), version(2))
      for (name <- Seq("placed", "default.placed", "spark_catalog.default.placed"))
        assert(sql(s"CALL lake.system.rollback_to_version('$name', $one)").length == 1, name)
      assert(sql("SELECT * FROM placed") == Seq(Row(1)))
      sql(s"CALL spark_catalog.system.rollback_to_version('placed', $two)")
      assert(sql("SELECT * FROM placed").length == 2)
      val path = folder.resolve("t").toString
      sql(s"CREATE TABLE lance.`$path` AS SELECT 7 AS id")
      sql(s"CALL lance.system.create_tag('$path', 'seven')")
      sql(s"CALL spark_catalog.system.create_tag('file:$path', 'again', from_tag => 'seven')")
      assert(sql(s"SHOW TAGS IN lance.`$path`").map(_.getString(0)) == Seq("again", "seven"))
    } finally sql("DROP TABLE placed"): Unit
  }

  test("a name is resolved in the catalog of the procedure first, with its current namespace") {
    sql("USE lake.db")
    try {
      sql("CALL system.rollback_to_version('t', 1)")
      sql("CALL lake.system.rollback_to_version('db.t', 2)"): Unit
    } finally sql("USE spark_catalog.default"): Unit
    assert(ids == Set(1, 2))
  }

  test("a table of the current namespace takes precedence over a table of the root") {
    sql("CREATE TABLE lake.t AS SELECT 1 AS id")
    sql("USE lake.db")
    try {
      sql("CALL lake.system.create_tag('t', 'here')")
      assert(sql("SHOW TAGS IN lake.db.t").map(_.getString(0)) == Seq("here"))
      assert(sql("SHOW TAGS IN lake.t").isEmpty)
    } finally {
      sql("USE spark_catalog.default")
      sql("DROP TABLE lake.t"): Unit
    }
  }

  test("restore by number, tag, and time") {
    sql("CALL lake.system.create_tag('db.t', 'two', 2)")
    assert(sql("CALL lake.system.restore('db.t', tag => 'two')") == Seq(Row(3L, 2L, 4L)))
    assert(sql("CALL lake.system.set_current_version('db.t', ref => 'two')") == Seq(Row(
      4L,
      2L,
      5L
    )))
    assert(sql("CALL lake.system.set_current_version('db.t', 3)") == Seq(Row(5L, 3L, 6L)))
    val time = sql("DESCRIBE HISTORY lake.db.t").find(_.getLong(0) == 1L).get.get(1)
    assert(
      sql(s"CALL lake.system.rollback_to_timestamp('db.t', TIMESTAMP '$time')").head.getLong(1) == 1
    )
    assert(sql("CALL lake.system.restore('db.t', timestamp => current_timestamp())").head ==
      Row(7L, 7L, 8L))
    assert(ids == Set(1))
    assert(message("CALL lake.system.rollback_to_timestamp('db.t', TIMESTAMP '1999-01-01')")
      .contains("1999"))
  }

  test("tags and branches") {
    sql("CALL lake.system.create_branch('db.t', 'dev', version => 2)")
    sql("CALL lake.system.create_tag('db.t', 'x', branch => 'dev', version => 2)")
    assert(sql("SHOW TAGS IN lake.db.t").map(r => (r.getString(0), r.getString(1), r.getLong(2))) ==
      Seq(("x", "dev", 2L)))
    assert(message("CALL lake.system.create_tag('db.t', 'x')").contains("exists already"))
    sql("CALL lake.system.create_tag('db.t', 'x', if_not_exists => true)")
    sql("CALL lake.system.create_tag('db.t', 'x', 1, replace => true)")
    assert(sql("SHOW TAGS IN lake.db.t").map(_.getLong(2)) == Seq(1L))
    assert(
      message("CALL lake.system.create_tag('db.t', 'y', replace => true, if_not_exists => true)")
        .contains("one of replace and if_not_exists")
    )
    assert(
      message("CALL lake.system.create_tag('db.t', 'y', 1, from_tag => 'x')").contains("no version")
    )
    sql("CALL lake.system.drop_tag('db.t', 'x')")
    assert(message("CALL lake.system.drop_tag('db.t', 'x')").contains("tag x"))
    sql("CALL lake.system.drop_tag('db.t', 'x', if_exists => true)")
    sql("CALL lake.system.drop_branch('db.t', 'dev')")
    assert(sql("SHOW BRANCHES IN lake.db.t").isEmpty)
    sql("CALL lake.system.drop_branch('db.t', 'dev', force => true)"): Unit
  }

  test("ancestors") {
    assert(sql("CALL lake.system.ancestors_of('db.t')").map(_.getLong(1)) == Seq(3L, 2L, 1L))
    assert(sql("CALL lake.system.ancestors_of('db.t', 2)").map(_.getLong(1)) == Seq(2L, 1L))
    assert(message("CALL lake.system.ancestors_of('db.t', 9)").contains("9"))
  }

  test("manifests of early releases are renamed") {
    assert(sql("CALL lake.system.migrate_manifest_paths_v2('db.t')") == Seq(Row(0L)))
  }
}
