// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.AnalysisException

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.testkit.ExactRows

class ImportJobSuite extends JobSuite {
  import ImportJob.Mode

  private def parquet(): String = {
    val path = fresh()
    spark
      .range(100)
      .selectExpr("id", "cast(id as string) s", "array(id, null) l")
      .write
      .parquet(path)
    path
  }

  test("files of another format create, extend, and replace a table") {
    val (path, table) = (parquet(), "lake.imported")
    val rows = ImportJob.source(spark, s"parquet.`$path`")
    val properties = Map("file_format_version" -> "2.1")
    assert(ImportJob.run(spark, rows, table, properties = properties).row.toSeq == Seq(100L))
    assert(ExactRows(spark.table(table).orderBy("id")) == ExactRows(rows.orderBy("id")))
    assert(intercept[AnalysisException](ImportJob.run(spark, rows, table)).getMessage
      .contains("TABLE_OR_VIEW_ALREADY_EXISTS"))
    val some = rows.where("id < 10")
    assert(ImportJob.run(spark, some, table, Mode.Append).rowsImported == 10)
    assert(spark.table(table).count() == 110)
    assert(ImportJob.run(spark, some, table, Mode.Replace).rowsImported == 10)
    assert(spark.table(table).count() == 10)
    spark.sql(s"DROP TABLE $table")
  }

  test("a path with a format and options") {
    val path = fresh()
    spark.range(3).selectExpr("id", "'a;b' as s").write.option("header", "true").csv(path)
    val rows = ImportJob.source(
      spark,
      path,
      Some("csv"),
      Map("header" -> "true", "inferSchema" -> "true")
    )
    assert(ImportJob.run(spark, rows, "lake.from_csv", Mode("Append")).rowsImported == 3)
    assert(spark.table("lake.from_csv").where("s = 'a;b' and id >= 0").count() == 3)
    spark.sql("DROP TABLE lake.from_csv")
    assert(intercept[InvalidRequestException](Mode("merge")).getMessage.contains("append"))
  }
}
