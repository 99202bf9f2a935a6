// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.{Row, SparkSession}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** A repeated statement reads the latest version each time, also after writes of others.
  */
class RepeatedStatementsSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark: SparkSession = SharedSpark.newInterpreted()
  private lazy val other: SparkSession = SharedSpark.newInterpreted()

  private val table = "lake.repeated.t"

  override def beforeEach(): Unit = {
    super.beforeEach()
    spark.sql("CREATE NAMESPACE lake.repeated")
    spark.sql(s"CREATE TABLE $table AS SELECT 1L AS id, 10L AS n"): Unit
  }

  override def afterEach(): Unit = {
    spark.sql("DROP NAMESPACE lake.repeated CASCADE")
    super.afterEach()
  }

  private def path: String = spark.sql(s"DESCRIBE TABLE EXTENDED $table")
    .where("col_name = 'Location'").head().getString(1)

  private def holds(rows: (Long, Long)*): Assertion =
    assert(spark.table(table).collect().toSet == rows.map(Row.fromTuple).toSet &&
      spark.table(table).count() == rows.length)

  /** Other names of the table: its name in another session, and its path in both sessions.
    */
  private def others: Seq[String => Unit] = Seq(
    text => other.sql(text.replace("$t", table)): Unit,
    text => spark.sql(text.replace("$t", s"lake.`$path`")): Unit,
    text => other.sql(text.replace("$t", s"lake.`$path`")): Unit
  )

  /** Names of the table in statements. */
  private def names: Seq[String] = Seq(table, s"lake.`$path`")

  private def merge(target: String): String =
    s"""MERGE INTO $target t USING (SELECT 2L AS id, 5L AS n) s ON t.id = s.id
       |WHEN MATCHED THEN UPDATE SET n = t.n + s.n WHEN NOT MATCHED THEN INSERT *""".stripMargin

  test("MERGE inserts a row once, and then updates it") {
    for (target <- names) {
      spark.sql(merge(target))
      holds(1L -> 10L, 2L -> 5L)
      spark.sql(merge(target))
      spark.sql(merge(target))
      holds(1L -> 10L, 2L -> 15L)
      for (write <- others) {
        write("DELETE FROM $t WHERE id = 2")
        spark.sql(merge(target))
        holds(1L -> 10L, 2L -> 5L)
        write("UPDATE $t SET n = 100 WHERE id = 2")
        spark.sql(merge(target))
        holds(1L -> 10L, 2L -> 105L)
      }
      spark.sql(s"DELETE FROM $table WHERE id = 2")
    }
  }

  test("MERGE reads a source table that was written in between") {
    spark.sql("CREATE TABLE lake.repeated.s (id BIGINT, n BIGINT)")
    val statement = s"MERGE INTO $table t USING lake.repeated.s s ON t.id = s.id " +
      "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    spark.sql(statement)
    holds(1L -> 10L)
    for (n <- Seq(1L, 2L)) {
      other.sql(s"INSERT OVERWRITE lake.repeated.s VALUES (1, $n), (${n + 5}, $n)")
      spark.sql(statement)
    }
    holds(1L -> 2L, 6L -> 1L, 7L -> 2L)
  }

  test("UPDATE computes from the latest values") {
    for (target <- names) {
      val statement = s"UPDATE $target SET n = n + 1 WHERE n >= 10"
      spark.sql(statement)
      spark.sql(statement)
      holds(1L -> 12L)
      for (write <- others) {
        write("UPDATE $t SET n = 20")
        write("INSERT INTO $t VALUES (2, 30)")
        spark.sql(statement)
        holds(1L -> 21L, 2L -> 31L)
        write("DELETE FROM $t WHERE id = 2")
      }
      spark.sql(s"UPDATE $table SET n = 10")
    }
  }

  test("DELETE removes rows that were written in between") {
    for (target <- names) {
      val statement = s"DELETE FROM $target WHERE id IN (SELECT id FROM $table WHERE n > 50)"
      spark.sql(statement)
      holds(1L -> 10L)
      for (write <- others) {
        write("INSERT INTO $t VALUES (2, 100)")
        spark.sql(statement)
        holds(1L -> 10L)
        write("INSERT INTO $t VALUES (2, 20)")
        write("UPDATE $t SET n = 60 WHERE id = 2")
        spark.sql(statement)
        holds(1L -> 10L)
      }
    }
  }

  test("INSERT of a query on the table itself reads its latest rows") {
    for (target <- names) {
      val statement =
        s"INSERT INTO $target SELECT id + 1, n FROM $table WHERE id = (SELECT max(id) FROM $table)"
      spark.sql(statement)
      spark.sql(statement)
      holds(1L -> 10L, 2L -> 10L, 3L -> 10L)
      for (write <- others) {
        write("DELETE FROM $t WHERE id > 1")
        write("UPDATE $t SET n = n + 1")
        spark.sql(statement)
        val n = spark.table(table).where("id = 1").head().getLong(1)
        holds(1L -> n, 2L -> n)
      }
      spark.sql(s"DELETE FROM $table WHERE id > 1")
      spark.sql(s"UPDATE $table SET n = 10")
    }
  }
}
