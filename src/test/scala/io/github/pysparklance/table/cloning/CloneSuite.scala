// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cloning

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  CommitConflictException,
  InvalidRequestException,
  UnsupportedFeatureException,
  Workers
}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.manifest.ManifestFile
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.table.{LanceTable, proto}
import io.github.pysparklance.testkit.{
  FaultyStorage,
  GoldenTables,
  NumberTables,
  Pylance,
  PylanceError,
  TemporaryFolder
}

class CloneSuite extends AnyFunSuite with TemporaryFolder {
  import NumberTables._

  private val store = Storage.local

  private def path(name: String): String = folder.resolve(name).toString

  private def open(name: String, revision: Revision = Revision.Latest): LanceTable =
    LanceTable.open(store, path(name), revision)

  private def files(name: String): Set[String] = {
    val root = folder.resolve(name)
    if (!Files.exists(root)) Set.empty
    else
      Using.resource(Files.walk(root)) { all =>
        all.iterator.asScala
          .filter(Files.isRegularFile(_))
          .map((f: Path) => root.relativize(f).toString)
          .filterNot(_.endsWith("hint.json"))
          .toSet
      }
  }

  /** Versions 1 to 4: rows, more rows, one deleted, and an index by pylance. */
  private def source(): LanceTable = {
    create(path("t"), 0L until 4L, 4L until 8L)
    delete(append(open("t"), Seq(8L)), 0, 1)
    Pylance.run("dataset(path).create_scalar_index('id', 'BTREE')", "path" -> path("t"))
    open("t")
  }

  private val rows = Seq(0L) ++ (2L to 8L)

  private def indexed(name: String): Seq[Long] =
    Pylance
      .run(
        "result = dataset(path).to_table(filter='id > 5')['id'].to_pylist()",
        "path" -> path(name)
      )
      .elements.asScala.map(_.asLong).toSeq

  test("a shallow clone references the files of its source") {
    val clone = new ShallowClone(source())(path("c"), Map("why" -> "because"))
    assert(clone.version == 4 && ids(clone) == rows && LanceTable.versions(
      store,
      path("c")
    ) == Seq(4))
    assert(files("c").forall(f => f.startsWith("_versions/") || f.startsWith("_transactions/")))
    assert(clone.manifest.basePaths.values.map(b => (b.id, b.name, b.isDatasetRoot, b.path)) ==
      Seq((0, None, true, path("t"))))
    val info = LanceTable.history(store, path("c")).toSeq.head
    assert(info.operation.contains("Clone") && info.readVersion.contains(4L))
    assert(info.properties == Map("why" -> "because") && info.rowsAdded.contains(0L))
    assert(pylanceIds(path("c")) == rows && Pylance.validate(path("c")) == rows.length)
    assert(indexed("c") == Seq(6, 7, 8))

    // Both diverge.
    val appended = append(delete(clone, 0, 0), Seq(20L))
    Pylance.run("dataset(path).delete('id = 8')", "path" -> path("c"))
    assert(ids(open("c")) == (2L to 7L) :+ 20L && pylanceIds(path("c")) == (2L to 7L) :+ 20L)
    assert(appended.fragments.map(_.id) == Seq(0, 1, 2, 3))
    assert(files("c").exists(_.startsWith("_deletions/")))
    append(open("t"), Seq(30L))
    assert(ids(open("t")) == rows :+ 30L)
  }

  test("clones of clones, of branches, and of tags") {
    source()
    LanceTable.tags(store, path("t")).create("early", Revision.Version(1))
    LanceTable.branches(store, path("t")).create("dev", Revision.Version(3))
    append(open("t", Revision.OnBranch("dev")), Seq(40L))

    new ShallowClone(open("t", Revision.Tagged("early")))(path("c1"))
    append(open("c1"), Seq(50L))
    new ShallowClone(open("c1"))(path("c2"))
    assert(ids(open("c2")) == (0L until 8L) :+ 50L)
    assert(open("c2").manifest.basePaths.map { case (id, b) => id -> b.path } ==
      Map(0 -> path("t"), 1 -> path("c1")))
    assert(pylanceIds(path("c2")) == (0L until 8L) :+ 50L)

    new ShallowClone(open("t", Revision.OnBranch("dev")))(path("c3"))
    assert(ids(open("c3")) == rows :+ 40L && pylanceIds(path("c3")) == rows :+ 40L)
    assert(open("c3").manifest.branch.isEmpty)

    Pylance.run("dataset(path).shallow_clone(to, 2)", "path" -> path("c2"), "to" -> path("c4"))
    assert(ids(open("c4")) == (0L until 8L) :+ 50L)
    new DeepClone(open("c4"))(path("d"))
    assert(ids(open("d")) == (0L until 8L) :+ 50L && open("d").manifest.basePaths.isEmpty)
    assert(Pylance.validate(path("d")) == 9)
  }

