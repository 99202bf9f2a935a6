// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.metadata

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  CommitConflictException,
  Field,
  InvalidRequestException,
  LogicalType,
  Schema
}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{BasePath, FeatureFlags}
import io.github.pysparklance.table.transaction.build.KeyRules
import io.github.pysparklance.table.transaction.operation.{Project, UpdateMap}
import io.github.pysparklance.testkit.{NumberTables, Pylance, TemporaryFolder}

class MetadataChangesSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local

  private def path: String = folder.resolve("t").toString

  private def changes: MetadataChanges = new MetadataChanges(LanceTable.open(store, path))

  private def texts(node: JsonNode): Map[String, String] =
    node.properties.asScala.map(e => e.getKey -> e.getValue.asText).toMap

  private val notes = Map("a" -> "1", "b" -> "ü")

  test("config, table metadata, and schema metadata: merge, remove, replace") {
    NumberTables.create(path, Seq(1, 2))
    type Change = (MetadataChanges, UpdateMap) => LanceTable
    Seq[(Change, LanceTable => Map[String, String], String)](
      (_.config(_), _.manifest.config, "dataset(path).config()"),
      (_.tableMetadata(_), _.manifest.tableMetadata, "dataset(path).metadata"),
      (
        _.schemaMetadata(_),
        _.schema.metadata,
        "{k.decode(): v.decode() for k, v in (dataset(path).schema.metadata or {}).items()}"
      )
    ).foreach { case (change, ours, theirs) =>
      def check(table: LanceTable, expected: Map[String, String]) = {
        assert(ours(table) == expected && ours(LanceTable.open(store, path)) == expected, theirs)
        assert(texts(Pylance.run(s"result = $theirs", "path" -> path)) == expected, theirs)
      }
      check(change(changes, UpdateMap.upsert(notes)), notes)
      check(change(changes, UpdateMap(Seq("a" -> Some("2"), "b" -> None))), Map("a" -> "2"))
      check(change(changes, UpdateMap.replace(Map("c" -> ""))), Map("c" -> ""))
      check(change(changes, UpdateMap.remove(Seq("c", "never"))), Map.empty)
    }
    val table = LanceTable.open(store, path)
    assert(table.version == 13 && NumberTables.ids(table) == Seq(1, 2))
    assert(Pylance.validate(path) == 2)
  }

  test("the config flag is set while there is a config") {
    NumberTables.create(path, Seq(1))
    assert(changes.config(UpdateMap.upsert(notes)).manifest.flags.writer == FeatureFlags.config)
    assert(changes.config(UpdateMap.remove(notes.keys)).manifest.flags.writer == 0)
  }

  test("changes by pylance") {
    NumberTables.create(path, Seq(1))
    Pylance.run(
      """
      ds = dataset(path)
      ds.update_config({"a": "1", "b": "2"})
      ds.update_config({"a": None})
      ds.update_metadata({"m": "3"})
      ds.update_schema_metadata({"s": "4"})
      ds.update_field_metadata({"id": {"f": "5"}})
      """,
      "path" -> path
    )
    val t = LanceTable.open(store, path)
    assert(t.version == 6 && t.manifest.config == Map("b" -> "2"))
    assert(t.manifest.tableMetadata == Map("m" -> "3") && t.schema.metadata == Map("s" -> "4"))
    assert(t.schema.fields.head.metadata == Map("f" -> "5"))
    val ours = new MetadataChanges(t).config(UpdateMap.upsert(Map("c" -> "3")))
    assert(ours.manifest.config == Map("b" -> "2", "c" -> "3"))
    assert(ours.manifest.tableMetadata == Map("m" -> "3") && ours.schema == t.schema)
    assert(
      LanceTable.history(store, path).map(_.operation.get).toSeq.tail.forall(_ == "UpdateConfig")
    )
  }

  private def nested: Schema = {
    def f(name: String, t: String, nullable: Boolean, children: Field*) =
      Field(-1, name, LogicalType.parse(t), nullable, children.toIndexedSeq)
    Schema(IndexedSeq(
      f("id", "int64", nullable = false),
      f("maybe", "int64", nullable = true),
      f("s", "struct", nullable = false, f("x", "int32", nullable = false)),
      f("l", "list", nullable = false, f("item", "int32", nullable = false))
    )).withFreshIds
  }

  test("field metadata at any depth") {
    LanceTable.create(store, path, nested)
    changes.fieldMetadata(Map(
      0 -> UpdateMap.upsert(Map("k" -> "1", "l" -> "2")),
      3 -> UpdateMap.upsert(Map("x" -> "y"))
    ))
    changes.fieldMetadata(Map(0 -> UpdateMap(Seq("k" -> None))))
    val t = changes.fieldMetadata(Map(3 -> UpdateMap.replace(Map("z" -> "w"))))
    assert(t.schema.byId(0).get.metadata == Map("l" -> "2"))
    assert(t.schema.byId(3).get.metadata == Map("z" -> "w"))
    val theirs = Pylance.schema(path).map(f => f.get("id").asInt -> texts(f.get("metadata"))).toMap
    assert(theirs(0) == Map("l" -> "2") && theirs(3) == Map("z" -> "w"))
    val before = LanceTable.open(store, path).version
    assert(
      intercept[InvalidRequestException](changes.fieldMetadata(Map(9 -> UpdateMap.upsert(notes))))
        .getMessage.contains("no field with id 9")
    )
    intercept[InvalidRequestException](changes.fieldMetadata(Map.empty))
    assert(LanceTable.open(store, path).version == before)
  }

  test("a primary key is set once, on non-nullable leaves") {
    LanceTable.create(store, path, nested)
    Seq(
      Seq(1) -> "is nullable",
      Seq(2) -> "has child fields",
      Seq(5) -> "is in a list or a map",
      Seq(0, 0) -> "twice"
    ).foreach { case (ids, why) =>
      val e = intercept[InvalidRequestException](changes.primaryKey(ids))
      assert(e.getMessage.contains(why), ids)
    }
    intercept[InvalidRequestException](
      changes.fieldMetadata(Map(0 -> UpdateMap.upsert(Map(KeyRules.PrimaryPosition -> "first"))))
    )
    assert(LanceTable.open(store, path).version == 1)
    // A table cannot be created with such a key either.
    val keyed = Schema(IndexedSeq(nested.fields(1).copy(unenforcedPrimaryKey = Some(1))))
    val created = intercept[InvalidRequestException](LanceTable.create(store, s"$path-2", keyed))
    assert(created.getMessage.contains("primary key column 'maybe' is nullable"))
    val t = changes.primaryKey(Seq(3, 0))
    assert(t.schema.byId(3).get.unenforcedPrimaryKey.contains(1))
    assert(t.schema.byId(0).get.unenforcedPrimaryKey.contains(2))
    val e = intercept[InvalidRequestException](changes.primaryKey(Seq(0)))
    assert(e.getMessage.contains("cannot be changed once it is set"))
    intercept[InvalidRequestException](
      changes.fieldMetadata(Map(3 -> UpdateMap.replace(Map.empty)))
    )
    val nullable =
      t.schema.copy(fields = t.schema.fields.updated(0, t.schema.fields.head.copy(nullable = true)))
    intercept[InvalidRequestException](t.commit(Project(nullable, preservesNullability = true)))
    // Other metadata of key fields may change, by pylance and by this library.
    changes.fieldMetadata(Map(1 -> UpdateMap.upsert(notes)))
    val rejected = Pylance.run(
      """
      ds = dataset(path)
      try:
          ds.update_field_metadata({"id": {"lance-schema:unenforced-primary-key": "true"}})
      except Exception as e:
          result = str(e)
      """,
      "path" -> path
    ).asText
    assert(rejected.contains("cannot be changed once set"))
  }

  test("concurrent changes of the same key and of different keys") {
    NumberTables.create(path, Seq(1))
    val stale = new MetadataChanges(LanceTable.open(store, path))
    Pylance.run("dataset(path).update_config({'a': '1'})", "path" -> path)
    assert(stale.config(UpdateMap.upsert(Map("b" -> "2"))).manifest.config == Map(
      "a" -> "1",
      "b" -> "2"
    ))
    val e = intercept[CommitConflictException](stale.config(UpdateMap.upsert(Map("a" -> "3"))))
    assert(e.conflictingVersion == 2)
    intercept[CommitConflictException](stale.config(UpdateMap.remove(Seq("a"))))
  }

  test("base paths are added with the lowest free ids") {
    NumberTables.create(path, Seq(1))
    val bases = Seq(
      BasePath(0, Some("fast"), isDatasetRoot = false, folder.resolve("fast").toString),
      BasePath(0, None, isDatasetRoot = true, s"file://${folder.resolve("big")}")
    )
    val t = changes.addBases(bases)
    assert(t.manifest.basePaths.keySet == Set(1, 2))
    assert(t.manifest.basePaths(2).path == folder.resolve("big").toString)
    assert(t.manifest.flags.reads(FeatureFlags.basePaths))
    Seq(
      bases.head.copy(path = "/elsewhere"),
      bases(1).copy(name = Some("other")),
      BasePath(1, Some("x"), isDatasetRoot = false, "/x")
    ).foreach(b => intercept[InvalidRequestException](changes.addBases(Seq(b))))
    Seq("data/fast", "data", "tree/x", "").foreach { inside =>
      val base = BasePath(0, Some("near"), isDatasetRoot = false, s"$path/$inside")
      val e = intercept[InvalidRequestException](changes.addBases(Seq(base)))
      assert(e.getMessage.contains("the base path near (") &&
        e.getMessage.contains("give a folder outside of it"))
    }
    Pylance.run(
      """
      from lance import DatasetBasePath
      dataset(path).add_bases([DatasetBasePath(other, "theirs")])
      """,
      "path" -> path,
      "other" -> folder.resolve("theirs").toString
    )
    val after = LanceTable.open(store, path).manifest.basePaths
    assert(after.keySet == Set(1, 2, 3) && after(3).name.contains("theirs"))
    assert(Pylance.validate(path) == 1)
  }
}
