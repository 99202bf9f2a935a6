// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  CommitConflictException,
  InvalidRequestException,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.reuse.RowMoves
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder}

/** Compactions of this library, as seen by pylance, alternating with compactions by pylance. */
class CompactionSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private var tables = 0

  private def fresh(): String = {
    tables += 1
    folder.resolve(s"t$tables").toString
  }

  private def open(path: String): LanceTable = LanceTable.open(store, path)

  /** Types supported by all versions, 40 rows in 5 fragments; row `i` is determined by `i`. */
  private val mixed =
    """
    pa.table({
        "id": pa.array(range(40), pa.int64()),
        "s": pa.array([None if i % 7 == 0 else "text %d" % i for i in range(40)], pa.string()),
        "f": pa.array([i / 3 for i in range(40)], pa.float64()),
        "flag": pa.array([i % 3 == 0 for i in range(40)], pa.bool_()),
        "day": pa.array([datetime.date(2026, 1, 1 + i % 28) for i in range(40)], pa.date32()),
        "l": pa.array([list(range(i % 4)) for i in range(40)], pa.list_(pa.int32())),
        "st": pa.array([{"a": i, "b": "b%d" % i} for i in range(40)],
                       pa.struct([("a", pa.int32()), ("b", pa.string())])),
        "v": pa.array([[i, i + 0.5] for i in range(40)], pa.list_(pa.float32(), 2)),
    })
    """.trim

  private def write(path: String, version: String, options: (String, Any)*): Unit =
    Pylance.write(
      mixed,
      path,
      Seq("max_rows_per_file" -> 8, "data_storage_version" -> version) ++ options: _*
    )

  private def sorted(path: String, version: Option[Long] = None): Seq[String] =
    Pylance.rows(path, version).map(_.toString).sortBy { text =>
      text.drop(text.indexOf(':') + 1).takeWhile(_.isDigit).toInt
    }

  private def ids(path: String): Seq[Int] = Pylance.rows(path, columns = Some(Seq("id")))
    .map(_.get("id").asInt)

  private def delete(path: String, where: String): Unit =
    Pylance.run("dataset(path).delete(where)", "path" -> path, "where" -> where): Unit

  Seq("legacy", "2.0", "2.1", "2.2").foreach { version =>
    test(s"fragments of $version are merged without deleted rows") {
      val path = fresh()
      write(path, version)
      delete(path, "id in (3, 20, 21, 39)")
      val before = sorted(path)
      val t = open(path)
      val (compacted, metrics) = new Compaction(t).run()
      assert(metrics == CompactionMetrics(5, 1, 8, 1))
      assert(compacted.version == t.version + 2)
      assert(compacted.fragments.map(_.id) == Seq(5) && compacted.rowCount.contains(36L))
      assert(Pylance.validate(path) == 36 && sorted(path) == before)
      assert(ids(path) == (0 until 40).filterNot(Set(3, 20, 21, 39)))
      assert(sorted(path, Some(t.version)) == before, "the version before stays as it was")
      val file = compacted.fragments.head.files.head
      assert(file.fileVersion == t.fileVersion && compacted.fragments.head.deletionFile.isEmpty)
      val transactions = (t.version + 1 to compacted.version).map { v =>
        Pylance.run(
          "result = type(dataset(path).read_transaction(v).operation).__name__",
          "path" -> path,
          "v" -> v
        ).asText
      }
      assert(transactions.last == "Rewrite", transactions)
      val (again, nothing) = new Compaction(compacted).run()
      assert(again.version == compacted.version && nothing == CompactionMetrics())
    }
  }

  test("rows in several files, dropped and added columns, nulls for missing columns") {
    val path = fresh()
    write(path, "2.2")
    Pylance.run(
      """
      ds = dataset(path)
      ds.add_columns({"twice": "id * 2"})
      ds.drop_columns(["f"])
      write([{"id": 100, "s": "new"}], path, mode="append")
      dataset(path).delete("id = 5")
      ds = dataset(path)
      ds.add_columns(pa.field("late", pa.string()))
      """,
      "path" -> path
    )
    val before = sorted(path)
    val (t, metrics) = new Compaction(open(path)).run()
    assert(metrics.fragmentsRemoved == 6 && t.fragments.head.files.length == 1)
    assert(sorted(path) == before && Pylance.validate(path) == 40)
    assert(t.schema.fields.map(_.name) == Pylance.schema(path).filter(_.get("parent").asInt < 0)
      .map(_.get("name").asText))
  }

  test("stable row ids and row versions are kept") {
    val path = fresh()
    write(path, "2.2", "enable_stable_row_ids" -> true)
    Pylance.run(
      """
      dataset(path).update({"s": "'changed'"}, where="id % 9 = 1")
      dataset(path).delete("id in (0, 17, 33)")
      write([{"id": 50 + i, "s": "late"} for i in range(3)], path, mode="append")
      """,
      "path" -> path
    )
    def lineage(): JsonNode = Pylance.run(
      """
      t = dataset(path).to_table(
          columns=["id", "_row_created_at_version", "_row_last_updated_at_version"], with_row_id=True)
      result = sorted(t.to_pylist(), key=lambda r: r["id"])
      """,
      "path" -> path
    )
    val (rows, versions) = (sorted(path), lineage())
    assert(versions.elements.asScala.map(_.get("_row_last_updated_at_version").asInt).toSet ==
      Set(1, 2, 4))
    val (t, metrics) = new Compaction(open(path)).run()
    assert(metrics.fragmentsAdded == 1 && t.fragments.length == 1)
    assert(sorted(path) == rows && lineage() == versions && Pylance.validate(path) == 40)
    Pylance.run("write([{'id': 99}], path, mode='append')", "path" -> path)
    assert(lineage().elements.asScala.map(_.get("_rowid").asInt).toSet.size == 41)
  }

  test("the plan equals that of pylance") {
    val random = new scala.util.Random(6)
    (1 to 6).foreach { round =>
      val path = fresh()
      val sizes = Seq.fill(4 + random.nextInt(9))(1 + random.nextInt(12))
      val deleted = sizes.map(n => Seq.fill(random.nextInt(3))(random.nextInt(n)).distinct)
      val options: Map[String, Any] = Map[String, Any](
        "target_rows_per_fragment" -> (3 + random.nextInt(12)),
        "materialize_deletions_threshold" -> random.nextInt(5) / 10.0
      ) ++ (
        if (random.nextBoolean())
          Map[String, Any]("max_source_fragments" -> (1 + random.nextInt(8)))
        else Map[String, Any]("max_source_rows" -> (1 + random.nextInt(40)))
      )
      val theirs = Pylance.run(
        """
        from lance.optimize import Compaction
        n = 0
        where = []
        for size, gone in zip(sizes, deleted):
            write([{"id": n + i} for i in range(size)], path, mode="append")
            where += [str(n + i) for i in gone]
            n += size
        if where:
            dataset(path).delete("id in (%s)" % ",".join(where))
        ds = dataset(path)
        if index:
            ds.create_scalar_index("id", "BTREE", fragment_ids=None)
            write([{"id": 1000}], path, mode="append")
            write([{"id": 1001}], path, mode="append")
            ds = dataset(path)
        plan = Compaction.plan(ds, options=options)
        result = [[f["id"] for f in json.loads(t.json())["task"]["fragments"]] for t in plan.tasks]
        """,
        "path" -> path,
        "sizes" -> sizes,
        "deleted" -> deleted,
        "options" -> options,
        "index" -> (round % 2 == 0)
      )
      // If all indices can be rebuilt, the plan equals that of pylance.
      val able = new IndexRemapper {
        def canRemap(segment: io.github.pysparklance.table.manifest.IndexSegment) = true
        def remap(
            table: LanceTable,
            segment: io.github.pysparklance.table.manifest.IndexSegment,
            moves: Seq[RowMoves]
        ) = fail("only planned")
      }
      val config = options.map { case (k, v) => CompactionOptions.prefix + k -> v.toString }
      val ours = new Compaction(open(path), able).plan(CompactionOptions.of(config)).tasks
        .map(_.sources.map(_.fragment.id))
      assert(
        ours.map(_.mkString("[", ",", "]")).mkString("[", ",", "]") == theirs.toString,
        s"round $round: sizes $sizes, deleted $deleted, options $options"
      )
    }
  }

  test("alternating compactions of both writers") {
    val path = fresh()
    write(path, "2.1", "enable_stable_row_ids" -> true)
    (0 until 3).foreach { round =>
      val rows = sorted(path)
      new Compaction(open(path)).run()
      assert(sorted(path) == rows)
      Pylance.run(
        """
        write([{"id": 100 + 2 * round}], path, mode="append")
        write([{"id": 101 + 2 * round}], path, mode="append")
        dataset(path).delete("id = %d" % (round * 5))
        """,
        "path" -> path,
        "round" -> round
      )
      val then0 = sorted(path)
      assert(Pylance.run(
        "result = dataset(path).optimize.compact_files().fragments_removed",
        "path" -> path
      ).asInt == 3)
      assert(sorted(path) == then0 && open(path).fragments.length == 1)
      Pylance.run(
        "write([{'id': 200 + round}], path, mode='append')",
        "path" -> path,
        "round" -> round
      )
    }
    assert(Pylance.validate(path) == 46)
  }

  test("blobs of both forms, inside and outside of the data file") {
    Seq("2.1" -> false, "2.2" -> true).foreach { case (version, isV2) =>
      val path = fresh()
      Pylance.run(
        """
        values = [None if i % 5 == 0 else bytes([i]) * (i * i * sizes) for i in range(12)]
        if v2:
            blob = lance.blob_field("b")
            column = lance.blob_array(values)
        else:
            blob = pa.field("b", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
            column = pa.array(values, pa.large_binary())
        t = pa.table([pa.array(range(12), pa.int64()), column], schema=pa.schema([pa.field("id", pa.int64()), blob]))
        write(t, path, max_rows_per_file=4, data_storage_version=version)
        dataset(path).delete("id = 7")
        """,
        "path" -> path,
        "version" -> version,
        "v2" -> isV2,
        "sizes" -> (if (isV2) 40000 else 30)
      )
      def blobs(): JsonNode = Pylance.run(
        """
        import hashlib
        ds = dataset(path)
        ids = [i for i in range(12) if i % 5 != 0 and i != 7]
        rows = {r["id"]: n for n, r in enumerate(ds.to_table(columns=["id"]).to_pylist())}
        files = ds.take_blobs("b", indices=[rows[i] for i in ids])
        result = [[i, hashlib.sha1(f.readall()).hexdigest()] for i, f in zip(ids, files)]
        """,
        "path" -> path
      )
      val before = blobs()
      val (t, metrics) = new Compaction(open(path)).run()
      assert(metrics.fragmentsRemoved == 3 && t.rowCount.contains(11L))
      assert(blobs() == before && before.size == 8, version)
      if (isV2) {
        val file = t.fragments.head.files.head.path.stripSuffix(".lance")
        assert(Files.isDirectory(Paths.get(path, "data", file)))
        // Old side files are unreferenced with the old data files, new ones stay.
        t.planCleanup(io.github.pysparklance.table.cleanup.CleanupPolicy()).run(store)
        assert(blobs() == before)
      }
    }
  }

  test("a target number of rows makes files of equal size and keeps large fragments") {
    val path = fresh()
    write(path, "2.2")
    val options = CompactionOptions(targetRowsPerFragment = 15)
    val (t, _) = new Compaction(open(path)).run(options, threads = 2)
    assert(t.fragments.map(_.physicalRows.get) == Seq(16, 24))
    assert(ids(path) == (0 until 40))
    val (same, _) = new Compaction(t).run(options)
    assert(same.version == t.version)
    val one = new Compaction(t).run(CompactionOptions(maxBytesPerFile = 1, batchSize = 10))._1
    assert(one.fragments.map(_.physicalRows.get).sum == 40 && one.fragments.length > 1)
    assert(Pylance.validate(path) == 40)
  }

  test("pages are copied without decoding") {
    Seq("2.1", "2.2").foreach { version =>
      val path = fresh()
      write(path, version)
      val rows = sorted(path)
      val forced = CompactionOptions(mode = CompactionMode.ForceBinaryCopy)
      val (t, metrics) = new Compaction(open(path)).run(forced)
      assert(metrics.fragmentsAdded == 1 && t.fragments.head.files.length == 1)
      assert(sorted(path) == rows && Pylance.validate(path) == 40)
      assert(Pylance.run(
        "result = dataset(path).take([0, 13, 39], columns=['id', 'l']).to_pylist()",
        "path" -> path
      ).toString == """[{"id":0,"l":[]},{"id":13,"l":[0]},{"id":39,"l":[0,1,2]}]""")
      Pylance.run(
        "write([{'id': 40}], path, mode='append'); dataset(path).delete('id = 3')",
        "path" -> path
      )
      val e = intercept[UnsupportedFeatureException](new Compaction(open(path)).run(forced))
      assert(e.getMessage.contains("try_binary_copy"))
      val (again, _) =
        new Compaction(open(path)).run(CompactionOptions(mode = CompactionMode.TryBinaryCopy))
      assert(again.fragments.length == 1 && Pylance.validate(path) == 40)
    }
    val flat = fresh()
    Pylance.write(
      "[{'id': i, 's': 'x' * i} for i in range(9)]",
      flat,
      "max_rows_per_file" -> 2,
      "data_storage_version" -> "2.0"
    )
    new Compaction(open(flat)).run(CompactionOptions(mode = CompactionMode.ForceBinaryCopy))
    assert(ids(flat) == (0 until 9) && open(flat).fragments.length == 1)
  }

  test("concurrent appends are kept, concurrent deletions are a conflict") {
    val path = fresh()
    write(path, "2.2")
    val t = open(path)
    val compaction = new Compaction(t)
    val options = CompactionOptions()
    val results = compaction.plan(options).tasks.map(_.run(store))
    Pylance.run("write([{'id': 40}], path, mode='append')", "path" -> path)
    val committed = compaction.commit(results, options)
    assert(committed.version == t.version + 3 && committed.rowCount.contains(41L))
    assert(ids(path).sorted == (0 to 40))
    val second = new Compaction(committed)
    val more = second.plan(options).tasks.map(_.run(store))
    delete(path, "id = 2")
    val e = intercept[CommitConflictException](second.commit(more, options))
    assert(e.retryable && e.getMessage.contains("version"))
    assert(ids(path).sorted == (0 to 40).filterNot(_ == 2))
    // A complete run deletes unused files.
    val stale = new Compaction(open(path))
    open(path).delete(Map(open(path).fragments.last.id -> DeletionVector.of(Array(0))), "x")
    def files: Int = Paths.get(path, "data").toFile.list.length
    val before = files
    intercept[CommitConflictException](stale.run())
    assert(files == before)
    assert(Pylance.validate(path) == 39)
  }

  test("branches and clones with files at other paths") {
    val path = fresh()
    val clone = fresh()
    write(path, "2.2")
    Pylance.run(
      """
      dataset(path).delete("id = 3")
      dev = dataset(path).create_branch("dev", 2)
      dev.insert(pa.table({"id": [100]}))
      dataset(path).shallow_clone(clone, 2)
      """,
      "path" -> path,
      "clone" -> clone
    )
    val before = Pylance.rows(path, branch = Some("dev"))
    val dev = LanceTable.open(store, s"$path/tree/dev")
    val (t, metrics) = new Compaction(dev).run()
    assert(metrics.fragmentsRemoved == 6 && t.manifest.branch.contains("dev"))
    assert(t.fragments.head.files.forall(_.baseId.isEmpty))
    assert(Pylance.rows(path, branch = Some("dev")).toSet == before.toSet)
    assert(Pylance.validate(path, branch = Some("dev")) == 40 && Pylance.validate(path) == 39)
    val rows = sorted(clone)
    assert(new Compaction(open(clone)).run()._1.fragments.length == 1)
    assert(sorted(clone) == rows && Pylance.validate(clone) == 39)
    assert(open(path).version == 2, "the source is unchanged")
  }

  test("plans and results are serialized; plans and results of another version are rejected") {
    import io.github.pysparklance.table.cleanup.TestPaths.serialized
    val path = fresh()
    write(path, "2.2", "enable_stable_row_ids" -> true)
    val compaction = new Compaction(open(path))
    val options = CompactionOptions(targetRowsPerFragment = 16)
    val tasks = compaction.plan(options).tasks
    assert(tasks.length == 2)
    val results = tasks.map(t => serialized(serialized(t).run(store)))
    // Only some of the results.
    val t = compaction.commit(results.take(1), options)
    assert(t.fragments.length == 4 && Pylance.validate(path) == 40)
    val e = intercept[InvalidRequestException](new Compaction(t).commit(results.drop(1), options))
    assert(e.getMessage.contains("open the former"))
  }

  test("table configuration, and invalid options") {
    val o = CompactionOptions.of(Map(
      "lance.compaction.target_rows_per_fragment" -> "100",
      "lance.compaction.max_rows_per_group" -> "7",
      "lance.compaction.max_bytes_per_file" -> "9",
      "lance.compaction.materialize_deletions" -> "FALSE",
      "lance.compaction.materialize_deletions_threshold" -> "0.5",
      "lance.compaction.batch_size" -> "10",
      "lance.compaction.io_buffer_size" -> "10",
      "lance.compaction.defer_index_remap" -> "true",
      "lance.compaction.index_remap_mode" -> "compact",
      "lance.compaction.compaction_mode" -> "Try_Binary_Copy",
      "lance.compaction.binary_copy_read_batch_bytes" -> "5",
      "lance.compaction.max_source_fragments" -> "1",
      "lance.compaction.max_source_rows" -> "2",
      "lance.compaction.max_source_bytes" -> "3",
      "lance.compaction.max_overlays_per_fragment" -> "none",
      "lance.compaction.data_storage_version" -> "2.1",
      "lance.compaction.of_the_future" -> "x",
      "other" -> "y"
    ))
    assert(o == CompactionOptions(
      100,
      9,
      materializeDeletions = false,
      0.5,
      10,
      deferIndexRemap = true,
      CompactionMode.TryBinaryCopy,
      Some(1),
      Some(2),
      Some(3),
      dataStorageVersion = Some(FileVersion.V2_1)
    ))
    assert(CompactionOptions.of(Map.empty) == CompactionOptions())
    Seq(
      "target_rows_per_fragment" -> "many",
      "batch_size" -> "0",
      "materialize_deletions" -> "yes",
      "materialize_deletions_threshold" -> "x",
      "compaction_mode" -> "fast",
      "index_remap_mode" -> "x",
      "max_source_rows" -> "0",
      "max_rows_per_group" -> "-1",
      "data_storage_version" -> "9.9"
    ).foreach { case (key, value) =>
      val e = intercept[InvalidRequestException](
        CompactionOptions.of(Map(CompactionOptions.prefix + key -> value))
      )
      assert(e.getMessage.contains(key), e.getMessage)
    }
    val path = fresh()
    write(path, "2.2")
    val legacy = CompactionOptions(dataStorageVersion = Some(FileVersion.V0_1))
    intercept[InvalidRequestException](new Compaction(open(path)).plan(legacy))
    val excluded = new Compaction(open(path)).plan(CompactionOptions(excludedFragmentIds = Set(2L)))
    assert(excluded.tasks.map(_.sources.map(_.fragment.id)) == Seq(Seq(0, 1), Seq(3, 4)))
  }
}