  test("a deep clone is independent of its source") {
    val clone = new DeepClone(source())(path("d"))
    assert(clone.version == 4 && ids(clone) == rows)
    store.deleteFolder(path("t"))
    assert(ids(open("d")) == rows && clone.manifest.basePaths.isEmpty)
    assert(clone.manifest.flags.reader == 1)
    assert(pylanceIds(path("d")) == rows && Pylance.validate(path("d")) == rows.length)
    assert(indexed("d") == Seq(6, 7, 8))
    assert(Pylance.run(
      "result = len(dataset(path).list_indices())",
      "path" -> path("d")
    ).asInt == 1)
    assert(ids(append(open("d"), Seq(9L))) == rows :+ 9L)
    assert(LanceTable.history(store, path("d")).map(_.operation.get).toSeq == Seq(
      "Clone",
      "Append"
    ))
  }

  test("deep clones of shallow clones and of branches, including clones and branches of pylance") {
    source()
    new ShallowClone(open("t"))(path("c"))
    append(delete(open("c"), 1, 0), Seq(60L))
    val expected = rows.filterNot(_ == 4L) :+ 60L
    assert(ids(new DeepClone(open("c"))(path("d1"))) == expected)
    Pylance.run("dataset(path).deep_clone(to, 6)", "path" -> path("c"), "to" -> path("d2"))
    Seq("d1", "d2").foreach { d =>
      assert(ids(open(d)) == expected && pylanceIds(path(d)) == expected, d)
      assert(
        files(d).count(_.startsWith("data/")) == 4 && files(
          d
        ).count(_.startsWith("_deletions/")) == 2,
        d
      )
      assert(open(d).manifest.flags.reader == 1 && open(d).version == 6, d)
    }
    LanceTable.branches(store, path("c")).create("dev")
    assert(ids(new DeepClone(open("c", Revision.OnBranch("dev")))(path("d3"))) == expected)
    assert(open("d3").manifest.branch.isEmpty)
  }

  test("side files of blobs are copied, external ones stay in place") {
    Pylance.run(
      """
      import os
      blob = lance.blob_field('b')
      schema = pa.schema([pa.field('id', pa.int64()), blob])
      external = os.path.join(folder, 'outside.bin')
      open(external, 'wb').write(b'x' * 10)
      values = [b'a', b'b' * 100_000, b'c' * 5_000_000, lance.Blob.from_uri('file://' + external)]
      table = pa.table([pa.array(range(4), pa.int64()), lance.blob_array(values)], schema=schema)
      write(table, path, data_storage_version='2.2', allow_external_blob_outside_bases=True)
      """,
      "folder" -> folder.toString,
      "path" -> path("t")
    )
    new ShallowClone(open("t"))(path("c"))
    new DeepClone(open("c"))(path("d"))
    assert(files("d").count(_.endsWith(".blob")) == files("t").count(_.endsWith(".blob")))
    assert(files("d").exists(_.endsWith(".blob")))
    def sizes(name: String) = Pylance
      .run(
        """
        blobs = dataset(path).take_blobs('b', indices=range(4))
        result = [len(b.read()) for b in blobs]
        """,
        "path" -> path(name)
      )
      .elements.asScala.map(_.asInt).toSeq
    assert(sizes("c") == Seq(1, 100000, 5000000, 10))
    store.deleteFolder(path("t"))
    assert(sizes("d") == Seq(1, 100000, 5000000, 10))
  }

  test("stable row ids, file versions, and dictionaries of old files are cloned") {
    Pylance.write("{'id': range(5)}", path("s"), "enable_stable_row_ids" -> true)
    val clone = new ShallowClone(open("s"))(path("c"))
    assert(clone.hasStableRowIds && clone.manifest.message.getNextRowId == 5)
    assert(append(clone, Seq(5L)).manifest.message.getNextRowId == 6)
    assert(Pylance.validate(path("c")) == 6)
    Pylance.write(
      "pa.table({'id': pa.array(range(3)), 'd': pa.array(['a', 'b', 'a']).dictionary_encode()})",
      path("old"),
      "data_storage_version" -> "0.1"
    )
    new ShallowClone(open("old"))(path("c1"))
    new DeepClone(open("old"))(path("d1"))
    Seq("c1", "d1").foreach { c =>
      assert(ids(open(c)) == Seq(0, 1, 2))
      assert(Pylance.rows(path(c)).map(_.get("d").asText) == Seq("a", "b", "a"))
    }
  }

