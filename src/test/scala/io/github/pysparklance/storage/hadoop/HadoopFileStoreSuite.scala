// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import org.apache.hadoop.conf.Configuration

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.testkit.FileStoreSuite

/** The Hadoop code over Hadoop's own local file system, without checksum files. */
class HadoopFileStoreSuite extends FileStoreSuite {
  private def configuration: Configuration = {
    val c = new Configuration()
    c.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem")
    c.set("fs.AbstractFileSystem.file.impl", "org.apache.hadoop.fs.local.RawLocalFs")
    c.setBoolean("fs.file.impl.disable.cache", true)
    c
  }

  val store: FileStore = new HadoopFileStore(HadoopConf(configuration))

  def path(name: String): String = s"file:${folder.resolve(name)}"

  test("the configuration travels") {
    val c = configuration
    c.set("some.key", "some value")
    val conf = HadoopConf(c)
    c.set("some.key", "changed later")
    val out = new ByteArrayOutputStream
    new ObjectOutputStream(out).writeObject(conf)
    val in = new ObjectInputStream(new ByteArrayInputStream(out.toByteArray))
    val back = in.readObject().asInstanceOf[HadoopConf]
    assert(back.value.get("some.key") == "some value")
    assert(back.defaultScheme == "file")
  }

  test("storage chooses by scheme and says what it lacks") {
    val e = intercept[UnsupportedFeatureException](Storage.local.open("s3a://bucket/x"))
    assert(e.getMessage.contains("s3a"))
    val all = Storage(HadoopConf(configuration))
    val f = intercept[UnsupportedFeatureException](all.open("nosuchscheme://host/x"))
    assert(f.getMessage.contains("nosuchscheme"))
    assert(!all.exists(path("x")))
    assert(!all.exists(folder.resolve("x").toString))
  }
}
