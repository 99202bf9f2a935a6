// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.SparkException
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._
import org.apache.spark.sql.{AnalysisException, DataFrame, Encoders, Row}

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.testkit.{JobWatch, Pylance, SparkLine}

class ColumnJobSuite extends JobSuite {
  private val double = StructField("double", LongType)

  private def column(path: String, name: String): Seq[(Long, String)] =
    Pylance
      .rows(path, columns = Some(Seq("id", name)))
      .map(r => (r.get("id").asLong, r.get(name).toString))

  private def identity(path: String): Seq[Row] =
    read(path).select("id", "_rowid", "_rowaddr", "_fragid").orderBy("id").collect().toSeq

  Seq(false, true).foreach { stable =>
    test(s"a new column from an expression writes only its own files, stable row ids $stable") {
      val path = numbers(40, 8, "enable_stable_row_ids" -> stable)
      delete(path, "id in (3, 20)")
      val (before, files) = (identity(path), referenced(path))
      val outcome =
        ColumnJob.compute(on(path), Seq(double -> (col("id") * 2)), read(path))
      assert(outcome.row == Row(38L, 5L) && outcome.table.version == 3)
      assert(identity(path) == before)
      assert(referenced(path).intersect(files) == files && referenced(path).size == 10)
      assert(column(path, "double") ==
        (0 until 40).filterNot(Set(3, 20)).map(i => (i.toLong, (2 * i).toString)))
      assert(Pylance.validate(path) == 38)
    }

    test(s"rows of a DataFrame in any order, some of them missing, stable row ids $stable") {
      val path = numbers(40, 8, "enable_stable_row_ids" -> stable)
      delete(path, "id in (3, 20)")
      val name = if (stable) "_rowid" else "_rowaddr"
      val before = identity(path)
      val values = read(path)
        .where("id % 2 = 0 and id < 24")
        .select(
          col(name),
          concat(lit("n"), col("id")).as("note"),
          struct(col("x"), array(col("id")).as("ids")).as("st")
        )
        .orderBy(rand(5))
      val columns = StructType(Seq(
        StructField("note", StringType),
        StructField(
          "st",
          new StructType().add("x", DoubleType).add("ids", ArrayType(LongType))
        )
      ))
      val outcome = ColumnJob.add(on(path), values, columns, read(path))
      assert(outcome.rowsWritten == 11 && outcome.fragmentsRewritten == 3)
      assert(identity(path) == before)
      assert(column(path, "note") == (0 until 40).filterNot(Set(3, 20)).map { i =>
        (i.toLong, if (i % 2 == 0 && i < 24) "\"n" + i + "\"" else "null")
      })
      assert(read(path).where("st.ids[0] = id").count() == 11)
      assert(Pylance.validate(path) == 38)
    }

    test(s"new values of a column, other rows keep their values, stable row ids $stable") {
      val path = numbers(40, 8, "enable_stable_row_ids" -> stable)
      delete(path, "id = 20")
      val (before, files) = (identity(path), referenced(path))
      val values = read(path).where("id between 10 and 18").select(
        col("_rowaddr"),
        col("_fragid"),
        (-col("id")).cast("int").as("X"),
        upper(col("s")).as("s")
      )
      val outcome = ColumnJob.update(on(path), values, Seq("x", "S"), read(path))
      assert(outcome.row == Row(9L, 2L) && identity(path) == before)
      assert(files.diff(referenced(path)).isEmpty && (referenced(path) -- files).size == 2)
      val rows = Pylance.rows(path)
      rows.foreach { r =>
        val id = r.get("id").asInt
        val changed = id >= 10 && id <= 18
        assert(r.get("s").asText == (if (changed) s"S${id % 7}" else s"s${id % 7}"))
        assert(r.get("x").asDouble == (if (changed) -id.toDouble else (id * 37 % 101) / 2.0))
      }
      if (stable) {
        val versions = read(path).select("id", "_row_last_updated_at_version").collect()
        val updated = versions.filter(_.getLong(1) == outcome.table.version).map(_.getLong(0))
        assert(updated.toSeq.sorted == (10L to 18L))
      }
      assert(Pylance.validate(path) == 39)
    }
  }

