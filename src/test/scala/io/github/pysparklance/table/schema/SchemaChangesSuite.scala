// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.schema

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  Field,
  InvalidRequestException,
  LanceException,
  LogicalType,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.schema.SchemaChange._

class SchemaChangesSuite extends AnyFunSuite {
  private def leaf(name: String, t: String, nullable: Boolean = true): Field =
    Field(-1, name, LogicalType.parse(t), nullable)
  private def nested(name: String, t: String, children: Field*): Field =
    Field(-1, name, LogicalType.parse(t), nullable = true, children.toIndexedSeq)

  /** a 0, s 1 (x 2, y 3), l 4 (item 5 (u 6, v 7)), m 8 (entries 9 (key 10, value 11)), d 12. */
  private val schema = Schema(IndexedSeq(
    leaf("a", "int32", nullable = false),
    nested("s", "struct", leaf("x", "int16"), leaf("y", "string")),
    nested("l", "list.struct", nested("item", "struct", leaf("u", "float"), leaf("v", "int8"))),
    nested(
      "m",
      "map",
      nested("entries", "struct", leaf("key", "string", nullable = false), leaf("value", "int32"))
    ),
    leaf("d", "decimal:128:5:2")
  )).withFreshIds

  private def evolve(changes: SchemaChange*): SchemaEvolution =
    new SchemaChanges(schema, highestId = 20, FileVersion.V2_2)(changes)

  private def at(path: String): FieldPath = FieldPath.parse(path)

  private def shape(fields: Seq[Field]): String = fields.map { f =>
    s"${f.name}:${f.id}${if (f.children.isEmpty) "" else shape(f.children).mkString("(", "", ")")}"
  }.mkString(" ")

  private def fails[E <: LanceException: reflect.ClassTag](
      change: SchemaChange,
      version: FileVersion = FileVersion.V2_2
  )(words: String*): Unit = {
    val e = intercept[E](new SchemaChanges(schema, 20, version)(Seq(change)))
    words.foreach(w => assert(e.getMessage.contains(w)))
  }

