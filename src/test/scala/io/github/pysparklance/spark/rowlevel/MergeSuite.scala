// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.{AnalysisException, Row}

import io.github.pysparklance.testkit.FrameMerge
import io.github.pysparklance.testkit.SparkErrors._

class MergeSuite extends RowLevelSuite {

  private def source(rows: String): Unit =
    sql(s"SELECT * FROM VALUES $rows AS s(id, value)").createOrReplaceTempView("source")

  Seq(false, true).foreach { stable =>
    test(s"all clauses in one version, ${if (stable) "with" else "without"} stable row ids") {
      create(stable = stable)
      val ids = column("_rowid")
      source("(1L, 1L), (2L, 2L), (3L, 3L), (4L, NULL), (50L, 5L), (51L, 6L)")
      sql(
        s"""MERGE INTO $t x USING source s ON x.id = s.id
           |WHEN MATCHED AND s.value = 1 THEN DELETE
           |WHEN MATCHED AND s.value = 2 THEN UPDATE SET value = x.value + s.value
           |WHEN MATCHED THEN UPDATE SET *
           |WHEN NOT MATCHED AND s.value = 5 THEN INSERT *
           |WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id + 10)
           |WHEN NOT MATCHED BY SOURCE AND x.id = 10 THEN UPDATE SET value = -1
           |WHEN NOT MATCHED BY SOURCE AND x.id > 10 THEN DELETE""".stripMargin
      )
      assert(values == Seq[(Long, Any)](
        (0L, 0L),
        (2L, 22L),
        (3L, 3L),
        (4L, null),
        (5L, 50L),
        (6L, 60L),
        (7L, 70L),
        (8L, 80L),
        (9L, 90L),
        (10L, -1L),
        (50L, 5L),
        (61L, null)
      ))
      assert(table.version == 2 && lastVersion.operation.contains("Update"))
      assert(lastVersion.rowsAdded.contains(6L) && lastVersion.rowsDeleted.contains(14L))
      checkByPylance()
      if (stable) {
        val now = column("_rowid")
        assert(ids.filter(i => now.contains(i._1)) == now.filter(i => ids.contains(i._1)))
        assert(now.values.toSet.size == 12 && Set(now(50L), now(61L)) == Set(20L, 21L))
        val changed = column("_row_last_updated_at_version")
        assert(changed.filter(_._2 == 2L).keySet == Set(2L, 3L, 4L, 10L, 50L, 61L))
        assert(column("_row_created_at_version").filter(_._2 == 2L).keySet == Set(50L, 61L))
      }
    }
  }

  test("only new rows") {
    create()
    source("(1L, 1L), (100L, 1L)")
    sql(s"MERGE INTO $t x USING source s ON x.id = s.id WHEN NOT MATCHED THEN INSERT *")
    assert(values.length == 21 && values.last == ((
      100L,
      1L
    )) && lastVersion.operation.contains("Update"))
    checkByPylance()
  }

  test(
    "only deletions commit a Delete, and a row that several source rows delete is counted once"
  ) {
    create()
    source("(1L, 1L), (1L, 2L), (7L, 1L)")
    sql(s"MERGE INTO $t x USING source s ON x.id = s.id WHEN MATCHED THEN DELETE")
    assert(values.length == 18 && lastVersion.operation.contains("Delete"))
    assert(lastVersion.rowsDeleted.contains(2L))
    checkByPylance()
  }

  test("two rows of the source that change the same row are an error without effect") {
    create()
    source("(1L, 1L), (1L, 2L)")
    val e = intercept[Exception](
      sql(s"MERGE INTO $t x USING source s ON x.id = s.id WHEN MATCHED THEN UPDATE SET *")
    )
    assert(conditions(e).contains("MERGE_CARDINALITY_VIOLATION"))
    assert(table.version == 1 && folder.resolve("t/data").toFile.list().length == 4)
  }

