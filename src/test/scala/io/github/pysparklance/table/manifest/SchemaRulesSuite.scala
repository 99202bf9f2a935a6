// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Schema}

class SchemaRulesSuite extends AnyFunSuite {
  private val int32 = LogicalType.parse("int32")
  private val string = LogicalType.parse("string")

  private def leaf(name: String, t: LogicalType = int32) = Field(-1, name, t, nullable = true)
  private def struct(name: String, children: Field*) =
    Field(-1, name, LogicalType.Struct, nullable = true, children = children.toIndexedSeq)
  private def list(name: String, item: Field) =
    Field(
      -1,
      name,
      LogicalType.List(large = false, ofStruct = false),
      nullable = true,
      IndexedSeq(item)
    )
  private def schema(fields: Field*) = Schema(fields.toIndexedSeq).withFreshIds

  private def rejectedNew(s: Schema): String =
    intercept[InvalidRequestException](SchemaRules.checkNew(s)).getMessage

  test("column names of a new schema are validated") {
    SchemaRules.checkNew(schema(leaf("a"), leaf("B c"), struct("s", leaf("x.y"))))
    assert(rejectedNew(schema(leaf("_rowid"))).contains("reserved"))
    assert(rejectedNew(schema(leaf("a.b"))).contains("dot"))
    assert(rejectedNew(schema(leaf(""))).contains("empty"))
    assert(rejectedNew(schema(leaf("a"), leaf("a"))).contains("""two columns named "a""""))
    assert(rejectedNew(schema(struct("s", leaf("a"), leaf("a")))).contains("""struct "s""""))
    assert(rejectedNew(Schema(IndexedSeq(leaf("a")))).contains("field ids"))
  }

  test("an appended schema may differ in order, ids, and nullability") {
    val table =
      schema(leaf("a"), struct("s", leaf("x"), leaf("y", string)), list("l", leaf("item")))
    val incoming = schema(
      list("l", leaf("element")),
      struct("s", leaf("y", string), leaf("x")),
      leaf("a").copy(nullable = false)
    )
    SchemaRules.checkAppend(table, incoming)
  }

  test("the first difference of an appended schema is named") {
    val table = schema(leaf("a"), struct("s", leaf("x")), list("l", leaf("item")))
    def rejected(incoming: Field*): String =
      intercept[InvalidRequestException](SchemaRules.checkAppend(
        table,
        schema(incoming: _*)
      )).getMessage
    val s = struct("s", leaf("x"))
    val l = list("l", leaf("item"))
    assert(rejected(leaf("a"), s).contains("""column "l" is missing"""))
    assert(rejected(leaf("a"), s, l, leaf("z")).contains("""no column "z""""))
    assert(
      rejected(leaf("a", string), s, l)
        .contains("""column "a" has type string, but int32 in the table""")
    )
    assert(rejected(leaf("a"), struct("s", leaf("q")), l).contains("""no column "s.q""""))
    assert(rejected(
      leaf("a"),
      s,
      list("l", leaf("e", string))
    ).contains(""""l.item" has type string"""))
  }
}
