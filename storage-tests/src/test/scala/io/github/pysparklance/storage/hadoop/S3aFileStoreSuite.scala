// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.nio.file.Files

import io.github.pysparklance.storage.spi.{FileStore, Listing}
import io.github.pysparklance.testkit.{FileStoreSuite, MotoServer}

class S3aFileStoreSuite extends FileStoreSuite {
  override protected val numRaces = 5
  def store: FileStore = MotoServer.storage
  def path(name: String): String = s"s3a://${MotoServer.bucket}/${folder.getFileName}/$name"

  test("folders are listed by name, and buckets of S3 Express not") {
    val names = Seq("b", "a", "B", "a.b", "10", "9")
    names.foreach(n => store.replace(path(n), Array[Byte](1)))
    val parent = path("x").stripSuffix("/x")
    assert(store.listing(parent) == Listing.Ordered)
    assert(store.listInOrder(parent).map(_.name).toSeq == names.sorted)
    assert(store.listing("s3a://tables--use1-az4--x-s3/t") == Listing.Slow)
  }

  test("a conditional put that lost is no error, and the object of the winner stays") {
    assert(store.createIfAbsent(path("x"), Array[Byte](1)))
    assert(!store.createIfAbsent(path("x"), Array[Byte](2)))
    val in = store.open(path("x"))
    try assert(in.read(0, 1).toSeq == Seq[Byte](1))
    finally in.close()
  }

  test("copies between storages") {
    val file = folder.resolve("x")
    Files.write(file, Array.tabulate[Byte](5000)(_.toByte))
    store.copy(file.toString, path("x"))
    store.copy(path("x"), folder.resolve("y").toString)
    assert(Files.readAllBytes(folder.resolve("y")).sameElements(Files.readAllBytes(file)))
  }

  test("many files are removed with few requests") {
    val names = (1 to 30).map(i => path(s"d/$i"))
    names.foreach(n => store.replace(n, Array[Byte](1)))
    store.deleteAll(names)
    assert(store.listFiles(path("d")).isEmpty)
  }
}
