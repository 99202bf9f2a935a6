// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.{FileEntry, ForwardingFileStore}
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.testkit.{LogCapture, MemoryFiles}

class BlobBytesSuite extends AnyFunSuite {
  private val minuteNanos = 60L * 1000 * 1000 * 1000
  private var now = 0L
  private var listings = 0
  private var isDenied = (_: String) => false
  private val files = new MemoryFiles
  private val store = new ForwardingFileStore(files) {
    override def list(folder: String): IndexedSeq[FileEntry] = {
      listings += 1
      if (isDenied(folder)) throw new IOException(s"$folder: 403 Forbidden")
      super.list(folder)
    }
  }
  private val bytes =
    new BlobBytes(store, Set(1), f => s"/t/data/${f.path}", new FolderSizes(() => now))

  private def fragment(name: String, size: Long = 100, field: Int = 1): Fragment = {
    val file = DataFile(s"$name.lance", IndexedSeq(field), IndexedSeq(0), FileVersion.V2_2, size)
    Fragment.unassigned(Seq(file), 10L)
  }

  private def put(path: String, size: Int): Unit = files.replace(s"/t/data/$path", new Array(size))

  test("side files are counted, and listed again after five minutes or for another data file") {
    put("a/1.blob", 7)
    put("a/2.blob", 8)
    val two = IndexedSeq(fragment("a"), fragment("b", field = 2))
    assert(bytes.exact(two) == Seq(15, 0) && listings == 1)
    put("a/2.blob", 80)
    assert(bytes.exact(two) == Seq(15, 0) && listings == 1)
    assert(bytes.exact(IndexedSeq(fragment("a", size = 101))) == Seq(87))
    now += 5 * minuteNanos
    assert(bytes.exact(two) == Seq(87, 0))
  }

  test("folders that cannot be listed are skipped with one log message") {
    put("c/1.blob", 30)
    put("d/1.blob", 30)
    val three = IndexedSeq(fragment("c"), fragment("d"), fragment("e"))
    isDenied = folder => !folder.contains("/c")
    var found = Seq.empty[Long]
    val lines = LogCapture { found = bytes.exact(three) }
    assert(found == Seq(30, 0, 0))
    assert(lines.count(_.level == "WARN") == 1)
    assert(lines.head.text.contains("/t/data/d.lance") && lines.head.text.contains("403 Forbidden"))
    assert(bytes.estimated(three, IndexedSeq(10, 10, 20)) == Seq(30, 30, 60))
    isDenied = _ => false
    assert(bytes.exact(three) == Seq(30, 30, 0))
  }
}
