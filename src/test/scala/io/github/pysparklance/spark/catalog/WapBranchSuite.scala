// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** The session configuration `spark.lance.wap.branch`. */
class WapBranchSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark: SparkSession = SharedSpark.newInterpreted()

  private def auditing[A](branch: String)(body: => A): A = {
    spark.conf.set(WapBranch.configuration, branch)
    try body
    finally spark.conf.unset(WapBranch.configuration)
  }

  private def ids(name: String): Seq[Long] =
    spark.table(name).collect().map(_.getLong(0)).toSeq.sorted

  test("writes go to the branch, which the first write creates, and reads use it") {
    val path = folder.resolve("t").toString
    spark.range(3).write.format("lance").save(path)
    val t = s"lake.`$path`"
    auditing("audit") {
      assert(ids(t) == (0 to 2) && LanceTable.branches(Storage.local, path).list().isEmpty)
      intercept[AnalysisException](spark.sql(s"INSERT INTO $t VALUES ('a', 'b')"))
      assert(LanceTable.branches(Storage.local, path).list().isEmpty)
      spark.sql(s"INSERT INTO $t VALUES (10)")
      assert(ids(t) == Seq(0, 1, 2, 10) && ids(s"$t.branch_main") == (0 to 2))
      spark.range(20, 21).write.format("lance").mode("append").save(path)
      assert(ids(t) == Seq(0, 1, 2, 10, 20))
      assert(spark.read.format("lance").load(path).count() == 5)
      spark.sql(s"INSERT INTO $t.branch_main VALUES (3)")
      assert(spark.sql(s"SELECT * FROM $t VERSION AS OF 1").count() == 3)
    }
    assert(ids(t) == (0 to 3) && ids(s"$t.branch_audit") == Seq(0, 1, 2, 10, 20))
    // publish
    spark.sql(s"INSERT OVERWRITE $t SELECT * FROM $t.branch_audit")
    assert(ids(t) == Seq(0, 1, 2, 10, 20))
  }

  test("statements that replace a table are rejected") {
    val t = "lake.replaced_in_audit"
    spark.range(3).writeTo(t).create()
    auditing("audit") {
      val rows = spark.range(9)
      Seq[() => Any](
        () => spark.sql(s"CREATE OR REPLACE TABLE $t AS SELECT 7L AS id"),
        () => spark.sql(s"CREATE OR REPLACE TABLE $t (id BIGINT)"),
        () => rows.write.mode("overwrite").saveAsTable(t),
        () => rows.writeTo(t).replace(),
        () => rows.writeTo(t).createOrReplace()
      ).foreach { statement =>
        val e = intercept[Exception](statement())
        assert(e.getMessage.contains(WapBranch.configuration), e)
      }
      rows.writeTo("lake.new_in_audit").createOrReplace()
    }
    assert(ids(t) == (0 to 2) && ids("lake.new_in_audit").length == 9)
    Seq(t, "lake.new_in_audit").foreach(name => spark.sql(s"DROP TABLE $name"))
  }

  test("other statements than writes also use the branch, and create it") {
    Seq(
      "UPDATE %s SET x = x + 1" -> "columns",
      "ALTER TABLE %s UPDATE COLUMNS x FROM (SELECT _rowaddr, 7L AS x FROM %s)" -> "auto",
      "ALTER TABLE %s ADD COLUMNS (y AS (id + 1))" -> "auto",
      "OPTIMIZE %s ZORDER BY (id)" -> "auto"
    ).zipWithIndex.foreach { case ((statement, mode), i) =>
      val path = folder.resolve(s"t$i").toString
      val rows = spark.range(10).selectExpr("id", "0L AS x")
      rows.write.format("lance").option("maxRowsPerFile", 5L).save(path)
      val t = s"lake.`$path`"
      spark.conf.set("spark.lance.write.updateMode", mode)
      try auditing("audit")(spark.sql(statement.replace("%s", t)).collect(): Unit)
      finally spark.conf.unset("spark.lance.write.updateMode")
      assert(LanceTable.open(Storage.local, path).version == 1, statement)
      val branch = LanceTable.open(Storage.local, path, Revision.OnBranch("audit", None))
      assert(branch.version == 2, statement)
    }
  }

  test("main is the table itself; invalid branch names are rejected") {
    val path = folder.resolve("t").toString
    spark.range(3).write.format("lance").save(path)
    auditing("main") {
      spark.sql(s"INSERT INTO lake.`$path` VALUES (10)")
      assert(LanceTable.branches(Storage.local, path).list().isEmpty)
    }
    val e = auditing("a b")(intercept[AnalysisException](spark.table(s"lake.`$path`")))
    assert(e.getMessage.contains("branch name"))
  }

  test("RESTORE of main, and a clone over an existing table, are rejected") {
    val (path, source) = (folder.resolve("t").toString, folder.resolve("s").toString)
    Seq(path, source).foreach(spark.range(3).write.format("lance").save(_))
    spark.sql("CREATE TABLE lake.cloned_in_audit AS SELECT 7L AS id")
    try {
      auditing("audit") {
        Seq(
          s"RESTORE lake.`$path` TO VERSION AS OF 1",
          s"CREATE OR REPLACE TABLE lake.cloned_in_audit DEEP CLONE lake.`$source`"
        ).foreach { statement =>
          val e = intercept[AnalysisException](spark.sql(statement).collect())
          assert(e.getMessage.contains(WapBranch.configuration), statement)
        }
        spark.sql(s"RESTORE lake.`$path`.branch_main TO VERSION AS OF 1")
      }
      assert(ids("lake.cloned_in_audit") == Seq(7L))
    } finally spark.sql("DROP TABLE lake.cloned_in_audit"): Unit
  }
}
