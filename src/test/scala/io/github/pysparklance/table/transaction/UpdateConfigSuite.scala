// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.table.manifest.BasePath
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.transaction.operation.{
  Clone,
  Operation,
  PlainOperation,
  Restore,
  Transaction,
  UpdateBases,
  UpdateConfig,
  UpdateMap
}

/** Round trips of messages for operations that change properties and metadata of a table. */
class UpdateConfigSuite extends AnyFunSuite {

  private def message(operation: PlainOperation): proto.Transaction =
    Transaction(7, operation).toMessage

  private def parsed(u: proto.Transaction.UpdateConfig.Builder): PlainOperation =
    Operation.parse(proto.Transaction.newBuilder().setUpdateConfig(u).build())

  private def old: proto.Transaction.UpdateConfig.Builder =
    proto.Transaction.UpdateConfig.newBuilder()

  test("an update round-trips") {
    val update = UpdateMap(Seq("a" -> Some("1"), "b" -> None, "" -> Some("")))
    Seq(
      UpdateConfig(),
      UpdateConfig(config = Some(update)),
      UpdateConfig(tableMetadata = Some(update.copy(replace = true))),
      UpdateConfig(schemaMetadata = Some(UpdateMap(Nil, replace = true))),
      UpdateConfig(fieldMetadata = Map(0 -> update, 12 -> UpdateMap.upsert(Map("k" -> "v")))),
      UpdateBases(Seq(
        BasePath(0, None, isDatasetRoot = true, "/a"),
        BasePath(5, Some("x"), isDatasetRoot = false, "s3://b/c")
      )),
      Restore(4),
      Clone(isShallow = true, Some("dev"), 3, "/t", Some("x")),
      Clone(isShallow = false, None, 3, "s3://b/t", None)
    ).foreach(o => assert(Operation.parse(message(o)) == o, o))
  }

  test("the older form: config is merged, metadata is replaced") {
    assert(parsed(old.putUpsertValues("a", "1").addDeleteKeys("b")) ==
      UpdateConfig(config = Some(UpdateMap(Seq("a" -> Some("1"), "b" -> None)))))
    assert(parsed(old.putSchemaMetadata("s", "2")) ==
      UpdateConfig(schemaMetadata = Some(UpdateMap.replace(Map("s" -> "2")))))
    val field = proto.Transaction.FieldMetadataUpdate.newBuilder().putMetadata("f", "3").build()
    assert(parsed(old.putFieldMetadata(4, field)) ==
      UpdateConfig(fieldMetadata = Map(4 -> UpdateMap.replace(Map("f" -> "3")))))
  }

  test("both forms at once are corrupt") {
    val e = intercept[CorruptFileException](
      parsed(old.putUpsertValues("a", "1").setConfigUpdates(proto.UpdateMap.getDefaultInstance))
    )
    assert(e.getMessage.contains("old and new form"))
  }

  test("a map of updates") {
    val before = Map("a" -> "1", "b" -> "2")
    assert(UpdateMap.upsert(Map("b" -> "3", "c" -> "4"))(before) ==
      Map("a" -> "1", "b" -> "3", "c" -> "4"))
    assert(UpdateMap.remove(Seq("a", "x"))(before) == Map("b" -> "2"))
    assert(UpdateMap.replace(Map("z" -> ""))(before) == Map("z" -> ""))
    assert(UpdateMap(Seq("a" -> None, "b" -> Some("5")), replace = true)(before) == Map("b" -> "5"))
  }
}
