// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.LongType

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}
import io.github.pysparklance.testkit.Pylance

class SchemaJobSuite extends JobSuite {
  private val id = FieldPath.of("id")

  test("a type change runs a task per fragment, which writes only the column") {
    val path = fresh()
    Pylance.run(
      """
      table = pa.table({"id": pa.array(range(20), pa.int32()), "s": ["text"] * 20})
      lance.write_dataset(table, path, max_rows_per_file=5)
      """,
      "path" -> path
    )
    delete(path, "id = 3")
    val before = referenced(path)
    val descriptions = jobs {
      SchemaJob.run(
        on(path),
        Seq(SchemaChange.SetType(id, LogicalType.Integer(64, signed = true)))
      ): Unit
    }
    assert(descriptions == Seq(s"rewriting id of $path"))
    assert(read(path).schema("id").dataType == LongType)
    assert(before.subsetOf(referenced(path)) && referenced(path).size == 8)
    assert(Pylance.rows(path).map(_.get("id").asInt) == (0 until 20).filterNot(_ == 3))
    assert(Pylance.validate(path) == 19)
  }

  test("SET NOT NULL checks existing rows") {
    val path = numbers(20, 5)
    val descriptions = jobs {
      SchemaJob.run(on(path), Seq(SchemaChange.SetNullable(id, nullable = false))): Unit
    }
    assert(descriptions == Seq(s"looking for nulls in $path"))
    assert(!read(path).schema("id").nullable || !open(path).schema.field("id").get.nullable)
    val holey = fresh()
    Pylance.write("[{'id': None if i == 7 else i} for i in range(20)]", holey)
    val e = intercept[AnalysisException] {
      SchemaJob.run(on(holey), Seq(SchemaChange.SetNullable(id, nullable = false)))
    }
    assert(e.getMessage.contains("has nulls") && open(holey).version == 1)
  }

  test("a rename runs no job, and no change commits no version") {
    val path = numbers(10, 5)
    val rename = Seq(SchemaChange.Rename(id, "key"))
    assert(jobs(SchemaJob.run(on(path), rename): Unit).isEmpty)
    assert(read(path).schema("key").dataType == LongType && open(path).version == 2)
    assert(SchemaJob.run(on(path), Nil).version == 2)
  }
}
