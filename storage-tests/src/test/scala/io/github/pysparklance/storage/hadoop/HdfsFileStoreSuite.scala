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
}
