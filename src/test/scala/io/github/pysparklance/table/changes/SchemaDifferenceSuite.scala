// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType, Schema}

class SchemaDifferenceSuite extends AnyFunSuite {
  private def field(id: Int, name: String, kind: String = "int64", nullable: Boolean = true) =
    Field(id, name, LogicalType.parse(kind), nullable)

  private def schema(fields: Field*): Schema = Schema(fields.toIndexedSeq)

  private val read = schema(field(0, "a"), field(1, "b", nullable = false))

  private def difference(fields: Field*): String =
    SchemaDifference(read, schema(fields: _*), readsNulls = false).getOrElse("none")

  test("the first difference is described, comments are none") {
    val (a, b) = (read.fields(0), read.fields(1))
    assert(difference(a.copy(metadata = Map("comment" -> "x")), b) == "none")
    assert(difference(a.copy(nullable = false), b) == "none")
    assert(difference(a) == "column b was dropped")
    assert(difference(a, b, field(2, "c")) == "column c was added")
    assert(difference(a.copy(name = "x"), b) == "column a was renamed to x")
    assert(difference(field(0, "a", "string"), b).startsWith("the type of column a was changed"))
    assert(difference(a, b.copy(nullable = true)) == "column b may be null now")
    assert(difference(b, a) == "the order of columns was changed")
    val nullable = schema(a, b.copy(nullable = true))
    assert(SchemaDifference(read, nullable, readsNulls = true).isEmpty)
  }

  test(
    "NOT NULL columns that were nullable or missing in an earlier version are found"
  ) {
    def nulls(earlier: Field*): Option[String] = {
      val before = schema(earlier: _*)
      val fields = FieldHistory(IndexedSeq(
        FieldHistory.Step(1, before, FieldHistory.Link.Kept),
        FieldHistory.Step(2, read, FieldHistory.Link.Kept)
      ))
      SchemaDifference.nulls(read, before, fields.of(1))
    }
    assert(nulls(read.fields: _*).isEmpty)
    assert(nulls(field(0, "a"), field(1, "old", nullable = false)).isEmpty)
    assert(nulls(field(0, "a"), field(1, "b")).contains("b"))
    assert(nulls(field(0, "a")).contains("b"))
  }
}
