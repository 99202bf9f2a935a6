// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import io.github.pysparklance.storage.spi.{FileStore, Listing}
import io.github.pysparklance.testkit.{FileStoreSuite, Hdfs}

class HdfsFileStoreSuite extends FileStoreSuite {
  override protected val numRaces = 5
  def store: FileStore = Hdfs.storage
  def path(name: String): String = s"${Hdfs.uri}/${folder.getFileName}/$name"

  test("folders are listed by name") {
    val names = Seq("b", "a", "B", "a.b", "10", "9")
    names.foreach(n => store.replace(path(n), Array[Byte](1)))
    assert(store.listing(path("")) == Listing.Ordered)
    assert(store.listInOrder(path("").stripSuffix("/")).map(_.name).toSeq == names.sorted)
  }

  test("blocks are synced to the disks of the data nodes before a file is complete") {
    def synced(write: => Any): Long = {
      val before = Hdfs.fsyncCount
      Seq(write): Unit
      Hdfs.fsyncCount - before
    }
    def put(name: String, length: Int): Unit = {
      val out = store.create(path(name))
      out.write(new Array[Byte](length))
      out.close()
    }
    assert(synced(put("data/x", 1000)) >= 1)
    assert(synced(put("data/blocks", 3 << 20)) >= 3)
    assert(synced(store.replace(path("r"), Array[Byte](1))) >= 1)
    assert(synced(assert(store.createIfAbsent(path("c"), Array[Byte](1)))) >= 1)
    assert(synced(store.copy(path("data/x"), path("copy"))) >= 1)
  }
}
