// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{ByteRange, CorruptFileException, NotFoundException}
import io.github.pysparklance.storage.spi.FileStore

/** Tests of storage, for every implementation. */
abstract class FileStoreSuite extends AnyFunSuite with TemporaryFolder {

  /** The storage under test. */
  def store: FileStore

  /** A path below the folder of the running test. */
  def path(name: String): String

  /** Number of concurrent creations of a file. */
  protected val numRaces = 20

  private def put(name: String, bytes: Array[Byte]): Unit = {
    val out = store.create(path(name))
    out.write(bytes)
    out.close()
  }

  private val bytes = Array.tabulate[Byte](200000)(i => (i * 31 >> 3).toByte)

  test("written bytes can be read in ranges") {
    val out = store.create(path("data/x y.lance"))
    out.write(bytes, 0, 100)
    assert(out.position == 100)
    out.write(bytes, 100, bytes.length - 100)
    assert(out.position == bytes.length)
    out.close()
    out.close()
    val in = store.open(path("data/x y.lance"))
    try {
      assert(in.size == bytes.length)
      assert(in.read(150, 20).sameElements(bytes.slice(150, 170)))
      assert(in.readTail(7).sameElements(bytes.takeRight(7)))
      assert(in.readTail(1 << 30).length == bytes.length)
      assert(in.read(in.size, 0).isEmpty)
      val wanted =
        IndexedSeq(ByteRange(199990, 10), ByteRange(0, 5), ByteRange(3, 4), ByteRange(9, 0))
      val got = in.readRanges(wanted)
      wanted.zip(got).foreach { case (r, b) =>
        assert(b.toBytes.sameElements(bytes.slice(r.offset.toInt, r.end.toInt)))
      }
    } finally in.close()
  }

  test("replacing or creating a file") {
    Seq(bytes, bytes.take(10), bytes).foreach { content =>
      store.replace(path("new/x"), content)
      val in = store.open(path("new/x"))
      try assert(in.read(0, in.size.toInt).sameElements(content))
      finally in.close()
      assert(store.list(path("new")).map(_.name) == Seq("x"))
    }
  }

  test("ranges outside the file are errors that name the file") {
    put("x", bytes)
    val in = store.open(path("x"))
    try
      Seq((-1L, 1), (199999L, 2), (Long.MaxValue, 1), (0L, -1)).foreach { case (offset, length) =>
        val e = intercept[CorruptFileException](in.read(offset, length))
        assert(e.place.path.contains(path("x")))
      }
    finally in.close()
  }

  test("a file shorter than its size says is an error, not a loop") {
    put("x", bytes)
    val in = store.open(path("x"), bytes.length + 10L)
    try {
      val e = intercept[CorruptFileException](in.readTail(20))
      assert(e.getMessage.contains("ends within"))
    } finally in.close()
  }

  test("a missing file") {
    val e = intercept[NotFoundException](store.open(path("nope/x")))
    assert(e.place.path.contains(path("nope/x")))
    intercept[NotFoundException](store.open(path("x"), 5L).readTail(5))
    assert(store.status(path("x")).isEmpty)
    assert(!store.delete(path("x")))
    assert(!store.deleteFolder(path("d")))
    assert(store.list(path("d")).isEmpty)
    put("plain", bytes)
    assert(store.status(path("plain/x")).isEmpty)
  }

  test("a file is never overwritten") {
    put("x", bytes)
    intercept[java.io.IOException](store.create(path("x")))
    assert(store.status(path("x")).exists(_.sizeBytes == bytes.length))
  }

  test("an aborted file is removed") {
    val out = store.create(path("d/x"))
    out.write(bytes)
    out.abort()
    out.close()
    assert(!store.exists(path("d/x")))
  }

  test("listing, status, and removal") {
    put("d/a", bytes)
    put("d/e/b", Array.emptyByteArray)
    val entries = store.list(path("d")).map(e => (e.name, e.isFolder, e.sizeBytes)).toSet
    assert(entries == Set(("a", false, 200000L), ("e", true, 0L)))
    assert(store.listNames(path("d")).toSet == Set("a", "e"))
    assert(store.listNames(path("none")).isEmpty)
    assert(store.status(path("d")).exists(_.isFolder))
    assert(store.status(path("d/a")).exists(_.modifiedMillis > 1600000000000L))
    assert(store.delete(path("d/a")))
    assert(store.deleteFolder(path("d")))
    assert(!store.exists(path("d")))
  }

  test("only an empty folder is deleted as such") {
    put("d/e/b", bytes)
    assert(!store.deleteEmptyFolder(path("d")) && !store.deleteEmptyFolder(path("d/e")))
    assert(!store.deleteEmptyFolder(path("d/e/b")) && !store.deleteEmptyFolder(path("none")))
    assert(store.exists(path("d/e/b")))
    store.delete(path("d/e/b"))
    assert(store.deleteEmptyFolder(path("d/e")) && store.exists(path("d")))
    assert(store.deleteEmptyFolder(path("d")) && !store.exists(path("d")))
  }

  test("all files below a folder, and their bulk removal") {
    val names = Seq("a", "e/b", "e/f/x y", "e/f/team%2Ffix", "e/f/g/c")
    names.zipWithIndex.foreach { case (n, i) => put(s"d/$n", bytes.take(i)) }
    put("other", bytes)
    val found = store.listFiles(path("d")).toIndexedSeq
    assert(found.map(f => f.relativePath -> f.sizeBytes).toMap == names.zipWithIndex.toMap)
    assert(found.length == names.length && found.forall(_.modifiedMillis > 1600000000000L))
    assert(store.listFiles(path("nope")).isEmpty)
    store.deleteAll(names.drop(1).map(n => path(s"d/$n")) :+ path("d/nope"))
    assert(store.listFiles(path("d")).map(_.relativePath).toSeq == Seq("a"))
    assert(store.exists(path("other")))
    store.deleteAll(Nil)
  }

  test("copies of files replace existing files") {
    Seq(bytes, bytes.take(10), Array.emptyByteArray).zipWithIndex.foreach { case (content, i) =>
      put(s"from/$i", content)
      store.copy(path(s"from/$i"), path("to/x y"))
      val in = store.open(path("to/x y"))
      try assert(in.read(0, in.size.toInt).sameElements(content))
      finally in.close()
      assert(store.list(path("to")).map(_.name) == Seq("x y"))
    }
    val e = intercept[NotFoundException](store.copy(path("nope"), path("to/z")))
    assert(e.place.path.contains(path("nope")))
    assert(store.list(path("to")).map(_.name) == Seq("x y"))
  }

  test("createIfAbsent succeeds for one of many writers, and leaves nothing else behind") {
    val pool = Executors.newFixedThreadPool(8)
    try
      1.to(numRaces).foreach { round =>
        val attempts = (0 until 8).map { i =>
          new Callable[Boolean] {
            def call(): Boolean =
              store.createIfAbsent(path(s"_versions/$round.manifest"), Array.fill(5000)(i.toByte))
          }
        }
        val won = pool.invokeAll(attempts.asJava).asScala.map(_.get).toIndexedSeq
        assert(won.count(identity) == 1)
        val in = store.open(path(s"_versions/$round.manifest"))
        try assert(in.readTail(9999).toSeq == Seq.fill(5000)(won.indexOf(true).toByte))
        finally in.close()
      }
    finally pool.shutdown()
    assert(store.list(path("_versions")).map(_.name).toSet == (1 to numRaces).map(r =>
      s"$r.manifest"
    ).toSet)
  }
}
