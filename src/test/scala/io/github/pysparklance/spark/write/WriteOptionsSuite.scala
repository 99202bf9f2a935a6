// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.spark.common.LanceOptions
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** Options of a write and properties of a table: spelling, precedence, effect on files. */
class WriteOptionsSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session

  private def path: String = folder.resolve("t").toString
  private def table: LanceTable = LanceTable.open(Storage.local, path)
  private def save(df: DataFrame, mode: String, options: (String, String)*): Unit =
    df.write.format("lance").mode(mode).options(options.toMap).save(path)
  private def numbers(n: Long): DataFrame = spark.range(0, n, 1, 1).toDF()

  private def options(values: (String, String)*): WriteOptions =
    WriteOptions(new LanceOptions(values.toMap))

  /** A table of the catalog, and its folder. */
  private def withTable(body: (String, () => LanceTable) => Any): Unit =
    try {
      lazy val root = spark.conf.get("spark.sql.catalog.lake.warehouse")
      body("lake.properties", () => LanceTable.open(Storage.local, s"$root/properties.lance")): Unit
    } finally spark.sql("DROP TABLE IF EXISTS lake.properties"): Unit

  test("numbers and names of file versions, for each name of the option") {
    val named = Map(
      "2.0" -> FileVersion.V2_0,
      "2.1" -> FileVersion.V2_1,
      "2.2" -> FileVersion.V2_2,
      "2.3" -> FileVersion.V2_3,
      "0.1" -> FileVersion.V0_1,
      "legacy" -> FileVersion.V0_1,
      "stable" -> FileVersion.default,
      "next" -> FileVersion.V2_3
    )
    for {
      (text, version) <- named
      name <- Seq("fileVersion", "dataStorageVersion", "data_storage_version", "FILE-VERSION")
    } assert(options(name -> text).fileVersion.contains(version))
    assert(options().fileVersion.isEmpty)
  }

  test("sizes have units, and limits are positive") {
    assert(options("maxBytesPerFile" -> "64m").maxBytesPerFile == (64L << 20))
    assert(options("maxBytesPerFile" -> "1000").maxBytesPerFile == 1000L)
    assert(options("writeBufferBytes" -> "16m").budget.totalBytes == (16L << 20))
    for (
      wrong <- Seq(
        "maxBytesPerFile" -> "0",
        "maxRowsPerFile" -> "many",
        "writeBufferBytes" -> "1k",
        "advisoryPartitionSize" -> "-1"
      )
    ) {
      val e = intercept[InvalidRequestException](options(wrong))
      assert(e.getMessage.contains(wrong._1) && e.getMessage.contains(s"'${wrong._2}'"))
    }
  }

  /** The properties that the user set. Spark adds the owner. */
  private def kept(table: LanceTable): Map[String, String] = table.manifest.config - "owner"

  test("a misspelled option is rejected with a suggestion, options of others are accepted") {
    for (
      (slip, meant) <- Seq(
        "fileVersoin" -> "fileVersion",
        "max_rows_per_fil" -> "maxRowsPerFile",
        "maxBytePerFile" -> "maxBytesPerFile",
        "distribution" -> "",
        "oderBy" -> "orderBy",
        "fs.s3a.endpoint" -> ""
      )
    )
      if (meant.isEmpty) assert(options(slip -> "1") == options())
      else {
        val e = intercept[InvalidRequestException](options(slip -> "1"))
        assert(e.getMessage.contains(slip) && e.getMessage.contains(s"did you mean $meant?"))
      }
    val e = intercept[AnalysisException](save(numbers(1), "error", "maxRowsPerFlie" -> "1"))
    assert(e.getMessage.contains("maxRowsPerFile"))
    assert(!LanceTable.exists(Storage.local, path))
    save(numbers(1), "error")
    val read = spark.read.format("lance").option("verison", "1")
    assert(
      intercept[AnalysisException](read.load(path)).getMessage.contains("did you mean version?")
    )
  }

  test("files roll at maxBytesPerFile") {
    val rows = spark.range(0, 40000, 1, 1).select(xxhash64(col("id")).as("x"))
    save(rows, "error", "maxBytesPerFile" -> "64k", "writeBufferBytes" -> "1m")
    val sizes = table.fragments.flatMap(_.files).map(_.fileSizeBytes)
    assert(sizes.length > 3 && sizes.forall(_ < 200000L), sizes)
    assert(spark.read.format("lance").load(path).count() == 40000)
  }

  test("an append follows the version of the table") {
    save(numbers(3), "error", "fileVersion" -> "2.1")
    save(numbers(3), "append")
    save(numbers(3), "append", "fileVersion" -> "2.1")
    assert(table.fragments.length == 3)
    val e =
      intercept[AnalysisException](save(numbers(3), "append", "dataStorageVersion" -> "stable"))
    assert(e.getMessage.contains("2.1") && e.getMessage.contains("2.2"))
    save(numbers(3), "overwrite")
    assert(table.fileVersion == FileVersion.V2_1)
    save(numbers(3), "overwrite", "fileVersion" -> "stable")
    assert(table.fileVersion == FileVersion.default)
  }

  test("values that a file version does not support are rejected before the table exists") {
    val maps = spark.range(0).select(map(lit("a"), col("id")).as("m"))
    val e = intercept[AnalysisException](save(maps, "error", "fileVersion" -> "2.1"))
    assert(e.getMessage.contains("map"))
    assert(!LanceTable.exists(Storage.local, path) && Storage.local.list(path).isEmpty)
    withTable { (name, _) =>
      val sql = intercept[AnalysisException] {
        spark.sql(
          s"CREATE TABLE $name (m MAP<STRING, INT>) TBLPROPERTIES ('fileVersion' = '2.1')"
        )
      }
      assert(sql.getMessage.contains("map"))
      assert(!spark.catalog.tableExists(name))
    }
  }

  for (
    (how, statement) <- Seq(
      "CREATE TABLE" -> "CREATE TABLE %s (id BIGINT) USING lance TBLPROPERTIES (%s)",
      "CREATE TABLE AS SELECT" -> "CREATE TABLE %s USING lance TBLPROPERTIES (%s) AS SELECT id FROM range(9)",
      "CREATE OR REPLACE TABLE" ->
        "CREATE OR REPLACE TABLE %s USING lance TBLPROPERTIES (%s) AS SELECT id FROM range(9)"
    )
  )
    test(s"properties set by $how determine files, and are stored in the table") {
      withTable { (name, lanceTable) =>
        if (how.contains("REPLACE")) spark.sql(s"CREATE TABLE $name (x INT)")
        spark.sql(statement.format(
          name,
          "'data_storage_version' = '2.1', 'maxRowsPerFile' = '4', 'team' = 'maps'"
        ))
        assert(lanceTable().fileVersion == FileVersion.V2_1)
        assert(kept(lanceTable()) == Map("maxRowsPerFile" -> "4", "team" -> "maps"))
        spark.sql(s"INSERT INTO $name SELECT id FROM range(0, 10, 1, 1)")
        assert(lanceTable().fragments.takeRight(3).map(_.physicalRows.get) == Seq(4L, 4L, 2L))
        val shown = spark.sql(s"SHOW TBLPROPERTIES $name").collect().map(r => r.getString(0)).toSet
        assert(shown.contains("team"))
      }
    }

  test("properties of a DataFrameWriterV2, and its options, which take precedence") {
    withTable { (name, lanceTable) =>
      numbers(10)
        .writeTo(name)
        .using("lance")
        .tableProperty("fileVersion", "2.1")
        .tableProperty("maxRowsPerFile", "5")
        .option("maxRowsPerFile", "10")
        .create()
      assert(lanceTable().fileVersion == FileVersion.V2_1)
      assert(lanceTable().fragments.length == 1)
      numbers(10).writeTo(name).append()
      assert(lanceTable().fragments.length == 3)
    }
  }

  test("options of a statement are not stored, because they may contain secrets") {
    withTable { (name, lanceTable) =>
      spark.sql(
        s"CREATE TABLE $name (id BIGINT) OPTIONS ('fs.s3a.secret.key' = 'x') " +
          "TBLPROPERTIES ('team' = 'maps') COMMENT 'numbers'"
      )
      assert(kept(lanceTable()) == Map("team" -> "maps", "comment" -> "numbers"))
    }
  }
}
