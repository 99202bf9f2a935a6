// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.local

import java.io.{FilterOutputStream, IOException}
import java.nio.file.{FileSystemException, Files, Path}
import java.util.concurrent.atomic.AtomicInteger

import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.testkit.FileStoreSuite

class LocalFileStoreSuite extends FileStoreSuite {
  def store: FileStore = LocalFileStore
  def path(name: String): String = folder.resolve(name).toString

  test("file systems without hard links are distinguished from failing ones") {
    def rejects(reason: String) =
      LocalFileStore.rejectsLinks(new FileSystemException("a", "b", reason))
    assert(rejects("Operation not permitted") && rejects("Operation not supported"))
    assert(LocalFileStore.rejectsLinks(new UnsupportedOperationException))
    // The link may exist, so the file at the name decides.
    assert(!rejects("Input/output error") && !rejects("Stale file handle") && !rejects(null))
  }

  test("a file whose close fails is deleted") {
    val file = folder.resolve("x")
    val stream = new FilterOutputStream(Files.newOutputStream(file)) {
      override def close(): Unit = {
        super.close()
        throw new IOException("no space left on device")
      }
    }
    val out = new LocalOutputFile(path("x"), file, stream, () => ())
    out.write(Array[Byte](1, 2, 3))
    intercept[IOException](out.close())
    assert(!store.exists(path("x")))
    out.abort()
    out.close()
  }

  test("a file whose sync fails is deleted, and the error is thrown") {
    val file = folder.resolve("x")
    def fail(): Unit = throw new IOException("Input/output error")
    val out = new LocalOutputFile(path("x"), file, Files.newOutputStream(file), () => fail())
    out.write(Array[Byte](1, 2, 3))
    assert(intercept[IOException](out.close()).getMessage == "Input/output error")
    assert(!store.exists(path("x")))
  }

  test("replaceUnsynced replaces a file without a sync") {
    val syncs = new AtomicInteger
    val files = new LocalFiles(new Durability {
      def syncFile(file: Path): Unit = syncs.incrementAndGet(): Unit
      def syncFolder(folder: Path): Unit = syncs.incrementAndGet(): Unit
    })
    files.replace(path("x"), Array[Byte](1))
    assert(syncs.getAndSet(0) == 2)
    files.replaceUnsynced(path("x"), Array[Byte](2))
    assert(syncs.get == 0 && Files.readAllBytes(folder.resolve("x")).toSeq == Seq[Byte](2))
    assert(files.listNames(folder.toString) == Seq("x"))
  }

  test("files behind symbolic links are listed as such, and stay when the folder is removed") {
    Files.createDirectories(folder.resolve("t/data"))
    Files.createDirectories(folder.resolve("other"))
    val kept = Files.write(folder.resolve("other/x.lance"), Array[Byte](1))
    Files.write(folder.resolve("t/data/y.lance"), Array[Byte](1))
    Files.createSymbolicLink(folder.resolve("t/data/folder"), folder.resolve("other"))
    Files.createSymbolicLink(folder.resolve("t/data/z.lance"), kept)
    Files.createSymbolicLink(folder.resolve("t/_indices"), folder.resolve("other"))
    Files.createSymbolicLink(folder.resolve("t/data/gone"), folder.resolve("nowhere"))
    def listed(name: String) =
      store.listFiles(path(name)).map(f => f.relativePath -> f.isLinked).toMap
    val linked =
      Seq("data/folder/x.lance", "data/z.lance", "data/gone", "_indices/x.lance").map(_ -> true)
    assert(listed("t") == linked.toMap + ("data/y.lance" -> false))
    assert(listed("t/_indices") == Map("x.lance" -> true))
    assert(store.deleteFolder(path("t")))
    assert(!store.exists(path("t")) && Files.exists(kept))
  }

  test("all paths of a folder have one canonical form") {
    Files.createDirectories(folder.resolve("t/data"))
    Files.createSymbolicLink(folder.resolve("link"), folder.resolve("t"))
    val paths = Seq("t/data", "link/data", "t/./data/", "t/x/../data").map(path)
    assert((paths ++ paths.map("file:" + _)).map(store.canonical).distinct.length == 1)
    assert(store.canonical(path("link/new/x")) == store.canonical(path("t/new/x")))
    assert(store.canonical(path("other")) != store.canonical(path("t")))
  }

  test("an interrupted thread still syncs, and stays interrupted") {
    val file = folder.resolve("x")
    Files.write(file, Array[Byte](1))
    Thread.currentThread.interrupt()
    Durability.disk.syncFile(file)
    Durability.disk.syncFolder(folder)
    assert(Thread.interrupted())
  }
}