  private def conditions(e: Throwable): Seq[String] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).collect {
      case t: SparkThrowable => t.condition
    }.toSeq

  /** Splits the rows of the source that match a row over several tasks. */
  private def withSplitSources[A](body: => A): A = {
    val adaptive = "spark.sql.adaptive"
    val configuration = Map(
      "spark.sql.autoBroadcastJoinThreshold" -> "-1",
      s"$adaptive.advisoryPartitionSizeInBytes" -> "1b",
      s"$adaptive.skewJoin.skewedPartitionThresholdInBytes" -> "1b",
      s"$adaptive.skewJoin.skewedPartitionFactor" -> "0.1"
    )
    configuration.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally configuration.keys.foreach(key => spark.conf.unset(key))
  }

  Seq(false, true).foreach { stable =>
    val which = if (stable) "with stable row ids" else "without stable row ids"

    test(s"two tasks that change the same row are an error, unless both delete it, $which") {
      create(5, stable)
      spark.range(0, 2, 1, 2).selectExpr("id % 1 + 3 AS id", "id AS value")
        .createOrReplaceTempView("source")
      val merge = s"MERGE INTO $t x USING source s ON x.id = s.id"
      withSplitSources {
        Seq(
          "WHEN MATCHED THEN UPDATE SET value = s.value",
          "WHEN MATCHED AND s.value = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET value = s.value",
          "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        ).foreach { clauses =>
          val e = intercept[Exception](sql(s"$merge $clauses"))
          assert(conditions(e).contains("MERGE_CARDINALITY_VIOLATION"), clauses)
        }
        assert(table.version == 1 && folder.resolve("t/data").toFile.list().length == 1)
        sql(s"$merge WHEN MATCHED THEN DELETE")
      }
      assert(values.map(_._1) == Seq(0L, 1L, 2L, 4L))
      assert(lastVersion.properties("lance.spark.deletedRows") == "1")
    }
  }

  test("the table itself and a query as the source, and null keys") {
    create()
    sql(s"INSERT INTO $t VALUES (NULL, 1)")
    sql(
      s"""MERGE INTO $t x USING (SELECT id + 1 AS id, value FROM $t WHERE id < 3) s ON x.id = s.id
         |WHEN MATCHED THEN UPDATE SET value = s.value
         |WHEN NOT MATCHED BY SOURCE AND x.id > 5 THEN DELETE""".stripMargin
    )
    val found = rows(s"SELECT id, value FROM $t ORDER BY id NULLS FIRST")
    assert(found == Seq(Row(null, 1L), Row(0L, 0L), Row(1L, 0L), Row(2L, 10L), Row(3L, 20L)) ++
      Seq(Row(4L, 40L), Row(5L, 50L)))
  }

  test("keys that are row ids or addresses") {
    create(stable = true)
    source("(3L, 1L), (4L, 2L), (99L, 3L)")
    sql(
      s"MERGE INTO $t x USING source s ON x._rowid = s.id WHEN MATCHED THEN UPDATE SET value = s.value"
    )
    assert(values.slice(2, 6) == Seq((2L, 20L), (3L, 1L), (4L, 2L), (5L, 50L)))
    sql(
      s"""MERGE INTO $t x USING (SELECT _rowaddr AS a FROM $t WHERE id > 16) s ON x._rowaddr = s.a
         |WHEN MATCHED AND x._fragid = 3 THEN DELETE
         |WHEN NOT MATCHED BY SOURCE AND x.id < 2 THEN UPDATE SET value = 7""".stripMargin
    )
    assert(values.map(_._1) == (0L to 16L) && values.take(2).map(_._2) == Seq(7L, 7L))
    assert(column("_rowid").forall(i => i._1 == i._2))
    checkByPylance()
  }

  test("WITH SCHEMA EVOLUTION adds the columns of the source") {
    create(stable = true)
    sql("SELECT * FROM VALUES (1L, 1L, 'a', 1), (50L, 2L, 'b', 2) AS s(id, value, text, n)")
      .createOrReplaceTempView("wide")
    val merge = s"INTO $t x USING wide s ON x.id = s.id WHEN MATCHED THEN UPDATE SET * " +
      "WHEN NOT MATCHED THEN INSERT *"
    sql(s"MERGE $merge")
    assert(table.schema.fields.map(_.name) == Seq("id", "value") && values(1) == ((1L, 1L)))
    sql(s"DELETE FROM $t WHERE id = 50")
    sql(s"MERGE WITH SCHEMA EVOLUTION $merge")
    assert(rows(s"SELECT * FROM $t WHERE text IS NOT NULL ORDER BY id") ==
      Seq(Row(1L, 1L, "a", 1), Row(50L, 2L, "b", 2)))
    assert(rows(s"SELECT count(*), count(text) FROM $t") == Seq(Row(21L, 2L)))
    assert(column("_rowid").apply(1L) == 1L)
    checkByPylance()
  }

  test("from a DataFrame") {
    create()
    source("(1L, 1L), (100L, 1L)")
    val frame = spark.table("source").select(col("id").as("k"), col("value").as("v"))
    FrameMerge(frame, t, col("id") === col("k"))
      .whenMatched().update(Map("value" -> col("v")))
      .whenNotMatched().insert(Map("id" -> col("k"), "value" -> col("v")))
      .whenNotMatchedBySource(expr("id > 10")).delete()
      .merge()
    assert(values.map(_._1) == (0L to 10L) :+ 100L && values(1) == ((1L, 1L)))
    checkByPylance()
  }

  test("a merge without matches commits no version, and invalid assignments are rejected") {
    create()
    source("(100L, 1L)")
    sql(s"MERGE INTO $t x USING source s ON x.id = s.id WHEN MATCHED THEN UPDATE SET *")
    assert(table.version == 1)
    intercept[AnalysisException](sql(
      s"MERGE INTO $t x USING source s ON x.id = s.id WHEN MATCHED THEN UPDATE SET nothing = 1"
    ))
    assert(table.version == 1)
  }

  test("changed rows are counted") {
    create()
    source("(1L, 1L), (2L, 2L), (100L, 1L)")
    val command = ran(
      s"""MERGE INTO $t x USING source s ON x.id = s.id
         |WHEN MATCHED AND s.value = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET *
         |WHEN NOT MATCHED THEN INSERT *""".stripMargin
    )
    Seq("lanceDeletedRows", "lanceUpdatedRows", "lanceInsertedRows").foreach { m =>
      assert(RowLevelSuite.metric(command, m) == 1, m)
    }
    assert(RowLevelSuite.metric(command, "lanceRowsWritten") == 2)
  }

  test("metadata columns cannot be set") {
    create()
    source("(1L, 1L), (50L, 5L)")
    sql("CREATE TABLE lake.merged (id BIGINT, value BIGINT)")
    try
      for {
        name <- Seq(t, "lake.merged")
        clause <- Seq(
          "MATCHED THEN UPDATE SET value = 1, x._fragid = 2",
          "NOT MATCHED THEN INSERT (id, _fragid) VALUES (s.id, 2)",
          "NOT MATCHED BY SOURCE THEN UPDATE SET _fragid = id"
        )
      } withClue(s"$name, $clause\n") {
        val e = intercept[AnalysisException](
          sql(s"MERGE INTO $name x USING source s ON x.id = s.id WHEN $clause")
        )
        assert(e.condition == "DATATYPE_MISMATCH.INVALID_ROW_LEVEL_OPERATION_ASSIGNMENTS")
        assert(e.getMessage.contains("'_fragid' is a metadata column"), e.getMessage)
      }
    finally sql("DROP TABLE lake.merged"): Unit
    assert(table.version == 1)
  }

  test("the history shows statements, and transactions show operations of the format") {
    sql(s"CREATE TABLE $t AS SELECT id, id * 10 AS value FROM range(20)")
    source("(100L, 1L)")
    val merge = s"INTO $t x USING source s ON x.id = s.id"
    val statements = Seq(
      s"MERGE $merge WHEN NOT MATCHED THEN INSERT *" -> "MERGE",
      s"MERGE $merge WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *" -> "MERGE",
      s"MERGE $merge WHEN MATCHED THEN DELETE" -> "MERGE",
      s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING (SELECT 200L AS id, 'a' AS more) s ON x.id = s.id " +
        "WHEN NOT MATCHED THEN INSERT *" -> "MERGE",
      s"MERGE WITH SCHEMA EVOLUTION INTO $t x USING (SELECT 1L AS id, 'a' AS more2) s ON x.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET *" -> "MERGE",
      s"MERGE INTO $t.`?as=y&commitMessage=m` USING (SELECT 201L AS id) s ON y.id = s.id " +
        "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)" -> "MERGE",
      s"UPDATE $t SET value = 0 WHERE id = 1" -> "UPDATE",
      s"DELETE FROM $t WHERE id = 2" -> "DELETE",
      s"DELETE FROM $t WHERE _rowaddr = 3" -> "DELETE",
      s"ALTER TABLE $t ADD COLUMNS (n INT)" -> "ALTER TABLE",
      s"ALTER TABLE $t ADD COLUMNS (m AS (id + 1))" -> "ALTER TABLE",
      s"ALTER TABLE $t SET TBLPROPERTIES ('a' = 'b')" -> "ALTER TABLE",
      s"ALTER TABLE $t UPDATE COLUMNS m FROM (SELECT _rowaddr, 1L AS m FROM $t)" -> "ALTER TABLE",
      s"INSERT INTO $t (id) VALUES (300)" -> "Append"
    )
    statements.foreach { case (statement, _) => sql(statement): Unit }
    def operations(view: String) =
      rows(s"SELECT operation FROM $t.$view ORDER BY version").map(_.getString(0))
    assert(operations("history") == "CREATE TABLE AS SELECT" +: statements.map(_._2))
    assert(operations("transactions").take(4) == Seq("Overwrite", "Update", "Update", "Delete"))
    assert(rows(s"DESCRIBE HISTORY $t").reverse.map(_.getString(2)) == operations("history"))
    sql(s"OPTIMIZE $t")
    assert(rows(s"DESCRIBE HISTORY $t").take(2).map(_.getString(2)) == Seq("OPTIMIZE", "OPTIMIZE"))
    assert(operations("transactions").takeRight(2) == Seq("ReserveFragments", "Rewrite"))
    sql(s"RESTORE $t TO VERSION AS OF 1")
    sql(s"CREATE OR REPLACE TABLE $t AS SELECT 1L AS id, 2L AS value")
    assert(operations("history").takeRight(2) == Seq("RESTORE", "REPLACE TABLE AS SELECT"))
    checkByPylance()
  }
}
