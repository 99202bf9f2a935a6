// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.LogicalType._
import io.github.pysparklance.core.{
  CorruptFileException,
  Field,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.{FieldMessages, FileVersion, MapEntries}

class FieldMessagesSuite extends AnyFunSuite {

  private def field(name: String, t: io.github.pysparklance.core.LogicalType, children: Field*) =
    Field(Field.Unassigned, name, t, nullable = true, children.toIndexedSeq)

  private val int = Integer(32, signed = true)

  private val nested = Schema(
    IndexedSeq(
      field("k", int).copy(nullable = false, unenforcedPrimaryKey = Some(0)),
      field(
        "s",
        Struct,
        field("x", Utf8(large = false)).copy(unenforcedPrimaryKey = Some(2)),
        field("y", List(large = false, ofStruct = true), field("item", Struct, field("z", Double)))
      ),
      field(
        "m",
        Map,
        field("entries", Struct, field("key", int), field("value", Decimal(128, 10, 2)))
      ),
      field("f", FixedSizeList(Float, 8)),
      field("u", FixedSizeBinary(16)).copy(
        metadata = Predef.Map("ARROW:extension:name" -> "arrow.uuid", "note" -> "a\u00e9"),
        unenforcedClusteringKey = Some(1)
      ),
      field("d", Dictionary(Utf8(large = false), int, ordered = false)),
      field("n", Null)
    ),
    Predef.Map("owner" -> "somebody")
  ).withFreshIds

  private def message(id: Int, parent: Int, t: String, name: String = "f") =
    proto.Field.newBuilder().setId(id).setParentId(parent).setLogicalType(t).setName(name).build()

  private def read(messages: proto.Field*) = FieldMessages.toSchema(messages, Predef.Map.empty)

  test("a schema round-trips through messages") {
    assert(FieldMessages.toSchema(FieldMessages.toMessage(nested)) == nested)
  }

  test(
    "messages are flat, depth first, with parents and the encodings required by 0.1 readers"
  ) {
    val m = FieldMessages.toMessages(nested)
    assert(m.map(_.getId) == (0 to 13))
    assert(m.map(_.getParentId) == Seq(-1, -1, 1, 1, 3, 4, -1, 6, 7, 7, -1, -1, -1, -1))
    assert(m.map(_.getEncodingValue) == Seq(1, 0, 2, 1, 0, 1, 1, 0, 1, 1, 1, 1, 3, 0))
    assert(m(11).getExtensionName == "arrow.uuid")
    assert(m.map(_.getUnenforcedPrimaryKey).count(identity) == 2)
    assert(m.forall(_.getType == proto.Field.Type.PARENT))
  }

  test("an extension name overrides the metadata entry") {
    val m = message(0, -1, "fixed_size_binary:16").toBuilder.setExtensionName("arrow.uuid").build()
    assert(read(m).fields.head.metadata == Predef.Map("ARROW:extension:name" -> "arrow.uuid"))
  }

  test("a repeated id refers to the first field with that id as parent") {
    val s = read(
      message(0, -1, "struct", "a"),
      message(1, 0, "struct", "b"),
      message(1, -1, "struct", "c"),
      message(2, 1, "int32", "d")
    )
    assert(s.fields.head.children.head.children.map(_.name) == Seq("d"))
    assert(s.fields(1).children.isEmpty)
  }

  test("members of a blob v2 descriptor, which have no ids, belong to their struct") {
    val blob = message(3, -1, "struct", "b").toBuilder
    Seq("lance-encoding:blob", "lance-encoding:packed").foreach { k =>
      blob.addAllMetadata(MapEntries.ofBytes(Seq(k -> "true")))
    }
    val s = read(blob.build(), message(-1, -1, "uint8", "kind"), message(-1, -1, "uint64", "size"))
    assert(s.fields.map(_.name) == Seq("b"))
    assert(s.fields.head.children.map(_.name) == Seq("kind", "size"))
  }

  test("lists that are not a tree are rejected") {
    val orphan = intercept[CorruptFileException](read(message(1, 7, "int32", "lost")))
    assert(orphan.getMessage.contains("parent 7") && orphan.place.column.contains("lost"))
    intercept[CorruptFileException](read(message(0, -1, "list")))
    intercept[CorruptFileException](read(message(0, -1, "int32"), message(1, 0, "int32")))
    intercept[CorruptFileException](
      read(message(0, -1, "map"), message(1, 0, "struct"), message(2, 1, "int32"))
    )
    val deep = (0 to 5000).map(i => message(i, i - 1, "struct"))
    intercept[UnsupportedFeatureException](read(deep: _*))
    intercept[UnsupportedFeatureException](read(message(0, -1, "interval")))
  }

  test("versions are recognized by exact pairs") {
    assert(FileVersion.all.forall(v => FileVersion.of(v.major, v.minor) == v))
    assert(FileVersion.all.forall(v => FileVersion.parse(v.text) == v))
    assert(FileVersion.of(0, 3) == FileVersion.V2_0)
    assert(FileVersion.parse("stable") == FileVersion.V2_2)
    Seq((0, 4), (1, 0), (2, 4), (3, 0)).foreach { case (major, minor) =>
      intercept[UnsupportedFeatureException](FileVersion.of(major, minor))
    }
  }

  test("an empty message is a schema without columns") {
    assert(FieldMessages.toSchema(proto.Schema.getDefaultInstance) == Schema(IndexedSeq.empty))
  }
}
