// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, Field, LogicalType, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.{LanceTable, proto}
import io.github.pysparklance.testkit.TemporaryFolder

/** Reads manifests without their fragments and columns. */
class ManifestOutlineSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private val schema = Schema(
    IndexedSeq(Field(0, "id", LogicalType.parse("int64"), nullable = true))
  )

  private def path: String = folder.resolve("t").toString

  private def fragment(name: String): Fragment = Fragment.unassigned(
    Seq(DataFile(s"$name.lance", IndexedSeq(0), IndexedSeq(0), FileVersion.default, 3)),
    physicalRows = 4
  )

  private def locations: IndexedSeq[ManifestLocation] =
    new Versions(store, TablePath(path)).list()

  private def table(): LanceTable = {
    val t = LanceTable.create(store, path, schema, IndexedSeq(fragment("a"), fragment("b")))
    (0 until 10).foldLeft(t)((t, i) => t.append(IndexedSeq(fragment(s"c$i"))))
      .delete(Map(1L -> DeletionVector.of(Array(1))), "id = 1")
  }

  test("describes the manifest") {
    table()
    assert(locations.length == 12)
    locations.foreach { l =>
      val (whole, outline) = (ManifestFile.read(store, l), ManifestOutline.read(store, l))
      assert(outline.version == whole.manifest.version)
      assert(outline.timestamp == whole.manifest.timestamp)
      assert(outline.writerVersion == whole.manifest.writerVersion)
      assert(outline.transactionFile == whole.manifest.transactionFile)
      assert(outline.flags == whole.manifest.flags)
      assert(outline.indices == whole.indices)
      assert(outline.transaction(TablePath(path)) == whole.transaction(TablePath(path)))
      val memo = new FragmentMemo(Fragment(_))
      assert(outline.fragments.map(memo(_)) == whole.manifest.fragments)
    }
  }

  test("fragments of many versions are read together") {
    table()
    val looked = mutable.Buffer.empty[Long]
    val memo = new FragmentMemo(m => { looked += m.getId; m.getId })
    locations.foreach { l =>
      val outline = ManifestOutline.read(store, l)
      assert(outline.fragments.map(memo(_)) == outline.fragments.indices.map(_.toLong))
    }
    // The deletion changes fragment 1.
    assert(looked.sorted == Seq(0L, 1L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L))
  }

  test(
    "memos with a common budget do not exceed it, and forget fragments rather than mix them up"
  ) {
    table()
    val outlines = locations.map(ManifestOutline.read(store, _))
    val entry = outlines.flatMap(_.fragments).map(_.size).max + 128L
    // Room for three fragments, of a table with twelve.
    val budget = new FragmentMemo.Budget(3 * entry)
    var looked = 0
    val ids = new FragmentMemo(m => { looked += 1; m.getId }, budget)
    val rows = new FragmentMemo(m => { looked += 1; m.getPhysicalRows }, budget)
    for (outline <- outlines; fragment <- outline.fragments) {
      assert(ids(fragment) == Fragment(proto.DataFragment.parseFrom(fragment)).id)
      assert(rows(fragment) == 4 && budget.usedBytes <= 3 * entry)
    }
    assert(looked > 26)
    val again = outlines.head.fragments.head
    ids(again)
    looked = 0
    assert(ids(again) == 0 && looked == 0, "the last fragments are known")
  }

  test("corrupt manifests are rejected") {
    table()
    val l = locations.last
    val bytes = java.nio.file.Files.readAllBytes(java.nio.file.Paths.get(l.path))
    def read(changed: Array[Byte]): Unit = {
      java.nio.file.Files.write(java.nio.file.Paths.get(l.path), changed)
      ManifestOutline.read(store, l.copy(sizeBytes = None)): Unit
    }
    (0 until bytes.length).by(7).foreach { n =>
      intercept[CorruptFileException](read(bytes.take(n)))
    }
  }
}