  test("paths, with quotes, list items, and map entries") {
    assert(at("a.`b.c`.`d``e`").names == Seq("a", "b.c", "d`e"))
    assert(at("a.`b.c`.`d``e`").toString == "a.`b.c`.`d``e`")
    Seq("", "a.", ".a", "`a", "`a`b").foreach { text =>
      val e = intercept[InvalidRequestException](at(text))
      assert(e.getMessage.contains("is not valid"), text)
    }
    def ids(path: String) = at(path).find(schema).map(_.id)
    assert(ids("s.x") == Seq(1, 2))
    assert(ids("l.element.u") == Seq(4, 5, 6) && ids("l.item.u") == Seq(4, 5, 6))
    assert(ids("m.value") == Seq(8, 9, 11) && ids("m.entries.key") == Seq(8, 9, 10))
    val e = intercept[InvalidRequestException](at("s.z").find(schema))
    assert(e.getMessage.contains("""no column "s.z"""") && e.getMessage.contains("x, y"))
  }

  test("added fields get ids above all used ones, depth first") {
    val added = nested("n", "struct", leaf("p", "int8"), leaf("q", "int8"))
    val e = evolve(
      Add(FieldPath.root, added, Position.After("a")),
      Add(at("s"), leaf("z", "string"), Position.First),
      Add(at("l.element"), leaf("w", "int64")),
      Add(at("n"), leaf("r", "int64"))
    )
    assert(shape(e.schema.fields) ==
      "a:0 n:21(p:22 q:23 r:26) s:1(z:24 x:2 y:3) l:4(item:5(u:6 v:7 w:25)) " +
      "m:8(entries:9(key:10 value:11)) d:12")
    assert(e.added.map(_.toString) == Seq("n", "s.z", "l.item.w"))
    assert(e.preservesNullability && e.retyped.isEmpty && e.tightened.isEmpty)
    assert(!evolve(Add(FieldPath.root, leaf("b", "int8", nullable = false))).preservesNullability)
  }

  test("drop, rename, move") {
    val e = evolve(
      Drop(at("s.x")),
      Rename(at("s.y"), "z.1"),
      Rename(at("a"), "b"),
      Drop(at("l.element.v")),
      Move(at("d"), Position.First),
      Move(at("b"), Position.After("l"))
    )
    assert(shape(e.schema.fields) ==
      "d:12 s:1(z.1:3) l:4(item:5(u:6)) b:0 m:8(entries:9(key:10 value:11))")
    assert(e.preservesNullability && e.added.isEmpty)
    val emptied = evolve(Drop(at("s.x")), Drop(at("s.y")))
    assert(emptied.schema.fields.map(_.name) == Seq("a", "l", "m", "d"))
    // Names may be swapped.
    val swapped = evolve(Rename(at("a"), "t"), Rename(at("d"), "a"), Rename(at("t"), "d"))
    assert(shape(swapped.schema.fields.filter(_.children.isEmpty)) == "d:0 a:12")
  }

  test("a type change assigns a new id in the same place") {
    val e = evolve(
      SetType(at("a"), LogicalType.parse("int64")),
      SetType(at("l.element.u"), LogicalType.Double),
      Rename(at("l.element.u"), "w"),
      SetType(at("d"), LogicalType.parse("decimal:128:12:4"))
    )
    assert(shape(e.schema.fields) ==
      "a:21 s:1(x:2 y:3) l:4(item:5(w:22 v:7)) m:8(entries:9(key:10 value:11)) d:23")
    assert(e.retyped.map(r => (r.before.map(_.id), r.after.map(_.id))) ==
      Seq((Seq(0), Seq(21)), (Seq(4, 5, 6), Seq(4, 5, 22)), (Seq(12), Seq(23))))
    assert(!e.preservesNullability, "a is required")
    assert(evolve(SetType(at("d"), LogicalType.parse("decimal:128:12:4"))).preservesNullability)
    // Two changes: the original type counts.
    val twice = evolve(
      SetType(at("s.x"), LogicalType.parse("int32")),
      SetType(at("s.x"), LogicalType.parse("int64"))
    )
    assert(twice.retyped.map(r => (r.before.last.id, r.after.last.id)) == Seq((2, 22)))
    assert(evolve(SetType(at("a"), LogicalType.parse("int32"))).schema == schema)
  }

  test("nullability and comments") {
    val e = evolve(
      SetNullable(at("a"), nullable = true),
      SetNullable(at("s.x"), nullable = false),
      SetMetadata(at("d"), Map("comment" -> Some("price"), "gone" -> None))
    )
    assert(e.schema.field("a").get.nullable && !e.schema.byId(2).get.nullable)
    assert(e.tightened.map(_.map(_.name)) == Seq(Seq("s", "x")) && !e.preservesNullability)
    assert(e.schema.field("d").get.metadata == Map("comment" -> "price"))
  }

  test("invalid changes explain why") {
    fails[InvalidRequestException](Drop(at("nowhere")))("no column \"nowhere\"", "a, s, l")
    fails[InvalidRequestException](Rename(at("a"), "s"))("column named \"s\" exists already")
    fails[InvalidRequestException](Rename(at("a"), "_rowid"))("reserved")
    fails[InvalidRequestException](Rename(at("a"), "x.y"))("dot")
    fails[InvalidRequestException](Add(FieldPath.root, leaf("a", "int8")))("already")
    fails[InvalidRequestException](Add(at("d"), leaf("b", "int8")))("not a struct")
    fails[InvalidRequestException](Add(at("m.value"), leaf("b", "int8")))("not a struct")
    fails[InvalidRequestException](Drop(at("m.key")))("fixed name")
    fails[InvalidRequestException](Rename(at("l.element"), "x"))("fixed name")
    fails[InvalidRequestException](Move(at("a"), Position.After("z")))("next to")
    fails[InvalidRequestException](SetType(at("a"), LogicalType.parse("string")))("int32", "string")
    fails[InvalidRequestException](SetType(at("s"), LogicalType.parse("string")))("struct")
    fails[InvalidRequestException](SetNullable(at("m.key"), nullable = true))("map")
    fails[InvalidRequestException](
      SetMetadata(at("a"), Map("ARROW:extension:name" -> Some("x")))
    )("part of the type")
    val all =
      intercept[InvalidRequestException](evolve(schema.fields.map(f => Drop(at(f.name))): _*))
    assert(all.getMessage.contains("at least one column"))
  }

  test("before 2.2, files contain whole structs and lists") {
    fails[UnsupportedFeatureException](
      Add(at("s"), leaf("z", "int8")),
      FileVersion.V2_1
    )("2.1", "2.2")
    fails[UnsupportedFeatureException](Drop(at("l.element.u")), FileVersion.V2_0)("2.0", "2.2")
    val dropped = new SchemaChanges(schema, 20, FileVersion.V2_0)(Seq(Drop(at("s.x"))))
    assert(dropped.schema.byId(2).isEmpty)
  }

  test("widening casts, and casts that check every value") {
    def t(text: String) = LogicalType.parse(text)
    val widening = Seq(
      "int8" -> "int16",
      "int32" -> "int64",
      "uint8" -> "int16",
      "uint32" -> "uint64",
      "int32" -> "double",
      "int64" -> "decimal:128:19:0",
      "int16" -> "decimal:128:7:2",
      "float" -> "double",
      "decimal:128:5:2" -> "decimal:128:10:4",
      "decimal:128:38:2" -> "decimal:256:50:2",
      "date32:day" -> "timestamp:ms:-",
      "string" -> "large_string",
      "fixed_size_list:float:3" -> "fixed_size_list:double:3",
      "dict:string:int8:false" -> "string"
    )
    widening.foreach { case (a, b) => assert(TypeChange.widens(t(a), t(b)), s"$a $b") }
    val checked = Seq(
      "int64" -> "int8",
      "int8" -> "uint8",
      "double" -> "float",
      "decimal:128:10:4" -> "decimal:128:5:2",
      "timestamp:s:-" -> "timestamp:ns:-",
      "date32:day" -> "timestamp:us:-"
    )
    checked.foreach { case (a, b) =>
      assert(!TypeChange.widens(t(a), t(b)) && TypeChange.isAllowed(t(a), t(b)), s"$a $b")
    }
    val rejected = Seq(
      "int64" -> "string",
      "timestamp:us:-" -> "timestamp:us:UTC",
      "string" -> "int32",
      "fixed_size_list:float:3" -> "fixed_size_list:float:4",
      "double" -> "int64"
    )
    rejected.foreach { case (a, b) => assert(!TypeChange.isAllowed(t(a), t(b)), s"$a $b") }
  }
}
