// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.table.changes.FieldHistory.{Link, Step}

class FieldHistorySuite extends AnyFunSuite {
  private def field(id: Int, name: String, kind: String, children: Field*): Field =
    Field(id, name, LogicalType.parse(kind), nullable = true, children = children.toIndexedSeq)

  private def long(id: Int, name: String): Field = field(id, name, "int64")

  private def schema(fields: Field*): Schema = Schema(fields.toIndexedSeq)

  private def history(steps: (Schema, Link)*): FieldHistory =
    FieldHistory(steps.zipWithIndex.map { case ((s, link), i) =>
      Step(i + 1L, s, link)
    }.toIndexedSeq)

  /** Returns the ids of the last version by the ids of a version. */
  private def ids(history: FieldHistory, version: Long): Map[Int, Int] =
    history.of(version).ids.getOrElse(history.schema.flatten.map(f => f.id -> f.id).toMap)

  private val (a, b) = (long(0, "a"), long(1, "b"))

  test("a RESTORE brings back the columns of its version") {
    val found = history(
      schema(a, b) -> Link.Kept,
      schema(a, b.copy(name = "renamed")) -> Link.Kept,
      schema(a) -> Link.Kept,
      schema(a, b) -> Link.Restored(Some(1)),
      schema(a) -> Link.Kept,
      schema(a, b) -> Link.Restored(Some(4))
    )
    val all = Map(0 -> 0, 1 -> 1)
    assert((1L to 6).map(ids(found, _)) == Seq(all, all, Map(0 -> 0), all, Map(0 -> 0), all))
  }

  test("an id of a dropped column is another column, also next to a RESTORE") {
    val steps = Seq(
      schema(a, b) -> Link.Kept,
      schema(a) -> Link.Kept,
      schema(a, b) -> Link.Kept
    )
    val added = history(steps: _*)
    assert((1L to 3).map(ids(added, _).contains(1)) == Seq(false, false, true))
    val restored = history(steps :+ (schema(a, b) -> Link.Restored(Some(1))): _*)
    assert((1L to 4).map(ids(restored, _).contains(1)) == Seq(true, false, false, true))
  }

  test("a RESTORE of a version before the range matches names first, then ids") {
    val restored = schema(a, long(1, "c"), long(2, "b"))
    val found = history(schema(a, b, long(2, "d")) -> Link.Kept, restored -> Link.Restored(None))
    assert(ids(found, 1) == Map(0 -> 0, 1 -> 2))
    val before = history(schema(a, b) -> Link.Kept, schema(a, b) -> Link.Restored(Some(0)))
    assert(ids(before, 1) == Map(0 -> 0, 1 -> 1))
  }

  test("an overwrite matches items of lists and parts of maps by position") {
    def lists(item: String, entries: String, key: String, first: Int) = schema(
      field(first, "l", "list", long(first + 1, item)),
      field(
        first + 2,
        "m",
        "map",
        field(first + 3, entries, "struct", long(first + 4, key), long(first + 5, s"${key}2"))
      ),
      field(
        first + 6,
        "s",
        "fixed_size_list:struct:2",
        field(first + 7, item, "struct", long(first + 8, "x"))
      )
    )
    val found = history(
      lists("element", "key_value", "k", 10) -> Link.Kept,
      lists("item", "entries", "key", 0) -> Link.Replaced
    )
    assert(ids(found, 1) == (0 to 8).map(i => (i + 10) -> i).toMap)
    assert(found.of(1).unreadable.isEmpty)
  }

  test("lists of structs without a common field cannot be read") {
    def lists(name: String) =
      schema(a, field(1, "l", "list.struct", field(2, "item", "struct", long(3, name))))
    val found = history(lists("x") -> Link.Kept, lists("y") -> Link.Replaced)
    assert(found.of(1).unreadable.keySet == Set(1))
    assert(found.unreadable(found.schema.fields.take(1), 1).isEmpty)
  }
}
