// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.io.IOException
import java.nio.file.{Files, Path}
import java.time.Instant

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{InvalidRequestException, NotFoundException}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{FaultyStorage, GoldenTables, Pylance, TemporaryFolder}

class TagsSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local

  /** Four versions. */
  private def table(): Path = GoldenTables.copy("history_v2_names.lance", folder)

  private def tags(t: Path): Tags = LanceTable.tags(store, t.toString)

  private def json(t: Path, name: String): String =
    Files.readString(t.resolve(s"_refs/tags/$name.json"))

  test("create, update, annotate, and delete") {
    val t = table()
    val before = Instant.now()
    val created = tags(t).create("v1", Revision.Version(2), Map("b" -> "2", "a" -> "ä"))
    assert(created == tags(t)("v1"))
    assert((created.branch, created.version) == ((None, 2L)))
    assert(created.createdAt == created.updatedAt && !created.createdAt.get.isBefore(before))
    val manifest = LanceTable.open(store, t.toString, Some(2L))
    assert(created.manifestSizeBytes.contains(
      Files.size(t.resolve("_versions/18446744073709551613.manifest"))
    ))
    assert(LanceTable.open(store, t.toString, Revision.Tagged("v1")).version == manifest.version)

    val updated = tags(t).update("v1", Revision.Latest)
    assert(updated.version == 4 && updated.createdAt == created.createdAt)
    assert(updated.updatedAt.get.isAfter(created.updatedAt.get))
    assert(updated.metadata == created.metadata && updated == tags(t)("v1"))
    tags(t).replaceMetadata("v1", Map("c" -> "3"))
    assert(tags(t)("v1") == updated.copy(metadata = Map("c" -> "3")))

    tags(t).create("copy", Revision.Tagged("v1"))
    assert(tags(t).list().map(x => x.name -> x.version) == Seq("copy" -> 4, "v1" -> 4))
    tags(t).delete("v1")
    assert(tags(t).list().map(_.name) == Seq("copy"))
    assert(Files.list(t.resolve("_refs/tags")).count() == 1)
  }

  test("tags are shared with pylance in both directions") {
    val t = table().toString
    val ours = LanceTable.tags(store, t)
    ours.create("v1", Revision.Version(2), Map("a" -> "ä"))
    ours.create("v2")
    ours.update("v2", Revision.Version(3))
    Pylance.run(
      """
      ds = dataset(path)
      ds.tags.create('v3', 1)
      ds.tags.update('v1', 4)
      ds.create_branch('dev', 2)
      ds.tags.create('v4', ('dev', None))
      """,
      "path" -> t
    )
    val theirs = Pylance.tags(t)
    assert(ours.list().map(_.name) == Seq("v1", "v2", "v3", "v4") && theirs.size == 4)
    ours.list().foreach { tag =>
      val p = theirs.get(tag.name)
      assert(Option(p.get("branch").textValue) == tag.branch, tag.name)
      assert(p.get("version").asLong == tag.version, tag.name)
      assert(p.get("manifest_size").asLong == tag.manifestSizeBytes.get, tag.name)
      val metadata = p.get("metadata").properties.asScala.map(e => e.getKey -> e.getValue.asText)
      assert(metadata.toMap == tag.metadata, tag.name)
      assert(
        p.get("created_at").asText.startsWith(tag.createdAt.get.toString.take(19)),
        tag.name
      )
    }
    assert(ours("v1").version == 4 && ours("v1").metadata == Map("a" -> "ä"))
    assert(ours("v4").branch.contains("dev") && ours("v4").version == 2)
    assert(Pylance.run("result = dataset(path, 'v2').count_rows()", "path" -> t).asLong == 139)
    ours.delete("v3")
    Pylance.run("dataset(path).tags.delete('v2')", "path" -> t)
    assert(ours.list().map(_.name) == Seq("v1", "v4") && Pylance.tags(t).size == 2)
  }

  test("unknown fields of tag files are kept") {
    val t = table()
    tags(t).create("v1", Revision.Version(1))
    Files.writeString(
      t.resolve("_refs/tags/v1.json"),
      json(t, "v1").replaceFirst("\\{", "{\"note\": [1],")
    )
    tags(t).update("v1", Revision.Version(3))
    assert(json(t, "v1").contains("note") && tags(t)("v1").version == 3)
  }

  test("existing, missing, and invalid names") {
    val t = table()
    tags(t).create("v1", Revision.Version(1))
    val taken = intercept[InvalidRequestException](tags(t).create("v1", Revision.Version(2)))
    assert(taken.getMessage.contains("tag v1 exists already") && tags(t)("v1").version == 1)
    assert(taken.place.path.contains(t.toString))
    Seq[Tags => Any](
      _.update("v2", Revision.Latest),
      _.delete("v2"),
      _.replaceMetadata("v2", Map.empty)
    )
      .foreach { act =>
        val e = intercept[NotFoundException](act(tags(t)))
        assert(e.getMessage.contains("not found: tag v2"))
      }
    assert(intercept[NotFoundException](tags(t).create("v9", Revision.Version(9)))
      .getMessage.contains("version 9"))
    intercept[NotFoundException](tags(t).update("v1", Revision.OnBranch("nope")))
    intercept[NotFoundException](tags(folder.resolve("none")).create("v1"))
    Seq("a/b", "", "../x", "Ü").foreach(n =>
      intercept[InvalidRequestException](tags(t).create(n, Revision.Latest))
    )
    assert(tags(t).list().map(x => x.name -> x.version) == Seq("v1" -> 1))
    assert(!Files.exists(folder.resolve("none")))
  }

  test("non-ASCII letters in file names, as written by pylance") {
    val t = table()
    tags(t).create("v1")
    Files.move(
      t.resolve("_refs/tags/v1.json"),
      t.resolve("_refs/tags/%C3%9Cn%C3%AF.json")
    )
    assert(tags(t).list().map(_.name) == Seq("Ünï") && tags(t)("Ünï").version == 4)
    tags(t).delete("Ünï")
    assert(tags(t).list().isEmpty)
  }

  test("detached versions have the highest bit set") {
    val t = table()
    val detached = Long.MinValue + 5
    val golden = LanceTable.open(store, t.toString)
    Files.write(
      t.resolve(s"_versions/d${java.lang.Long.toUnsignedString(detached)}.manifest"),
      io.github.pysparklance.table.manifest.ManifestFile.encode(
        golden.manifest.message.toBuilder.setVersion(detached),
        None,
        io.github.pysparklance.table.proto.Transaction.getDefaultInstance
      ).bytes
    )
    assert(tags(t).create("d", Revision.Version(detached)).version == detached)
    assert(json(t, "d").contains("9223372036854775813"))
    assert(LanceTable.open(store, t.toString, Revision.Tagged("d")).version == detached)
  }

  test("an unconfirmed tag counts if it was created") {
    val t = table()
    def faulty(fault: FaultyStorage.Fault): Tags =
      new Tags(
        new FaultyStorage(store, p => if (p.endsWith(".json")) Some(fault) else None),
        io.github.pysparklance.storage.spi.TablePath(t.toString)
      )
    assert(faulty(FaultyStorage.After).create("a").version == 4)
    assert(faulty(FaultyStorage.DeniedAfter).create("b").version == 4)
    intercept[IOException](faulty(FaultyStorage.Before).create("c"))
    intercept[IOException](faulty(FaultyStorage.UnreadableAfter).create("d"))
    intercept[IOException](faulty(FaultyStorage.Denied(lands = false)).create("e"))
    assert(tags(t).list().map(_.name) == Seq("a", "b", "d"))
  }
}
