// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.nio.file.{Files, Path}
import java.time.Instant

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{GoldenTables, SharedSpark, SparkLine, TemporaryFolder}

/** Versions, tags, branches and times, in SQL and as options, of tables by path and in both
  * catalogs.
  */
class TimeTravelSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = {
    val s = SharedSpark.newInterpreted()
    s.conf.set(
      "spark.sql.catalog.spark_catalog",
      "io.github.pysparklance.spark.LanceSessionCatalog"
    )
    s
  }

  /** Versions of 100, 150, 139 and 7 rows; the branch team/fix has four versions as well, 9998 rows
    * at its end.
    */
  private def table(): Path = {
    val t = GoldenTables.copy("history_v2_names.lance", folder)
    val branch = GoldenTables.copy("deletions.lance", folder)
    Files.createDirectories(t.resolve("tree/team"))
    Files.move(branch, t.resolve("tree/team/fix"))
    json(t, "branches/team%2Ffix", """{"parentBranch": null, "parentVersion": 1}""")
    json(t, "tags/first", """{"branch": null, "version": 1}""")
    json(t, "tags/on-branch", """{"branch": "team/fix", "version": 2}""")
    t
  }

  private def json(t: Path, name: String, text: String): Unit = {
    val file = t.resolve(s"_refs/$name.json")
    Files.createDirectories(file.getParent)
    Files.writeString(file, text): Unit
  }

  private def rows(df: DataFrame): Int = df.collect().length

  private def time(t: Path, version: Long): Instant =
    LanceTable.open(Storage.local, t.toString, Some(version)).manifest.timestamp

  /** SQL clauses by the number of rows that they return. */
  private def clauses(t: Path): Seq[(String, Int)] = Seq(
    "VERSION AS OF 1" -> 100,
    "VERSION AS OF '2'" -> 150,
    "VERSION AS OF 'first'" -> 100,
    "VERSION AS OF 'on-branch'" -> 16000,
    "VERSION AS OF 'team/fix'" -> 9998,
    "VERSION AS OF 'main'" -> 7,
    s"TIMESTAMP AS OF '${time(t, 3).plusMillis(1)}'" -> 139,
    "TIMESTAMP AS OF current_timestamp()" -> 7
  )

  private val missing = Seq(
    "VERSION AS OF 9" -> "not found: version 9",
    "VERSION AS OF 'nope'" -> "not found: tag or branch nope",
    "VERSION AS OF 0" -> "there is no version 0: versions are counted from 1",
    "TIMESTAMP AS OF '2001-01-01'" -> "the earliest remaining one is version 1 of 20"
  )

  private def check(name: String, t: Path): Assertion = {
    clauses(t).foreach { case (clause, n) =>
      assert(rows(spark.sql(s"SELECT * FROM $name $clause")) == n, clause)
    }
    missing.foreach { case (clause, message) =>
      val e = intercept[AnalysisException](spark.sql(s"SELECT * FROM $name $clause"))
      assert(e.getMessage.contains(message), clause)
    }
    // Options of the read also apply to tables by name.
    def read(options: (String, String)*) = spark.read.options(options.toMap).table(name)
    assert(rows(read("versionAsOf" -> "2")) == 150)
    assert(rows(read("version" -> "3")) == 139)
    assert(rows(read("tag" -> "first")) == 100)
    assert(rows(read("branch" -> "team/fix", "version" -> "1")) == 8000)
    assert(read("tag" -> "first").count() == 100)
    def withOption(option: String) = spark.sql(s"SELECT * FROM $name WITH ($option)")
    if (SparkLine.isFrom("4.0")) {
      assert(rows(withOption("`tag` = 'first'")) == 100)
      assert(rows(withOption("`branch` = 'team/fix'")) == 9998)
    } else assertThrows[ParseException](withOption("`tag` = 'first'"))
  }

  test("SQL on a path through a catalog") {
    val t = table()
    check(s"lake.`$t`", t)
  }

  test("SQL on a table of LanceCatalog") {
    spark.sql("CREATE NAMESPACE lake.travel")
    try {
      spark.sql("CREATE TABLE lake.travel.t (id INT)")
      val row = spark.sql("DESCRIBE TABLE EXTENDED lake.travel.t").where("col_name = 'Location'")
      val location = row.head().getString(1).stripPrefix("file:")
      LanceTable.drop(Storage.local, location)
      Files.move(table(), Path.of(location))
      check("lake.travel.t", Path.of(location))
    } finally spark.sql("DROP NAMESPACE lake.travel CASCADE"): Unit
  }

  test("SQL on a table of LanceSessionCatalog") {
    val t = table()
    spark.sql(s"CREATE TABLE travelled USING lance LOCATION '$t'")
    try check("travelled", t)
    finally spark.sql("DROP TABLE travelled"): Unit
  }

  test("options of a read by path") {
    val t = table()
    def read(options: (String, String)*) =
      spark.read.format("lance").options(options.toMap).load(t.toString)
    assert(rows(read("version" -> "1")) == 100)
    assert(rows(read("versionAsOf" -> "2")) == 150)
    assert(rows(read("tag" -> "on-branch")) == 16000)
    assert(rows(read("branch" -> "team/fix")) == 9998)
    assert(rows(read("branch" -> "team/fix", "version" -> "1")) == 8000)
    assert(rows(read("timestampAsOf" -> time(t, 2).toString)) == 150)
    assert(rows(read("timestampAsOf" -> (time(t, 3).toEpochMilli + 1).toString)) == 139)
    val nextYear = time(t, 3).atZone(java.time.ZoneOffset.UTC).getYear + 1
    assert(rows(read("timestampAsOf" -> nextYear.toString)) == 7, "four digits are a year")
    assert(rows(read()) == 7)
    def rejected(options: (String, String)*) =
      intercept[AnalysisException](read(options: _*)).getMessage
    assert(rejected("tag" -> "first", "version" -> "1").contains("cannot be combined"))
    assert(rejected("tag" -> "nope").contains("not found: tag nope"))
    assert(rejected("branch" -> "nope").contains("not found: branch nope"))
    assert(rejected("version" -> "0").contains("option version"))
    assert(rejected("timestampAsOf" -> "noon").contains("not a time"))
  }

  test("timestampAsOf accepts the times of TIMESTAMP AS OF") {
    val t = table()
    val zone = java.time.ZoneId.of("Europe/Berlin")
    val text =
      time(t, 3).plusMillis(1).atZone(zone).toLocalDateTime.toString.replace("T", " ")
    val utc = time(t, 3).plusMillis(1).atZone(java.time.ZoneOffset.UTC).toLocalDateTime
    val berlin = spark.newSession()
    berlin.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    for (
      (session, at) <- Seq(
        spark -> s"$text Europe/Berlin",
        spark -> s"${utc}Z",
        spark -> s"${utc}UTC",
        spark -> s"$utc GMT+0",
        spark -> s"$utc +00:00",
        spark -> utc.toString,
        berlin -> text
      )
    ) SparkLine.withSession(session)(withClue(at) {
      assert(rows(session.read.format("lance").option("timestampAsOf", at).load(t.toString)) == 139)
      assert(rows(session.read.option("timestampAsOf", at).table(s"lake.`$t`")) == 139)
      assert(rows(session.sql(s"SELECT * FROM lake.`$t` TIMESTAMP AS OF '$at'")) == 139)
    })
    val e = intercept[AnalysisException] {
      spark.read.format("lance").option("timestampAsOf", s"$utc Nowhere/Land").load(t.toString)
    }
    assert(e.getMessage.contains("Nowhere/Land"))
  }

  test("detached versions by number, above all signed numbers") {
    val t = GoldenTables.path("tombstones.lance").toAbsolutePath
    val manifests = Files.list(t.resolve("_versions")).toArray.map(_.toString)
    val detached = manifests.filter(_.contains("/d")).head.split("/d").last.stripSuffix(".manifest")
    assert(rows(spark.sql(s"SELECT * FROM lake.`$t`")) == 30)
    assert(rows(spark.sql(s"SELECT * FROM lake.`$t` VERSION AS OF '$detached'")) == 35)
    val read = spark.read.format("lance").option("version", detached).load(t.toString)
    assert(rows(read) == 35)
  }

  test("a version with other columns is not read with the columns of the latest version") {
    val t = table()
    spark.range(3).toDF("other").write.format("lance").option("overwriteSchema", "true")
      .mode("overwrite").save(t.toString)
    val name = s"lake.`$t`"
    assert(spark.sql(s"SELECT * FROM $name VERSION AS OF 1").columns.toSeq == Seq("id", "name"))
    def first: DataFrame = spark.read.option("tag", "first").table(name)
    // Since 4.3, Spark loads tables with options.
    if (SparkLine.isFrom("4.3")) assert(first.columns.toSeq == Seq("id", "name") && rows(first) > 0)
    else {
      val e = intercept[AnalysisException](rows(first))
      assert(e.getMessage.contains("other columns") && e.getMessage.contains("VERSION AS OF"))
    }
  }
}
