// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** All statements that commit a version remove old versions, if the properties of the table request
  * it.
  */
class CleanupAfterCommitSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session
  private def path: String = folder.resolve("t").toString
  private def t: String = s"lance.`$path`"

  private def sql(statement: String): Unit = spark.sql(statement).collect(): Unit

  private def versions: IndexedSeq[Long] = LanceTable.versions(Storage.local, path)

  private def cleansUp(statements: String*): Unit = for (statement <- statements) {
    val before = versions.last
    sql(statement)
    assert(versions.length == 1 && versions.last > before, statement)
  }

  test("statements clean up after their commits") {
    sql(
      s"CREATE TABLE $t TBLPROPERTIES ('enableStableRowIds' = 'true') AS SELECT id, id AS x FROM range(100)"
    )
    cleansUp(
      s"ALTER TABLE $t SET TBLPROPERTIES ('lance.auto_cleanup.interval' = '0', " +
        "'lance.auto_cleanup.retain_versions' = '1')",
      s"INSERT INTO $t VALUES (100, 1), (101, 1)",
      s"DELETE FROM $t WHERE x = 3",
      s"DELETE FROM $t WHERE _rowid = 4",
      s"UPDATE $t SET x = 0 WHERE id = 5",
      s"MERGE INTO $t t USING (SELECT 200 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, x) VALUES (200, 0)",
      s"MERGE INTO $t t USING (SELECT 200 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET x = 1",
      s"MERGE WITH SCHEMA EVOLUTION INTO $t t USING (SELECT 200 AS id, 'a' AS note) s ON t.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET note = s.note",
      s"OPTIMIZE $t",
      s"OPTIMIZE $t ZORDER BY (x)",
      s"ALTER TABLE $t ADD COLUMNS (y INT)",
      s"ALTER TABLE $t ALTER COLUMN y TYPE BIGINT",
      s"ALTER TABLE $t ADD COLUMNS (z BIGINT AS (x + 1))",
      s"ALTER TABLE $t UPDATE COLUMNS z FROM (SELECT _rowid, 7L AS z FROM $t)",
      s"ANALYZE TABLE $t COMPUTE STATISTICS FOR COLUMNS x",
      s"INSERT INTO $t REPLACE WHERE x = 0 SELECT * FROM $t WHERE false"
    )
  }

  test("RESTORE removes no versions, so that it can be undone") {
    sql(s"CREATE TABLE $t TBLPROPERTIES ('lance.auto_cleanup.interval' = '0', " +
      "'lance.auto_cleanup.retain_versions' = '1') AS SELECT 1 AS id")
    sql(s"ALTER TABLE $t UNSET TBLPROPERTIES ('lance.auto_cleanup.interval')")
    sql(s"INSERT INTO $t VALUES (2)")
    sql(s"RESTORE $t TO VERSION AS OF 1")
    assert(versions == Seq(1, 2, 3, 4) && spark.table(t).count() == 1)
    sql(s"RESTORE $t TO VERSION AS OF 3")
    assert(versions == Seq(1, 2, 3, 4, 5) && spark.table(t).count() == 2)
  }
}
