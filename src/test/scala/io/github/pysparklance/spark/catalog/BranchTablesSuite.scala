// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.time.Duration

import org.apache.spark.sql.{AnalysisException, Row, SparkSession}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.testkit.{Pylance, SharedSpark, SparkLine, TemporaryFolder}

/** Reads and writes of `t.branch_x` and `t.tag_x` in both catalogs and by path. */
class BranchTablesSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark: SparkSession = {
    val s = SharedSpark.newInterpreted()
    s.conf.set(
      "spark.sql.catalog.spark_catalog",
      "io.github.pysparklance.spark.LanceSessionCatalog"
    )
    s
  }

  private def ids(name: String): Seq[Long] =
    spark.table(name).collect().map(_.getLong(0)).toSeq.sorted

  private def location(name: String): String =
    spark.sql(s"DESCRIBE TABLE EXTENDED $name").where("col_name = 'Location'").head()
      .getString(1).stripPrefix("file:")

  /** A table with ids 0 to 4, the tag v1 of its second version with 0 to 2, and a branch that
    * begins there.
    */
  private def fill(name: String): String = {
    spark.sql(s"INSERT INTO $name VALUES (0), (1), (2)")
    val path = location(name)
    LanceTable.tags(Storage.local, path).create("v1")
    LanceTable.branches(Storage.local, path).create("dev", Revision.Tagged("v1"))
    spark.sql(s"INSERT INTO $name VALUES (3), (4)"): Unit
    path
  }

  /** @param name name of the table in SQL, which a selector can follow */
  private def check(name: String, path: String): Assertion = {
    assert(ids(name) == (0 to 4) && ids(s"$name.tag_v1") == (0 to 2))
    assert(ids(s"$name.branch_dev") == (0 to 2) && ids(s"$name.BRANCH_main") == (0 to 4))
    spark.sql(s"INSERT INTO $name.branch_dev VALUES (10)")
    spark.range(11, 13).writeTo(s"$name.branch_dev").append()
    assert(ids(s"$name.branch_dev") == Seq(0, 1, 2, 10, 11, 12) && ids(name) == (0 to 4))
    val travelled = spark.sql(s"SELECT id FROM $name.branch_dev VERSION AS OF 3 ORDER BY id")
    assert(travelled.collect().map(_.getLong(0)).toSeq == Seq(0, 1, 2, 10))
    spark.sql(s"INSERT OVERWRITE $name.branch_dev VALUES (7)")
    assert(ids(s"$name.branch_dev") == Seq(7) && ids(name) == (0 to 4))
    assert(Pylance.rows(path, branch = Some("dev")).map(_.get("id").asLong) == Seq(7L))
    assert(Pylance.rows(path).map(_.get("id").asLong).sorted == (0 to 4))
    assert(Pylance.validate(path, branch = Some("dev")) == 1)
    changeRows(name)
    // joined with the table itself
    val joined = spark.sql(s"SELECT count(*) FROM $name a, $name.branch_dev b, $name.tag_v1 c")
    assert(joined.head().getLong(0) == 15)
    rejects(name)
    assert(ids(s"$name.tag_v1") == (0 to 2) && ids(name) == (0 to 4))
  }

  private def changeRows(name: String): Assertion = {
    val branch = s"$name.branch_dev"
    spark.sql(s"INSERT INTO $branch VALUES (8), (9)")
    spark.sql(s"DELETE FROM $branch WHERE id = 8")
    spark.sql(s"UPDATE $branch SET id = id + 10 WHERE id = 9")
    spark.sql(
      s"MERGE INTO $branch t USING $name.tag_v1 s ON t.id = s.id + 7 " +
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *"
    )
    assert(ids(branch) == Seq(1, 2, 19) && ids(name) == (0 to 4))
    spark.sql(s"DELETE FROM $branch")
    assert(ids(branch).isEmpty && ids(name) == (0 to 4))
    spark.sql(s"INSERT INTO $branch VALUES (7)")
    spark.sql(s"ALTER TABLE $branch SET TBLPROPERTIES ('stage' = 'draft')")
    def properties(of: String) =
      spark.sql(s"SHOW TBLPROPERTIES $of").collect().map(r =>
        r.getString(0) -> r.getString(1)
      ).toMap
    assert(properties(branch).get("stage").contains("draft") && properties(branch)(
      "lance.branch"
    ) == "dev")
    assert(!properties(name).contains("stage") && !properties(name).contains("lance.branch"))
  }

  private def rejects(name: String): Unit = {
    def rejected(run: => Any): String = intercept[AnalysisException](run).getMessage
    val tag = rejected(spark.sql(s"INSERT INTO $name.tag_v1 VALUES (9)"))
    assert(tag.contains("tag v1") && tag.contains("cannot be written") && tag.contains("branch"))
    for (
      change <- Seq(
        "DELETE FROM %s WHERE id = 1",
        "DELETE FROM %s",
        "UPDATE %s SET id = 0",
        "TRUNCATE TABLE %s",
        "ALTER TABLE %s SET TBLPROPERTIES ('a' = 'b')",
        "ALTER TABLE %s ADD COLUMN c INT"
      )
    ) assert(
      rejected(spark.sql(change.format(s"$name.tag_v1"))).contains("cannot be written"),
      change
    )
    assert(rejected(spark.range(3).writeTo(s"$name.tag_v1").append()).contains("cannot be written"))
    assert(rejected(spark.table(s"$name.branch_nope")).contains("not found: branch nope"))
    assert(rejected(spark.table(s"$name.tag_nope")).contains("not found: tag nope"))
    assert(rejected(spark.sql(s"SELECT * FROM $name.tag_v1 VERSION AS OF 1")).contains("tag v1"))
    assert(rejected(spark.table(s"$name.nothing")).contains("TABLE_OR_VIEW_NOT_FOUND") ||
      rejected(spark.table(s"$name.nothing")).contains("REQUIRES_SINGLE_PART_NAMESPACE"))
    rejected(spark.sql(s"DROP TABLE $name.branch_dev")): Unit
  }

  test("a table of LanceCatalog") {
    spark.sql("CREATE NAMESPACE lake.refs")
    try {
      spark.sql("CREATE TABLE lake.refs.t (id BIGINT)")
      val path = fill("lake.refs.t")
      check("lake.refs.t", path)
      spark.sql("USE lake.refs")
      assert(ids("t.branch_dev") == Seq(7) && ids("t.tag_v1") == (0 to 2))
      spark.sql("INSERT INTO t.branch_dev VALUES (8)")
      assert(ids("refs.t.branch_dev") == Seq(7, 8))
      // a table with this name takes precedence
      spark.sql("CREATE NAMESPACE lake.refs.t")
      spark.sql("CREATE TABLE lake.refs.t.branch_dev AS SELECT 99L AS id")
      assert(ids("lake.refs.t.branch_dev") == Seq(99))
    } finally {
      spark.sql("USE spark_catalog.default")
      spark.sql("DROP NAMESPACE lake.refs CASCADE"): Unit
    }
  }

  test("a table of LanceSessionCatalog, with names of one, two, and three parts") {
    spark.sql("CREATE TABLE branched (id BIGINT) USING lance")
    try {
      val path = fill("branched")
      check("branched", path)
      assert(ids("default.branched.branch_dev") == Seq(7))
      assert(ids("spark_catalog.default.branched.tag_v1") == (0 to 2))
      spark.sql("INSERT INTO default.branched.branch_dev SELECT id + 20 FROM branched.tag_v1")
      assert(ids("branched.branch_dev") == Seq(7, 20, 21, 22))
      spark.sql("REFRESH TABLE branched.branch_dev")
      spark.sql("CREATE TABLE plain USING parquet AS SELECT 1L AS id")
      intercept[AnalysisException](spark.table("plain.branch_dev"))
    } finally Seq("branched", "plain").foreach(t => spark.sql(s"DROP TABLE IF EXISTS $t"))
  }

  test("a path through a catalog") {
    val path = folder.resolve("t").toString
    spark.range(0).write.format("lance").save(path)
    fillPath(path)
    check(s"lake.`$path`", path)
    assert(ids(s"lake.`$path@v2`") == (0 to 2))
  }

  private def fillPath(path: String): Unit = {
    def append(from: Long, until: Long): Unit =
      spark.range(from, until).write.format("lance").mode("append").save(path)
    append(0, 3)
    LanceTable.tags(Storage.local, path).create("v1")
    LanceTable.branches(Storage.local, path).create("dev", Revision.Tagged("v1"))
    append(3, 5)
  }

  test("options of reads and writes by name select columns since Spark 4.3") {
    assume(SparkLine.isFrom("4.3"))
    for ((name, using) <- Seq("lake.optional" -> "", "optional" -> "USING lance")) {
      spark.sql(s"CREATE TABLE $name (id BIGINT, span BIGINT) $using TBLPROPERTIES " +
        "('column.span.lance.type' = 'duration:us')")
      try {
        spark.sql(s"INSERT INTO $name VALUES (1, 1000000)")
        spark.sql(s"ALTER TABLE $name CREATE BRANCH dev")
        spark.sql(s"ALTER TABLE $name.branch_dev ADD COLUMNS (n INT)")
        spark.sql(s"INSERT INTO $name.branch_dev VALUES (2, 0, 7)")
        def dev = spark.read.option("branch", "dev").table(name)
        assert(dev.select("n").orderBy("id").collect().toSeq == Seq(Row(null), Row(7)))
        val joined = spark.sql(
          s"SELECT a.id, b.n FROM $name a JOIN $name WITH (`Branch` = 'dev') b ON a.id + 1 = b.id"
        )
        assert(joined.collect().toSeq == Seq(Row(1L, 7)))
        val before = dev
        spark.range(3, 4).selectExpr("id", "0L AS span", "8 AS n")
          .writeTo(name).option("branch", "dev").append()
        assert(before.where("n = 8").count() == 1 && spark.table(name).count() == 1)
        spark.sql(s"INSERT INTO $name WITH (`branch` = 'dev') VALUES (4, 0, 9)")
        assert(dev.where("n > 7").count() == 2 && spark.table(name).columns.length == 2)
        val native =
          spark.read.option("native_time_types", "true").option("branch", "dev").table(name)
        assert(native.schema("span").dataType.typeName.startsWith("interval"))
        assert(native.where("id = 1").head().getAs[Duration]("span") == Duration.ofSeconds(1))
        assert(spark.table(name).schema("span").dataType.typeName == "long")
      } finally spark.sql(s"DROP TABLE $name"): Unit
    }
  }

  test("a path with options and a version") {
    val path = folder.resolve("t").toString
    spark.range(0).write.format("lance").save(path)
    fillPath(path)
    def read(options: (String, String)*)(at: String): Seq[Long] =
      spark.read.format("lance").options(options.toMap).load(at).collect().map(_.getLong(0)).toSeq
    def write(from: Long, options: (String, String)*)(at: String): Unit =
      spark.range(from, from + 1).write.format("lance").options(options.toMap).mode("append")
        .save(at)
    assert(read()(s"$path@v2") == Seq(0, 1, 2) && read()(s"$path@v3").length == 5)
    val time = LanceTable.open(Storage.local, path, Some(2L)).manifest.timestamp.plusMillis(1)
    val text = time.toString.filter(_.isDigit).take(17).padTo(17, '0')
    assert(read()(s"$path@$text") == Seq(0, 1, 2))
    write(10, "branch" -> "dev")(path)
    assert(read("branch" -> "dev")(path) == Seq(0, 1, 2, 10) && read()(path).length == 5)
    assert(read("branch" -> "dev", "version" -> "2")(path) == Seq(0, 1, 2))
    spark.range(20, 21).writeTo(s"lake.`$path`").option("branch", "dev").append()
    assert(read("branch" -> "dev")(path) == Seq(0, 1, 2, 10, 20) && read()(path).length == 5)
    for (
      (options, at) <- Seq(
        Seq.empty -> s"$path@v2",
        Seq("tag" -> "v1") -> path,
        Seq("version" -> "2") -> path,
        Seq("timestampAsOf" -> time.toString) -> path
      )
    ) {
      val e = intercept[AnalysisException](write(30, options: _*)(at))
      // Since 4.3, Spark rejects its own option itself.
      val bySpark = SparkLine.isFrom("4.3") && options.exists(_._1 == "timestampAsOf")
      val message = if (bySpark) "Time travel on the relation" else "cannot be written"
      assert(e.getMessage.contains(message), options.toString)
    }
    assert(intercept[AnalysisException](read("tag" -> "v1")(s"$path@v3")).getMessage
      .contains("does not go together"))
    // Without a table, the name has no selector.
    write(1)(s"$path-new@v2")
    assert(read()(s"$path-new@v2") == Seq(1) && read()(path).length == 5)
  }
}
