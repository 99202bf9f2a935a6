// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import java.nio.file.{Files, Paths}

import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{SharedSpark, SparkLine => RunningLine, TemporaryFolder}

/** Options of other formats that change the result are aliases or rejected, but never ignored. */
class ForeignOptionsSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session

  private def path: String = folder.resolve("t").toString
  private def table: LanceTable = LanceTable.open(Storage.local, path)
  private def load(options: (String, String)*): DataFrame =
    spark.read.format("lance").options(options.toMap).load(path)
  private def save(rows: Long, mode: String, options: (String, String)*): Unit =
    spark.range(0, rows, 1, 1).write.format("lance").mode(mode).options(options.toMap).save(path)
  private def plain(e: AnalysisException): String = e.getMessage.replace("`", "")
  private def threeVersions(): Unit = (1 to 3).foreach(_ => save(1, "append"))

  private val unbuilt = Seq(
    ("startingVersion", "1", "readChangeFeed"),
    ("endingVersion", "2", "readChangeFeed"),
    ("startingTimestamp", "2024-01-01", "readChangeFeed"),
    ("endingTimestamp", "2024-01-01", "readChangeFeed"),
    ("snapshot-id", "1", "use version"),
    ("start-snapshot-id", "1", "readChangeFeed"),
    ("end-snapshot-id", "1", "readChangeFeed"),
    ("as.of.instant", "20240101", "use timestampAsOf"),
    ("hoodie.datasource.query.type", "incremental", "unsupported"),
    ("hoodie.datasource.read.begin.instanttime", "0", "unsupported"),
    ("scan.snapshot-id", "1", "use version"),
    ("scan.tag-name", "t", "use tag"),
    ("incremental-between", "1,2", "readChangeFeed"),
    ("timestamp", "2024-01-01", "use timestampAsOf"),
    ("limit", "1", "use limit(…)"),
    ("columns", "id", "use select(…)"),
    ("filter", "id > 1", "use where(…)"),
    ("nprobes", "3", "use the key of this name"),
    ("prefilter", "true", "use the key of this name"),
    ("withRowId", "true", "_rowid"),
    ("pathGlobFilter", "*.lance", "_file"),
    ("modifiedAfter", "2024-01-01", "timestampAsOf")
  )

  test("reads by path, by name, and in SQL reject options that choose rows") {
    threeVersions()
    spark.sql("CREATE TABLE lake.foreign_options (id BIGINT) USING lance")
    try {
      spark.sql("INSERT INTO lake.foreign_options VALUES (1)")
      for ((name, value, words) <- unbuilt) {
        val frames = Seq[() => DataFrame](
          () => load(name -> value),
          () => spark.read.option(name, value).table("lake.foreign_options"),
          () => spark.read.option(name, value).table("lake.foreign_options.history")
        )
        // Queries in SQL have options since Spark 4.0.
        val queries = Seq[() => DataFrame](
          () => spark.sql(s"SELECT * FROM lake.foreign_options WITH (`$name` = '$value')"),
          () => spark.sql(s"SELECT * FROM lake.foreign_options.history WITH (`$name` = '$value')")
        ).filter(_ => RunningLine.isFrom("4.0"))
        (frames ++ queries).zipWithIndex.foreach { case (frame, i) =>
          val e = intercept[AnalysisException](frame().collect())
          assert(plain(e).contains(name) && plain(e).contains(words), s"$name $i")
        }
      }
    } finally spark.sql("DROP TABLE lake.foreign_options"): Unit
  }

  test("values that request the default behavior of a table are accepted") {
    threeVersions()
    val harmless = Seq(
      "readChangeFeed" -> "false",
      "hoodie.datasource.query.type" -> "snapshot",
      "scan.mode" -> "latest",
      "prefilter" -> "false",
      "vectorization-enabled" -> "true"
    )
    assert(load(harmless: _*).count() == 3)
    save(1, "append", "compression" -> "none", "dataChange" -> "true")
  }

  test("such session configurations are rejected with the name of the Lance option") {
    threeVersions()
    spark.conf.set("spark.lance.read.snapshot-id", "1")
    try {
      val e = intercept[AnalysisException](load().collect())
      assert(e.getMessage.contains("spark.lance.read.snapshot-id is an option of Iceberg"))
    } finally spark.conf.unset("spark.lance.read.snapshot-id")
  }

  test("aliases select the version") {
    threeVersions()
    assert(load("as_of_version" -> "2").count() == 2)
    val before = table.manifest.timestamp.toEpochMilli + 1
    while (System.currentTimeMillis() <= before) Thread.onSpinWait()
    save(1, "append")
    assert(load("as-of-timestamp" -> before.toString).count() == 3)
    assert(load("asof" -> before.toString).count() == 3)
  }

  test("two names of one option with different values are rejected") {
    threeVersions()
    val e = intercept[AnalysisException](load("version" -> "1", "versionAsOf" -> "2"))
    assert(e.getMessage.contains("version and versionAsOf are names of one option, version"))
    assert(load("version" -> "1", "versionAsOf" -> "1").count() == 1)
  }

  test("writes reject options without a counterpart, and write nothing") {
    val rejected = Seq(
      ("compression", "snappy", "column.<name>.compression"),
      ("compression-codec", "zstd", "column.<name>.compression"),
      ("write-format", "parquet", "use fileVersion"),
      ("isolation-level", "serializable", "unsupported"),
      ("dataChange", "false", "OPTIMIZE"),
      ("mode", "overwrite", "save mode"),
      ("hoodie.datasource.write.operation", "upsert", "unsupported")
    )
    for ((name, value, words) <- rejected; mode <- Seq("append", "overwrite")) {
      val e = intercept[AnalysisException](save(1, mode, name -> value))
      assert(plain(e).contains(name) && plain(e).contains(words), name)
    }
    assert(!Storage.local.exists(path))
    val e = intercept[AnalysisException](
      spark.sql("CREATE TABLE lake.t USING lance OPTIONS (compression 'gzip') AS SELECT 1 AS id")
    )
    assert(e.getMessage.contains("compression"))
    assert(!spark.catalog.tableExists("lake.t"))
  }

  test("maxRecordsPerFile, of a write or of the session, limits the rows of a file") {
    save(10, "error", "maxRecordsPerFile" -> "4")
    assert(table.fragments.map(_.physicalRows.get) == Seq(4, 4, 2))
    spark.conf.set("spark.sql.files.maxRecordsPerFile", "5")
    try {
      save(10, "overwrite")
      assert(table.fragments.map(_.physicalRows.get) == Seq(5, 5))
      save(10, "overwrite", "maxRowsPerFile" -> "6")
      assert(table.fragments.map(_.physicalRows.get) == Seq(6, 4))
    } finally spark.conf.unset("spark.sql.files.maxRecordsPerFile")
  }

  test("userMetadata and snapshot properties are stored with the version") {
    save(1, "error", "userMetadata" -> "nightly", "snapshot-property.team" -> "maps")
    val kept = LanceTable.history(Storage.local, path).toSeq.last.properties
    assert(kept == Map(
      "__lance_commit_message" -> "nightly",
      "team" -> "maps",
      "lance.spark.statement" -> "CREATE TABLE AS SELECT"
    ))
  }

  test("overwrite-mode dynamic replaces rows by key") {
    spark.sql("CREATE TABLE lake.keyed (id BIGINT, day STRING) USING lance PARTITIONED BY (day)")
    try {
      spark.sql("INSERT INTO lake.keyed VALUES (1, 'mon'), (2, 'tue')")
      val at = spark.sql("DESCRIBE DETAIL lake.keyed").select("location").head().getString(0)
      spark
        .sql("SELECT 3L AS id, 'tue' AS day")
        .write
        .format("lance")
        .mode("overwrite")
        .option("overwrite-mode", "dynamic")
        .save(at)
      assert(spark.sql("SELECT id FROM lake.keyed ORDER BY id").collect().toSeq ==
        Seq(Row(1L), Row(3L)))
    } finally spark.sql("DROP TABLE lake.keyed"): Unit
  }

  test("a write with another number of rows than expectedRows commits nothing") {
    save(3, "error", "expectedRows" -> "3")
    val files = Storage.local.list(s"$path/data").length
    for (mode <- Seq("append", "overwrite")) {
      val e = intercept[AnalysisException](save(3, mode, "expectedRows" -> "4"))
      assert(e.getMessage.contains("the write has 3 rows, and option expectedRows says 4"))
    }
    assert(table.version == 1 && load().count() == 3)
    assert(Storage.local.list(s"$path/data").length == files)
  }

  test("docs/options.md has the table of rejected options") {
    val file = Paths.get("docs/options.md")
    val page = Files.readString(file)
    val begin = "<!-- rejected options, made by ForeignOptionsSuite -->\n"
    val end = "<!-- end of rejected options -->\n"
    val from = page.indexOf(begin) + begin.length
    val until = page.indexOf(end)
    assert(from >= begin.length && until >= from, s"$file has no place for the table")
    val made = page.substring(0, from) + ForeignOptions.table + page.substring(until)
    if (sys.env.get("UPDATE_DOCS").contains("1")) Files.writeString(file, made): Unit
    assert(
      Files.readString(file) == made,
      s"$file is stale: run this suite with UPDATE_DOCS=1"
    )
  }
}
