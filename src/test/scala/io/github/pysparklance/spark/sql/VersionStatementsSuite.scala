// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{Pylance, SharedSpark, TemporaryFolder}

/** Tags, branches, RESTORE, DESCRIBE HISTORY, and DESCRIBE DETAIL: their effects in pylance, and
  * rejected requests.
  */
class VersionStatementsSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted
  private def sql(text: String): Seq[Row] = spark.sql(text).collect().toSeq
  private def rejected(text: String): String = intercept[AnalysisException](sql(text)).getMessage

  private def path: String = folder.resolve("t").toString
  private def t: String = s"lance.`$path`"

  /** Three versions: 1 has the id 1, 2 has 1 and 2, 3 has only 9. */
  override def beforeEach(): Unit = {
    super.beforeEach()
    sql(s"CREATE TABLE $t AS SELECT 1 AS id")
    sql(s"INSERT INTO $t VALUES (2)")
    sql(s"INSERT OVERWRITE $t VALUES (9)"): Unit
  }

  private def ids(at: String = ""): Set[Int] =
    sql(s"SELECT id FROM $t $at").map(_.getInt(0)).toSet

  private def tagged: Map[String, (String, Long)] =
    sql(s"SHOW TAGS IN $t").map(r => r.getString(0) -> (r.getString(1) -> r.getLong(2))).toMap

  test("tags are created, moved, and dropped, and pylance reads them") {
    sql(s"ALTER TABLE $t CREATE TAG current")
    sql(s"ALTER TABLE $t CREATE TAG `one.0` AS OF VERSION 1")
    sql(s"ALTER TABLE $t CREATE TAG '2026-q1' AS OF TAG `one.0`")
    assert(tagged == Map(
      "current" -> ("main", 3L),
      "one.0" -> ("main", 1L),
      "2026-q1" -> ("main", 1L)
    ))
    assert(ids("VERSION AS OF 'one.0'") == Set(1))
    assert(Pylance.tags(path).get("one.0").get("version").asLong == 1)
    assert(rejected(s"ALTER TABLE $t CREATE TAG current").contains("exists already"))
    sql(s"ALTER TABLE $t CREATE TAG IF NOT EXISTS current AS OF VERSION 1")
    assert(tagged("current") == ("main", 3L))
    sql(s"alter table $t create or replace tag current as of version 2")
    sql(s"ALTER TABLE $t CREATE OR REPLACE TAG other")
    assert(tagged("current") == ("main", 2L) && tagged("other") == ("main", 3L))
    assert(Pylance.tags(path).get("current").get("version").asLong == 2)
    sql(s"ALTER TABLE $t DROP TAG current")
    assert(rejected(s"ALTER TABLE $t DROP TAG current").contains("tag current"))
    sql(s"ALTER TABLE $t DROP TAG IF EXISTS current")
    assert(Pylance.tags(path).fieldNames.asScala.toSet == Set("one.0", "2026-q1", "other"))
    assert(rejected(s"ALTER TABLE $t CREATE TAG x AS OF VERSION 77").contains("77"))
    assert(rejected(s"ALTER TABLE $t CREATE TAG `a b`").contains("not valid"))
    assert(rejected(s"ALTER TABLE $t CREATE TAG x AS OF BRANCH nowhere").contains("nowhere"))
    assert(tagged.size == 3)
  }

  test("branches start at the given version, and pylance reads and writes them") {
    sql(s"ALTER TABLE $t CREATE BRANCH dev AS OF VERSION 2")
    sql(s"ALTER TABLE $t CREATE BRANCH `team/fix` AS OF BRANCH dev VERSION 2")
    sql(s"ALTER TABLE $t CREATE BRANCH IF NOT EXISTS dev")
    val shown =
      sql(s"SHOW BRANCHES FROM $t").map(r => (r.getString(0), r.getString(1), r.getLong(2)))
    assert(shown == Seq(("dev", "main", 2L), ("team/fix", "dev", 2L)))
    assert(Pylance.rows(path, branch = Some("dev")).map(_.get("id").asInt).toSet == Set(1, 2))
    Pylance.run(
      "lance.write_dataset(pa.table({'id': pa.array([5], pa.int32())}), " +
        "dataset(path).checkout_version(('dev', None)), mode='append'); result = None",
      "path" -> path
    )
    assert(ids("VERSION AS OF 'dev'") == Set(1, 2, 5))
    sql(s"ALTER TABLE $t CREATE TAG on_dev AS OF BRANCH dev")
    assert(tagged("on_dev") == ("dev", 3L))
    assert(rejected(s"ALTER TABLE $t DROP BRANCH dev").contains("team/fix was created from"))
    sql(s"ALTER TABLE $t DROP BRANCH `team/fix`")
    assert(rejected(s"ALTER TABLE $t DROP BRANCH dev").contains("tag on_dev references"))
    assert(
      rejected(s"ALTER TABLE $t CREATE OR REPLACE BRANCH dev").contains("tag on_dev references")
    )
    sql(s"ALTER TABLE $t DROP TAG on_dev")
    assert(rejected(s"ALTER TABLE $t CREATE OR REPLACE BRANCH dev AS OF VERSION 8").contains("8"))
    assert(rejected(s"ALTER TABLE $t CREATE OR REPLACE BRANCH dev AS OF BRANCH dev")
      .contains("of itself"))
    assert(ids("VERSION AS OF 'dev'") == Set(1, 2, 5))
    sql(s"ALTER TABLE $t CREATE OR REPLACE BRANCH dev AS OF VERSION 1")
    assert(ids("VERSION AS OF 'dev'") == Set(1))
    assert(Pylance.rows(path, branch = Some("dev")).length == 1)
    sql(s"ALTER TABLE $t DROP BRANCH dev")
    assert(rejected(s"ALTER TABLE $t DROP BRANCH dev").contains("branch dev"))
    sql(s"ALTER TABLE $t DROP BRANCH IF EXISTS dev")
    assert(Pylance.branches(path).isEmpty)
  }

  test("RESTORE by number, tag, and time commits a version, also for pylance") {
    sql(s"ALTER TABLE $t CREATE TAG two AS OF VERSION 2")
    assert(sql(s"RESTORE TABLE $t TO VERSION AS OF 1") == Seq(Row(3L, 1L, 4L)) && ids() == Set(1))
    assert(sql(s"RESTORE $t TO VERSION AS OF 'two'") == Seq(Row(4L, 2L, 5L)) && ids() == Set(1, 2))
    val times = sql(s"DESCRIBE HISTORY $t").map(r => r.getLong(0) -> r.get(1)).toMap
    assert(sql(s"RESTORE $t TO TIMESTAMP AS OF '${times(3)}'") == Seq(Row(5L, 3L, 6L)))
    assert(ids() == Set(9))
    assert(sql(s"RESTORE $t TO TIMESTAMP AS OF TIMESTAMP '${times(1)}' + INTERVAL 0 DAYS").head
      .getLong(1) == 1)
    assert(sql(s"RESTORE $t TO TAG two").head == Row(7L, 2L, 8L))
    assert(Pylance.rows(path).map(_.get("id").asInt).toSet == Set(1, 2))
    assert(rejected(s"RESTORE $t TO VERSION AS OF 70").contains("70"))
    assert(rejected(s"RESTORE $t TO TAG nothing").contains("nothing"))
    assert(rejected(s"RESTORE $t TO TIMESTAMP AS OF '1999-01-01'").contains("1999"))
    assert(rejected(s"RESTORE $t TO TIMESTAMP AS OF NULL").contains("not a time"))
    sql(s"ALTER TABLE $t CREATE BRANCH dev AS OF VERSION 1")
    sql(s"ALTER TABLE $t CREATE TAG there AS OF BRANCH dev")
    assert(rejected(s"RESTORE $t TO TAG there").contains("another branch, dev"))
    assert(sql(s"DESCRIBE HISTORY $t LIMIT 1").head.getLong(0) == 8)
  }

  test("a cached table is refreshed after RESTORE") {
    sql(s"CACHE TABLE $t")
    try {
      assert(ids() == Set(9))
      sql(s"RESTORE $t TO VERSION AS OF 1")
      assert(ids() == Set(1))
    } finally sql(s"UNCACHE TABLE IF EXISTS $t"): Unit
  }

  test("DESCRIBE HISTORY counts rows by operation, the latest version first") {
    val history = sql(s"DESCRIBE HISTORY $t")
    val shown = history.map(r => (r.getLong(0), r.getString(2), r.getLong(4), r.getLong(5)))
    assert(shown == Seq(
      (3L, "Overwrite", 1L, 1L),
      (2L, "Append", 2L, 1L),
      (1L, "CREATE TABLE AS SELECT", 1L, 1L)
    ))
    assert(sql(s"DESC HISTORY $t LIMIT 2") == history.take(2))
    assert(sql(s"DESC HISTORY $t LIMIT 0").isEmpty)
    val names = spark.sql(s"DESCRIBE HISTORY $t").schema.fieldNames.toSeq
    assert(names.take(4) == Seq("version", "timestamp", "operation", "read_version"))
    // Its rows can be queried like the rows of any command.
    assert(spark.sql(s"DESCRIBE HISTORY $t").where("version > 1").count() == 2)
  }

  test("DESCRIBE DETAIL describes the table") {
    Pylance.run("dataset(path).delete('id = 2')\nresult = None", "path" -> path)
    sql(s"RESTORE $t TO VERSION AS OF 2")
    Pylance.run("dataset(path).delete('id = 2')\nresult = None", "path" -> path)
    val detail = spark.sql(s"DESCRIBE DETAIL $t").head()
    def value(name: String): Any = detail.get(detail.fieldIndex(name))
    assert(
      value("format") == "lance" && value("branch") == "main" && value("file_version") == "2.2"
    )
    assert(value("location").toString.endsWith("/t"))
    assert(value("fragments") == 1 || value("fragments") == 2)
    assert(value("rows") == 1L && value("stable_row_ids") == false)
    assert(value("size_bytes").asInstanceOf[Long] > 0)
  }
}