  test("an empty table and an empty DataFrame") {
    val path = fresh()
    read(numbers(4, 4)).limit(0).write.format("lance").save(path)
    val added = ColumnJob.compute(on(path), Seq(double -> (col("id") * 2)), read(path))
    assert(added.rowsWritten == 0 && read(path).schema("double").dataType == LongType)
    val other = numbers(8, 4)
    val nothing =
      read(other).where("id < 0").select(col("_rowaddr"), col("x"), col("id").as("double"))
    val same = ColumnJob.update(on(other), nothing, Seq("x"), read(other))
    assert(same.row == Row(0L, 0L) && same.table.version == 1)
    ColumnJob.add(on(other), nothing, StructType(Seq(double)), read(other)): Unit
    assert(column(other, "double").forall(_._2 == "null") && Pylance.validate(other) == 8)
  }

  private def rejected(path: String)(job: => Unit): String = {
    val (version, files) = (open(path).version, dataFiles(path))
    val e = intercept[Exception](JobWatch.settled(spark.sparkContext)(job))
    assert(e.isInstanceOf[AnalysisException] || e.isInstanceOf[SparkException], e)
    assert(open(path).version == version && dataFiles(path) == files)
    e.getMessage
  }

  test("invalid sources are rejected, and nothing is changed") {
    val path = numbers(20, 5)
    delete(path, "id = 7")
    val table = read(path)
    def update(values: DataFrame, columns: String*): String =
      rejected(path)(ColumnJob.update(on(path), values, columns, table): Unit)
    // Rows of one fragment are for one task: two of them would race with each other's files.
    def values(fragment: Long, offsets: Long*): DataFrame =
      spark.createDataset(offsets)(Encoders.scalaLong).select(
        (lit(fragment << 32) + col("value")).as("_rowaddr"),
        lit(1.0).as("x")
      )
    val known = values(0, 1)

    assert(rejected(path) {
      ColumnJob.compute(on(path), Seq(StructField("X", LongType) -> col("id")), table): Unit
    }.contains(s"[${SparkLine.fieldExists}]"))
    assert(update(known, "y").contains("no column y to update"))
    assert(update(known.drop("_rowaddr"), "x").contains("_rowaddr or _rowid"))
    assert(update(values(9, 0), "x").contains("fragment 9"))
    assert(update(values(1, 0, 70), "x").contains("has 5 rows"))
    assert(update(values(1, 0, 2), "x").contains("is deleted"))
    assert(update(values(0, 1, 1), "x").contains("does not follow the previous row"))
    assert(update(known.select(lit(null).cast("bigint").as("_rowaddr"), lit(1.0).as("x")), "x")
      .contains("is null or unknown"))
    assert(update(known.select(col("_rowaddr"), lit(true).as("id")), "id").contains("id"))
    assert(update(known, "s").contains("`s`"))
  }

  test("a stable id that the table does not have is rejected") {
    val path = numbers(10, 5, "enable_stable_row_ids" -> true)
    val values = spark.range(10, 12).select(col("id").as("_rowid"), lit(1.0).as("x"))
    val text = rejected(path)(ColumnJob.update(on(path), values, Seq("x"), read(path)): Unit)
    assert(text.contains("is null or unknown"))
  }

  test("a column that is NOT NULL") {
    val path = fresh()
    Pylance.run(
      """
      schema = pa.schema([pa.field("id", pa.int64(), nullable=False)])
      lance.write_dataset(pa.table({"id": [1, 2, 3]}, schema=schema), path)
      """,
      "path" -> path
    )
    val nulls = read(path).select(
      col("_rowaddr"),
      when(col("id") > 1, col("id")).as("id")
    )
    assert(rejected(path)(ColumnJob.update(on(path), nulls, Seq("id"), read(path)): Unit)
      .contains("must not be null"))
  }

  test("a concurrent delete of other rows is no conflict, a change of the same rows is") {
    val path = numbers(20, 5)
    val values =
      read(path).where("id in (2, 3)").select(col("_rowaddr"), lit(-1.0).as("x")).cache()
    values.count()
    val stale = on(path)
    open(path).delete(Map(0L -> DeletionVector.of(Array(1))), "id = 1")
    ColumnJob.update(stale, values, Seq("x"), read(path)): Unit
    assert(read(path).where("x = -1").select("id").collect().map(_.getLong(0)).toSet == Set(2L, 3L))
    assert(read(path).count() == 19 && Pylance.validate(path) == 19)
    val files = dataFiles(path)
    val e = intercept[AnalysisException](ColumnJob.update(stale, values, Seq("x"), read(path)))
    assert(e.getCause.isInstanceOf[CommitConflictException] && dataFiles(path) == files)
    values.unpersist(): Unit
  }
}
