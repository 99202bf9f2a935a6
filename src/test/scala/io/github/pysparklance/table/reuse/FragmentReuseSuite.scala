// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.reuse

import java.nio.file.Files

import com.google.protobuf.{ByteString, CodedOutputStream}
import org.roaringbitmap.RoaringBitmap
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.maintenance.{Compaction, CompactionOptions}
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.proto.FragmentReuseIndexDetails
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.{LanceTable, proto}
import io.github.pysparklance.testkit.IndexCoverage._
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder}

/** Remapped rows, and indices with a deferred remap. */
class FragmentReuseSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local

  private def path: String = folder.resolve("t").toString
  private def open(): LanceTable = LanceTable.open(store, path)

  private def rows(offsets: Int*): RoaringBitmap = RoaringBitmap.bitmapOf(offsets: _*)

  test("rows are mapped to their new positions") {
    val moves = RowMoves(
      IndexedSeq(4L -> rows(1, 2), 3L -> rows(0, 1, 3), 7L -> rows()),
      IndexedSeq(9L -> 3L, 10L -> 2L)
    )
    def at(fragment: Long, offset: Long): Long = moves(RowAddress(fragment, offset))
    assert(Seq(0L, 1L, 3L).map(at(3, _)) == Seq(0L, 1L, 2L).map(RowAddress(9, _)))
    assert(Seq(1L, 2L).map(at(4, _)) == Seq(0L, 1L).map(RowAddress(10, _)))
    assert(at(3, 2) == RowAddress.none && at(4, 0) == RowAddress.none)
    assert(at(7, 0) == RowAddress.none, "a fragment without remaining rows")
    assert(at(5, 6) == RowAddress(5, 6), "a fragment that was not rewritten")
    val again = RowMoves.parse(moves.toBytes, Set(3, 4, 7), IndexedSeq(9L -> 3L, 10L -> 2L))
    assert((0L to 3L).forall(o => again(RowAddress(3, o)) == at(3, o)))
    assert(again(RowAddress(7, 0)) == RowAddress.none)
  }

  test("corrupt addresses are rejected") {
    val added = IndexedSeq(9L -> 2L)
    val bytes = RowMoves(IndexedSeq(3L -> rows(0, 1)), added).toBytes
    (0 until bytes.length).foreach { n =>
      intercept[CorruptFileException](RowMoves.parse(bytes.take(n), Set(3), added))
    }
    intercept[CorruptFileException](RowMoves.parse(bytes, Set(4), added))
    intercept[CorruptFileException](RowMoves.parse(bytes, Set(3), IndexedSeq(9L -> 3L)))
    val many = bytes.clone()
    many(0) = 127
    many(5) = 127
    intercept[CorruptFileException](RowMoves.parse(many, Set(3), added))
    for (counts <- Seq(Seq(-1L, 3L), Seq(Long.MaxValue, 3L, Long.MinValue), Seq((1L << 32) + 1)))
      intercept[CorruptFileException] {
        RowMoves.parse(bytes, Set(3), counts.zipWithIndex.map(c => c._2 + 9L -> c._1).toIndexedSeq)
      }
  }

  private def indexed(rowsOfFile: Int = 10): Unit = Pylance.run(
    """
    write([{"id": i, "s": "s%d" % (i % 10)} for i in range(60)], path, max_rows_per_file=n)
    dataset(path).create_scalar_index("id", "BTREE")
    dataset(path).delete("id in (0, 11, 59)")
    write([{"id": 60 + i, "s": "late"} for i in range(5)], path, mode="append")
    write([{"id": 65 + i, "s": "late"} for i in range(5)], path, mode="append")
    """,
    "path" -> path,
    "n" -> rowsOfFile
  ): Unit

  /** Returns the result of an index lookup for each id. */
  private def found(): Seq[Int] = Pylance.run(
    """
    ds = dataset(path)
    result = [ds.scanner(filter="id = %d" % i).to_table()["id"].to_pylist() for i in range(72)]
    assert "ScalarIndexQuery" in ds.scanner(filter="id = 12").explain_plan()
    """,
    "path" -> path
  ).toString.filter(c => c.isDigit || c == ',').split(",").filter(_.nonEmpty).map(_.toInt).toSeq

  private val live = (0 until 70).filterNot(Set(0, 11, 59))

  test("fragments covered by an index are skipped, unless its remap is deferred") {
    indexed()
    val (t, metrics) = new Compaction(open()).run()
    assert(metrics.fragmentsRemoved == 2, "the fragments that no index covers")
    assert(found() == live && t.indices.length == 1)
    val before = open()
    val deferred = CompactionOptions(deferIndexRemap = true)
    val (after, more) = new Compaction(before).run(deferred)
    assert(more.fragmentsRemoved == 6 && after.version == before.version + 2)
    val entry = after.indices.find(_.isFragmentReuse).get
    assert(entry.coveredFragments.contains(after.fragments.map(_.id).filter(_ > 8)))
    assert(found() == live && Pylance.validate(path) == 67)
    val reuse = FragmentReuse.of(store, after.root, after.manifest, after.indices)
    val latest = after.fragments.last.id
    assert(reuse(RowAddress(0, 1)) == RowAddress(latest, 0))
    assert(reuse(RowAddress(0, 0)) == RowAddress.none)
    assert(reuse(RowAddress(1, 2)) == RowAddress(latest, 10))
    // The index still names retired fragments, and the record maps them.
    val index = after.indices.find(!_.isSystem).get
    assert(index.coveredFragments.contains(0L to 5L))
    assert(reuse.coverage(index.bitmap.get).toArray.toSeq == Seq(latest.toInt))
    // pylance continues from there, alternating with this library.
    Pylance.run(
      """
      dataset(path).delete("id >= 20 and id < 30")
      write([{"id": 70}], path, mode="append")
      ds = dataset(path)
      ds.optimize.compact_files(defer_index_remap=True)
      """,
      "path" -> path
    )
    val left = live.filterNot(i => i >= 20 && i < 30) :+ 70
    val fewer = left.filterNot(i => i >= 30 && i < 40)
    assert(found() == left)
    val theirs = open()
    assert(FragmentReuse.of(
      store,
      theirs.root,
      theirs.manifest,
      theirs.indices
    ).versions.length == 2)
    Pylance.run(
      "dataset(path).delete('id >= 30 and id < 40'); write([{'id': 71}], path, mode='append')",
      "path" -> path
    )
    val last = new Compaction(open()).run(deferred)._1
    assert(FragmentReuse.of(store, last.root, last.manifest, last.indices).versions.length == 3)
    assert(found() == fewer :+ 71)
    // pylance remaps the index and drops the record.
    Pylance.run("dataset(path).optimize.optimize_indices()", "path" -> path)
    assert(found() == fewer :+ 71 && Pylance.validate(path) == 49)
  }

  test("a segment needs the record until it is built after the compaction") {
    indexed()
    def index() = open().indices.find(!_.isSystem).get
    def isNeeded: Boolean = open().fragmentReuse.isNeededBy(index())
    assert(!isNeeded, "no record")
    new Compaction(open()).run(CompactionOptions(deferIndexRemap = true)): Unit
    assert(isNeeded && index().coveredFragments.exists(_.contains(0L)))
    // The commit of pylance replaces the coverage, and leaves the entries.
    Pylance.run("dataset(path).delete('id = 5')", "path" -> path): Unit
    val coverage = index().bitmap.get
    assert(open().fragmentReuse.coverage(coverage) == coverage && !coverage.contains(0))
    assert(isNeeded)
    Pylance.run("dataset(path).create_scalar_index('id', 'BTREE')", "path" -> path): Unit
    assert(!isNeeded && open().indices.exists(_.isFragmentReuse))
  }

  test("concurrent compactions merge their records") {
    indexed()
    val t = open()
    val one = CompactionOptions(deferIndexRemap = true, excludedFragmentIds = (3L to 20L).toSet)
    val two = CompactionOptions(deferIndexRemap = true, excludedFragmentIds = (0L to 2L).toSet)
    val (first, second) = (new Compaction(t), new Compaction(t))
    val results = second.plan(two).tasks.map(_.run(store))
    first.run(one)
    val both = second.commit(results, two)
    val reuse = FragmentReuse.of(store, both.root, both.manifest, both.indices)
    assert(reuse.versions.length == 2)
    assert(found() == live && Pylance.validate(path) == 67)
    assert(both.fragments.length == 3, "two of indexed rows, one of the others")
  }

  test("no record without affected indices, and none with stable row ids") {
    Pylance.run("write([{'id': i} for i in range(20)], path, max_rows_per_file=5)", "path" -> path)
    val deferred = CompactionOptions(deferIndexRemap = true)
    val (t, _) = new Compaction(open()).run(deferred)
    assert(t.fragments.length == 1 && t.indices.isEmpty)
    val stable = folder.resolve("stable").toString
    Pylance.write(
      "[{'id': i} for i in range(20)]",
      stable,
      "max_rows_per_file" -> 5,
      "enable_stable_row_ids" -> true
    )
    intercept[UnsupportedFeatureException](
      new Compaction(LanceTable.open(store, stable)).plan(deferred)
    )
  }

  test("indices of tables with stable row ids follow their rows immediately") {
    Pylance.run(
      """
      write([{"id": i, "s": "s%d" % (i % 10)} for i in range(60)], path, max_rows_per_file=10,
            enable_stable_row_ids=True)
      dataset(path).create_scalar_index("id", "BTREE")
      dataset(path).delete("id in (0, 11, 59)")
      write([{"id": 60 + i, "s": "late"} for i in range(10)], path, mode="append")
      """,
      "path" -> path
    )
    val (t, metrics) = new Compaction(open()).run()
    assert(metrics.fragmentsRemoved == 6, "the fragments of the index; the last one is alone")
    assert(t.fragments.length == 2)
    assert(Pylance.run(
      """
      ds = dataset(path)
      result = [r["id"] for i in range(70) for r in ds.scanner(filter="id = %d" % i).to_table().to_pylist()]
      """,
      "path" -> path
    ).toString == live.mkString("[", ",", "]"))
  }

  test("a record too large for the manifest is stored in a separate file") {
    Pylance.run(
      """
      n = 1800000
      write({"id": list(range(n))}, path, max_rows_per_file=600000)
      dataset(path).create_scalar_index("id", "BTREE")
      dataset(path).delete("id % 2 = 1")
      """,
      "path" -> path
    )
    val (t, _) = new Compaction(open()).run(CompactionOptions(deferIndexRemap = true))
    val entry = t.indices.find(_.isFragmentReuse).get
    val details = folder.resolve(s"t/_indices/${entry.uuid}/details.binpb").toFile
    assert(details.length > 204800)
    val reuse = FragmentReuse.of(store, t.root, t.manifest, t.indices)
    val latest = t.fragments.last.id
    val old = 0L
    assert(reuse(RowAddress(old, 7)) == RowAddress.none)
    assert(reuse(RowAddress(old, 1000)) == RowAddress(latest, 500))
    assert(Pylance.run(
      """
      ds = dataset(path)
      result = [ds.scanner(filter="id = %d" % i).to_table()["id"].to_pylist()
                for i in range(0, 1800000, 100003)]
      assert ds.count_rows() == 900000
      """,
      "path" -> path
    ).toString == (0 until 1800000 by 100003).map(i => if (i % 2 == 0) s"[$i]" else "[]").mkString(
      "[",
      ",",
      "]"
    ))
    // The file is kept as long as a version references it.
    t.planCleanup(io.github.pysparklance.table.cleanup.CleanupPolicy()).run(store)
    assert(details.isFile)
  }

  test("an external record outside of its folder, or of another size, is rejected") {
    indexed()
    val (t, _) = new Compaction(open()).run(CompactionOptions(deferIndexRemap = true))
    val entry = t.indices.find(_.isFragmentReuse).get
    val details = FragmentReuseIndexDetails.parseFrom(entry.message.getIndexDetails.getValue)
    val content = details.getInline.toByteArray
    val file = folder.resolve(s"t/_indices/${entry.uuid}/details.binpb")
    Files.createDirectories(file.getParent)
    Files.write(file, content)
    Files.write(folder.resolve("outside"), content)
    def read(path: String, offset: Long = 0, size: Long = content.length.toLong) = {
      val external = proto.ExternalFile.newBuilder().setPath(path).setOffset(offset).setSize(size)
      val value = FragmentReuseIndexDetails.newBuilder().setExternal(external).build().toByteString
      val any = entry.message.getIndexDetails.toBuilder.setValue(value)
      val segment = IndexSegment(entry.message.toBuilder.setIndexDetails(any).build())
      FragmentReuse.of(store, t.root, t.manifest, Seq(segment))
    }
    assert(read("details.binpb").names(Seq(t.fragments.last.id)).getCardinality > 1)
    val outside = folder.resolve("outside").toString
    for (path <- Seq("../../../outside", outside, s"file://$outside", "a\\b", "a\u0000", ".."))
      withClue(s"$path: ")(intercept[CorruptFileException](read(path)))
    val n = content.length.toLong
    for ((offset, size) <- Seq(0L -> (n + 1), 1L -> n, -1L -> n, 0L -> -1L, 0L -> Long.MaxValue))
      withClue(s"$size at $offset: ") {
        intercept[CorruptFileException](read("details.binpb", offset, size))
      }
  }

  test("a record with more entries than the heap can hold is rejected before it is parsed") {
    indexed()
    val (t, _) = new Compaction(open()).run(CompactionOptions(deferIndexRemap = true))
    val entry = t.indices.find(_.isFragmentReuse).get
    // Empty compactions, of two bytes each.
    val content = new Array[Byte](2 * (Runtime.getRuntime.maxMemory / 1024 + 1).toInt)
    content.indices.by(2).foreach(i => content(i) = 10)
    val file = folder.resolve(s"t/_indices/${entry.uuid}/details.binpb")
    Files.createDirectories(file.getParent)
    Files.write(file, content)
    val external =
      proto.ExternalFile.newBuilder().setPath("details.binpb").setSize(content.length.toLong)
    // Empty groups of a compaction.
    val groups = new Array[Byte](2 * (Runtime.getRuntime.maxMemory / 128 + 1).toInt)
    groups.indices.by(2).foreach(i => groups(i) = 26)
    def inField(content: ByteString): ByteString = {
      val out = ByteString.newOutput()
      val coded = CodedOutputStream.newInstance(out)
      coded.writeBytes(1, content)
      coded.flush()
      out.toByteString
    }
    val inline = inField(inField(ByteString.copyFrom(groups)))
    Seq(
      FragmentReuseIndexDetails.newBuilder().setExternal(external).build().toByteString,
      inline
    ).foreach { value =>
      val any = entry.message.getIndexDetails.toBuilder.setValue(value)
      val segment = IndexSegment(entry.message.toBuilder.setIndexDetails(any).build())
      val e = intercept[UnsupportedFeatureException](
        FragmentReuse.of(store, t.root, t.manifest, Seq(segment))
      )
      assert(e.getMessage.contains("too many for a heap"))
    }
  }
}