  test("an existing table or branch is not overwritten by a clone") {
    source()
    create(path("u"), Seq(1L))
    val before = files("u")
    Seq[LanceTable => Any](new ShallowClone(_)(path("u")), new DeepClone(_)(path("u"))).foreach {
      clone =>
        val e = intercept[InvalidRequestException](clone(open("t")))
        assert(e.getMessage.contains("a table exists") && e.place.path.contains(path("u")))
    }
    assert(files("u") == before)
    val detached = new io.github.pysparklance.table.history.History(open("t"))
      .commitDetached(io.github.pysparklance.table.transaction.operation.Append(IndexedSeq.empty))
    intercept[UnsupportedFeatureException](new ShallowClone(detached)(path("c")))
    assert(files("c").isEmpty)
    val e = intercept[PylanceError](
      Pylance.run("dataset(path).shallow_clone(to, 4)", "path" -> path("t"), "to" -> path("u"))
    )
    assert(e.getMessage.contains("exists"))
  }

  test(
    "tables with old manifest names and without rows are cloned; those that need repairs are rejected"
  ) {
    GoldenTables.copy("history_v1_names.lance", folder)
    val old = open("history_v1_names.lance", Revision.Version(3))
    val clone = new ShallowClone(old)(path("c"))
    assert(clone.version == 3 && clone.rowCount == old.rowCount)
    assert(files("c").exists(_.endsWith("18446744073709551612.manifest")))
    assert(Pylance.validate(path("c")) == old.rowCount.get)
    LanceTable.branches(store, old.path).create("dev", Revision.Version(2))
    assert(Pylance.validate(old.path, branch = Some("dev")) == 150)

    LanceTable.create(store, path("empty"), schema)
    new DeepClone(open("empty"))(path("d"))
    assert(ids(append(open("d"), Seq(1L))) == Seq(1) && Pylance.validate(path("d")) == 1)

    // As written by the earliest releases: without the name of the writer.
    append(create(path("u"), Seq(1L)), Seq(2L))
    val unnamed = open("u").manifest.message.toBuilder.setVersion(3).clearWriterVersion()
    Files.write(
      folder.resolve("u/_versions/18446744073709551612.manifest"),
      ManifestFile.encode(unnamed, None, proto.Transaction.getDefaultInstance).bytes
    )
    val e = intercept[UnsupportedFeatureException](new ShallowClone(open("u"))(path("v")))
    assert(e.getMessage.contains("repair") && files("v").isEmpty)
    intercept[UnsupportedFeatureException](new DeepClone(open("u"))(path("v")))
    assert(files("v").isEmpty)
  }

  test("a failed clone is not a table, and a retry succeeds") {
    source()
    val failing = new FaultyStorage(
      store,
      p => if (p.endsWith(".manifest")) Some(FaultyStorage.Before) else None
    )
    val table = LanceTable.open(failing, path("t"))
    intercept[IOException](new ShallowClone(table)(path("c")))
    intercept[IOException](new DeepClone(table)(path("d")))
    assert(files("c").isEmpty && files("d").forall(f => files("t").contains(f)))
    assert(!LanceTable.exists(store, path("d")))
    assert(ids(new DeepClone(open("t"))(path("d"))) == rows)
  }

  test("of many concurrent clones to one path, one succeeds") {
    source()
    Seq[(String, LanceTable => LanceTable)](
      "c" -> (new ShallowClone(_)(path("c"))),
      "d" -> (new DeepClone(_)(path("d")))
    ).foreach { case (name, clone) =>
      val winners = Workers.map(0 until 6, 6) { _ =>
        try { clone(open("t")); 1 }
        catch { case _: InvalidRequestException | _: CommitConflictException => 0 }
      }
      assert(winners.sum == 1, name)
      assert(ids(open(name)) == rows && LanceTable.versions(store, path(name)) == Seq(4), name)
    }
  }

  test("a table that is created does not replace a concurrent clone of a first version") {
    create(path("t"), 0L until 4L)
    val racing = new FaultyStorage(
      store,
      p =>
        if (p.endsWith(".manifest"))
          Some(FaultyStorage.Rival(() => new ShallowClone(open("t"))(path("c")): Unit))
        else None
    )
    val e = intercept[CommitConflictException](LanceTable.create(racing, path("c"), schema))
    assert(e.conflictingVersion == 1 && e.getMessage.contains("created concurrently"), e)
    assert(LanceTable.versions(store, path("c")) == Seq(1) && ids(open("c")) == (0L until 4L))
  }
}
