// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import java.nio.file.{Files, Paths}

import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{Pylance, SharedSpark, TemporaryFolder}

/** OPTIMIZE, VACUUM and clones, as statements and as procedures. */
class MaintenanceStatementsSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted
  private def sql(text: String): Seq[Row] = spark.sql(text).collect().toSeq
  private def rejected(text: String): String = intercept[AnalysisException](sql(text)).getMessage

  private def path: String = folder.resolve("t").toString
  private def t: String = s"lance.`$path`"

  /** Four fragments of two rows, in versions 1 to 4. */
  override def beforeEach(): Unit = {
    super.beforeEach()
    sql(s"CREATE TABLE $t AS SELECT id, id % 3 AS k FROM range(0, 2, 1, 1)")
    Seq(2, 4, 6).foreach(i =>
      sql(s"INSERT INTO $t SELECT id, id % 3 FROM range($i, ${i + 2}, 1, 1)")
    )
  }

  private def fragments: Int = Pylance.fragments(path).length
  private def ids: Seq[Long] = Pylance.rows(path).map(_.get("id").asLong)

  test("OPTIMIZE merges fragments; a second one has no effect") {
    val done = spark.sql(s"OPTIMIZE $t").head()
    assert(done.getAs[Long]("fragments_removed") == 4 && done.getAs[Long]("fragments_added") == 1)
    assert(fragments == 1 && ids == (0L until 8L))
    val version = sql(s"DESCRIBE HISTORY $t LIMIT 1").head.getLong(0)
    assert(sql(s"optimize $t;").head.getLong(0) == 0)
    assert(sql(s"DESCRIBE HISTORY $t LIMIT 1").head.getLong(0) == version)
  }

  test("OPTIMIZE WITH accepts pylance's option names in any spelling") {
    sql(s"OPTIMIZE $t WITH (target_rows_per_fragment = 4, 'materialize-deletions' = false)")
    assert(fragments == 2 && ids == (0L until 8L))
    assert(rejected(
      s"OPTIMIZE $t WITH (target_row_per_fragment = 4)"
    ).contains("target_rows_per_fragment"))
    assert(rejected(s"OPTIMIZE $t WITH (target_rows_per_fragment = 'many')").contains("many"))
    assert(fragments == 2)
  }

  test("OPTIMIZE WHERE does not change fragments without matching rows") {
    sql(s"OPTIMIZE $t WHERE id >= 4")
    assert(fragments == 3 && ids == (0L until 8L))
    assert(rejected(s"OPTIMIZE $t WHERE nothing = 1").contains("nothing"))
    assert(sql(s"OPTIMIZE $t WHERE id > 100").head.getLong(0) == 0)
  }

  test("OPTIMIZE ZORDER BY sorts") {
    sql(s"OPTIMIZE $t ZORDER BY (k)")
    assert(Pylance.rows(path).map(_.get("k").asLong) == Seq(0, 0, 0, 1, 1, 1, 2, 2))
    assert(Pylance.rows(path).map(_.get("id").asLong).toSet == (0L until 8L).toSet)
    sql(s"OPTIMIZE $t WHERE id >= 0 ZORDER BY k, id WITH (target_rows_per_fragment = 100)")
    assert(rejected(s"OPTIMIZE $t ZORDER BY (nothing)").contains("nothing"))
  }

  test("statements on a branch change only the branch, and a tag cannot be changed") {
    def onBranch: Int = Pylance.fragments(path, branch = Some("dev")).length
    sql(s"ALTER TABLE $t CREATE BRANCH dev")
    sql(s"ALTER TABLE $t CREATE TAG four")
    sql(s"OPTIMIZE $t.branch_dev")
    assert(fragments == 4 && onBranch == 1)
    sql(s"RESTORE $t.branch_dev TO VERSION AS OF 4")
    assert(fragments == 4 && onBranch == 4)
    sql(s"ALTER TABLE $t.branch_dev ADD COLUMNS (twice AS (id * 2))")
    assert(sql(s"SELECT sum(twice) FROM $t.branch_dev").head.getLong(0) == 56)
    assert(!spark.table(t).columns.contains("twice"))
    for (statement <- Seq("OPTIMIZE %s", "RESTORE %s TO VERSION AS OF 1", "VACUUM %s"))
      assert(rejected(statement.format(s"$t.tag_four")).contains("cannot be written"), statement)
    assert(fragments == 4)
  }

  test("CALL compact does what OPTIMIZE does") {
    assert(
      sql(s"CALL lance.system.compact('$path', target_rows_per_fragment => 4)").head.getLong(0) == 4
    )
    assert(fragments == 2)
    sql(s"CALL lance.system.compact('$path', fragment_ids => array(999L))")
    assert(fragments == 2)
    sql(s"CALL lance.system.compact(table => '$path', where => 'id > 0', zorder_by => array('k'))")
    assert(Pylance.rows(path).map(_.get("k").asLong).take(3) == Seq(0, 0, 0))
  }

  test("VACUUM removes old versions without tags") {
    sql(s"ALTER TABLE $t CREATE TAG two AS OF VERSION 2")
    assert(rejected(s"VACUUM $t RETAIN 0 HOURS").contains("two"))
    val keep = "error_if_tagged_old_versions = false"
    val listed = spark.sql(s"VACUUM $t RETAIN 0 HOURS DRY RUN WITH ($keep)")
    assert(listed.columns.head == "path" && listed.count() > 0)
    assert(Pylance.versions(path).length == 4)
    val done = spark.sql(s"VACUUM $t RETAIN 0 HOURS WITH ($keep)").head()
    assert(done.getAs[Long]("old_versions") == 2 && done.getAs[Long]("bytes_removed") > 0)
    assert(Pylance.versions(path).map(_.get("version").asLong) == Seq(2, 4))
    assert(Pylance.validate(path) == 8)
    assert(sql(s"VACUUM $t").head.getLong(0) == 0)
  }

  test("VACUUM by version and by time, and invalid options") {
    sql(s"VACUUM $t WITH (before_version = 3)")
    assert(Pylance.versions(path).map(_.get("version").asLong) == Seq(3, 4))
    sql(s"CALL lance.system.cleanup('$path', before_version => 4, dry_run => true)")
    assert(Pylance.versions(path).length == 2)
    sql(s"CALL lance.system.cleanup('$path', retain_versions => 1)")
    assert(Pylance.versions(path).length == 1)
    assert(
      rejected(s"VACUUM $t RETAIN 1 DAYS WITH (older_than = '1 day')").contains("either RETAIN")
    )
    assert(rejected(s"VACUUM $t WITH (before_versoin = 3)").contains("before_version"))
    assert(rejected(s"VACUUM $t RETAIN 5").contains("HOURS or DAYS"))
  }

  test("shallow and deep clones of versions, tags, and times") {
    val x = folder.resolve("x").toString
    sql(s"ALTER TABLE $t CREATE TAG two AS OF VERSION 2")
    sql(s"CREATE TABLE lance.`$x` SHALLOW CLONE $t VERSION AS OF 1")
    assert(Pylance.rows(x).length == 2)
    assert(rejected(s"CREATE TABLE lance.`$x` DEEP CLONE $t").contains("already exists"))
    assert(sql(s"CREATE TABLE IF NOT EXISTS lance.`$x` DEEP CLONE $t").isEmpty)
    assert(Pylance.rows(x).length == 2)
    val copied = spark.sql(s"CREATE OR REPLACE TABLE lance.`$x` DEEP CLONE $t TAG two").head()
    assert(copied.getAs[Long]("files_copied") > 0 && Pylance.rows(x).length == 4)
    sql(s"INSERT INTO lance.`$x` VALUES (100, 1)")
    assert(Pylance.rows(x).length == 5 && ids.length == 8)
    val y = folder.resolve("y").toString
    sql(s"CALL lance.system.clone('$path', '$y', version => 3)")
    assert(Pylance.rows(y).length == 6)
    assert(rejected(s"CREATE OR REPLACE TABLE $t SHALLOW CLONE $t").contains("of itself"))
    assert(
      rejected(s"CREATE OR REPLACE TABLE $t DEEP CLONE lance.`$y`").contains("has files in it")
    )
    assert(
      rejected(s"CREATE TABLE lance.`${folder.resolve("z")}` SHALLOW CLONE $t VERSION AS OF 99")
        .contains("99")
    )
    assert(ids.length == 8)
    assert(!folder.resolve("z").toFile.exists)
  }

  test("a clone that cannot be made keeps the table that it would replace") {
    val (x, lost) = (folder.resolve("x").toString, folder.resolve("lost").toString)
    sql(s"CREATE TABLE lance.`$x` DEEP CLONE $t")
    sql(s"CREATE TABLE lance.`$lost` DEEP CLONE $t")
    val (root, files) = (s"$lost/data", Storage.local.list(s"$lost/data"))
    Storage.local.delete(s"$root/${files.head.name}"): Unit
    val e = intercept[Exception](
      sql(s"CREATE OR REPLACE TABLE lance.`$x` DEEP CLONE lance.`$lost`")
    )
    assert(e.getMessage.contains("a file of the table to clone"))
    assert(Pylance.rows(x).length == 8)
  }

  test("a clone that replaces its own source by another path is rejected") {
    val link = Files.createSymbolicLink(folder.resolve("link"), Paths.get(path))
    sql(s"CREATE TABLE lance.`${folder.resolve("y")}` SHALLOW CLONE lance.`$link`")
    Seq(s"$link", s"$path/", s"file:$path", s"file://$path//").foreach { other =>
      Seq("SHALLOW", "DEEP").foreach { kind =>
        val into = s"CREATE OR REPLACE TABLE lance.`$other` $kind CLONE"
        assert(rejected(s"$into $t").contains("of itself"), other)
        assert(rejected(s"$into lance.`${folder.resolve("y")}`").contains("has files in it"), other)
      }
    }
    // On another host or mount, only the commits show that both are one table.
    val copy = folder.resolve("copy")
    Storage.local.listFiles(path).foreach { f =>
      Storage.local.copy(s"$path/${f.relativePath}", s"$copy/${f.relativePath}")
    }
    assert(rejected(s"CREATE OR REPLACE TABLE $t DEEP CLONE lance.`$copy`").contains("one table"))
    assert(ids.length == 8)
    sql(s"INSERT INTO lance.`$copy` VALUES (100, 1)")
    sql(s"CREATE OR REPLACE TABLE $t DEEP CLONE lance.`$copy`")
    assert(ids.length == 9)
  }

  test("clones in catalogs by name") {
    val session = SharedSpark.newInterpreted()
    session.conf.set(
      "spark.sql.catalog.spark_catalog",
      "io.github.pysparklance.spark.LanceSessionCatalog"
    )
    session.conf.set("spark.sql.catalog.lance.root", folder.resolve("root").toString)
    def run(text: String): Seq[Row] = session.sql(text).collect().toSeq
    run("CREATE NAMESPACE lance.db")
    run(s"CREATE TABLE lance.db.x SHALLOW CLONE $t")
    assert(run("SELECT count(*) FROM lance.db.x").head.getLong(0) == 8)
    // Rejected before the old table is dropped.
    val elsewhere = s"CREATE OR REPLACE TABLE lance.db.x DEEP CLONE $t LOCATION '/elsewhere/x'"
    assert(intercept[AnalysisException](run(elsewhere)).getMessage.contains("warehouse"))
    assert(session.catalog.tableExists("lance.db.x"))
    val e = intercept[AnalysisException](run(s"CREATE TABLE lance.nowhere.x SHALLOW CLONE $t"))
    assert(e.condition == "SCHEMA_NOT_FOUND")
    try {
      run(s"CREATE TABLE a_clone DEEP CLONE $t VERSION AS OF 2")
      assert(run("SELECT count(*) FROM a_clone").head.getLong(0) == 4)
      run("INSERT INTO a_clone VALUES (9, 9)")
      run(s"CREATE TABLE placed_clone SHALLOW CLONE a_clone LOCATION '${folder.resolve("p")}'")
      assert(run("SELECT count(*) FROM placed_clone").head.getLong(0) == 5)
      assert(Pylance.rows(folder.resolve("p").toString).length == 5)
    } finally Seq("a_clone", "placed_clone").foreach(x => run(s"DROP TABLE IF EXISTS $x"))
  }

  test("CALL import writes rows of other formats") {
    val files = folder.resolve("files").toString
    val target = folder.resolve("made").toString
    spark.range(10).selectExpr("id", "id * 2 AS d").write.parquet(files)
    assert(sql(s"CALL lance.system.import('parquet.`$files`', '$target')") == Seq(Row(10L)))
    assert(Pylance.rows(target).map(_.get("d").asLong).sum == 90)
    assert(rejected(s"CALL lance.system.import('$files', '$target', 'parquet')").contains("exists"))
    sql(s"CALL lance.system.import('$files', '$target', 'parquet', 'append')")
    assert(Pylance.rows(target).length == 20)
    sql(s"CALL lance.system.import('$files', '$target', 'parquet', mode => 'replace', " +
      "properties => map('fileVersion', '2.1'))")
    assert(Pylance.rows(target).length == 10)
    assert(
      rejected(s"CALL lance.system.import('$files', '$target', 'parquet', 'move')").contains("move")
    )
  }
}
