// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.{
  ByteArrayInputStream,
  ByteArrayOutputStream,
  FileNotFoundException,
  FilterOutputStream,
  IOException,
  ObjectInputStream,
  ObjectOutputStream
}
import java.net.URI
import java.nio.file.Files
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CyclicBarrier, Executors, TimeUnit}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  FSDataInputStream,
  FSDataOutputStream,
  FileStatus,
  FileSystem,
  LocatedFileStatus,
  Path,
  RawLocalFileSystem,
  RemoteIterator
}
import org.apache.hadoop.util.functional.RemoteIterators

import io.github.pysparklance.core.{InvalidRequestException, UnsupportedFeatureException}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.testkit.{FileStoreSuite, MemoryManifestStore}

/** The Hadoop code over Hadoop's own local file system, without checksum files. */
class HadoopFileStoreSuite extends FileStoreSuite {
  private def configuration: Configuration = {
    val c = new Configuration()
    c.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem")
    c.set("fs.AbstractFileSystem.file.impl", "org.apache.hadoop.fs.local.RawLocalFs")
    c.setBoolean("fs.file.impl.disable.cache", true)
    c
  }

  val store: FileStore = new HadoopFileStore(new HadoopConf(configuration))

  def path(name: String): String = s"file:${folder.resolve(name)}"

  test("concurrent reads have separate streams, and all are closed") {
    val content = Array.tabulate[Byte](4096)(i => (i * 31).toByte)
    val file = folder.resolve("many")
    Files.write(file, content)
    val fs = FileSystem.get(new URI("file:///"), configuration)
    val (opened, closed, reading, most) =
      (new AtomicInteger, new AtomicInteger, new AtomicInteger, new AtomicInteger)
    val together = new CyclicBarrier(3)
    def open(): FSDataInputStream = {
      opened.incrementAndGet()
      new FSDataInputStream(fs.open(new Path(file.toString)).getWrappedStream) {
        override def readFully(position: Long, out: Array[Byte], at: Int, n: Int): Unit = {
          most.accumulateAndGet(reading.incrementAndGet(), math.max(_, _))
          together.await(10, TimeUnit.SECONDS)
          super.readFully(position, out, at, n)
          reading.decrementAndGet(): Unit
        }
        override def close(): Unit = {
          closed.incrementAndGet()
          super.close()
        }
      }
    }
    Seq(true -> 1, false -> 3).foreach { case (sharesStreams, expected) =>
      Seq(opened, closed, most).foreach(_.set(0))
      val reader =
        new HadoopRangeReader(
          file.toString,
          content.length.toLong,
          () => open(),
          client = this,
          sharesStreams
        )
      val threads = Executors.newFixedThreadPool(3)
      val reads = (0 until 6).map(i => threads.submit(() => reader.read(i * 100L, 50)))
      reads.zipWithIndex.foreach { case (r, i) =>
        assert(r.get().sameElements(content.slice(i * 100, i * 100 + 50)))
      }
      threads.shutdown()
      assert(most.get == 3 && opened.get == expected)
      reader.close()
      assert(closed.get == expected)
    }
  }

  test("a file whose close fails is deleted") {
    val fs = FileSystem.get(new URI("file:///"), configuration)
    val file = new Path(path("x"))
    val stream = new FilterOutputStream(fs.create(file, false)) {
      override def close(): Unit = {
        super.close()
        throw new IOException("no space left on device")
      }
    }
    val out = new HadoopOutputFile(path("x"), fs, file, new FSDataOutputStream(stream, null))
    out.write(Array[Byte](1, 2, 3))
    intercept[IOException](out.close())
    assert(!store.exists(path("x")))
    out.abort()
    out.close()
  }

  private def listed(client: Class[_ <: FileSystem]): Set[String] = {
    val c = configuration
    c.set("fs.file.impl", client.getName)
    new HadoopFileStore(new HadoopConf(c)).listFiles(path("d")).map(_.relativePath).toSet
  }

  test("folders in a folder are listed in parallel") {
    val names = Set("a", "b/x", "c/x", "d/x", "d/e/y")
    names.foreach { n =>
      Files.createDirectories(folder.resolve(s"d/$n").getParent)
      Files.write(folder.resolve(s"d/$n"), Array[Byte](1))
    }
    assert(listed(classOf[MeetingListings]) == names)
  }

  test("a client with a recursive listing of its own lists everything at once") {
    Files.createDirectories(folder.resolve("d"))
    assert(listed(classOf[RecursiveListings]) == Set("from/the/client"))
  }

  test("a folder that a client misses only when it requests the first page is empty") {
    val c = configuration
    c.set("fs.file.impl", classOf[LateListings].getName)
    val late = new HadoopFileStore(new HadoopConf(c))
    assert(late.listInOrder(path("d")).isEmpty && late.listFiles(path("d")).isEmpty)
  }

  test("the configuration is serialized with the store") {
    val c = configuration
    c.set("some.key", "some value")
    val conf = new HadoopConf(c)
    val out = new ByteArrayOutputStream
    new ObjectOutputStream(out).writeObject(conf)
    val in = new ObjectInputStream(new ByteArrayInputStream(out.toByteArray))
    val back = in.readObject().asInstanceOf[HadoopConf]
    assert(back.value.get("some.key") == "some value")
    assert(back.defaultScheme == "file")
  }

  test("configured classes implement commits") {
    val c = configuration
    assert(Storage(new HadoopConf(c)).manifestIndex(path("t")).isEmpty)
    c.set("lance.commit.manifest-store", classOf[MemoryManifestStore].getName)
    val index = Storage(new HadoopConf(c)).manifestIndex(path("t")).get
    assert(index.store.isInstanceOf[MemoryManifestStore])
    assert(index.base == folder.resolve("t").toString.stripPrefix("/"))
    c.set("lance.commit.manifest-store", "no.such.Class")
    val e = intercept[InvalidRequestException](Storage(new HadoopConf(c)).manifestIndex(path("t")))
    assert(e.getMessage.contains("no.such.Class"))
  }

  test("s3 means s3a, unless it is configured itself") {
    val c = configuration
    assert(new HadoopConf(c).clientPath("s3://b/x") == "s3a://b/x")
    assert(new HadoopConf(c).clientPath("/s3/x") == "/s3/x")
    assert(new HadoopConf(c).qualify("s3://b/x") == "s3://b/x")
    c.set("fs.s3.impl", "org.apache.hadoop.fs.RawLocalFileSystem")
    assert(new HadoopConf(c).clientPath("s3://b/x") == "s3://b/x")
  }

  test("a path keeps the name of its DynamoDB table") {
    val uri = "s3+ddb://bucket/x?ddbTableName=y"
    assert(new HadoopConf(configuration).qualify(uri) == uri)
    val e = intercept[InvalidRequestException](Storage.local.list("s3+ddb://bucket/x"))
    assert(e.getMessage.contains("ddbTableName"))
  }

  test("storage is selected by scheme, and a missing one is named") {
    val e = intercept[UnsupportedFeatureException](Storage.local.open("s3a://bucket/x"))
    assert(e.getMessage.contains("s3a"))
    val all = Storage(new HadoopConf(configuration))
    val f = intercept[UnsupportedFeatureException](all.open("nosuchscheme://host/x"))
    assert(f.getMessage.contains("nosuchscheme"))
    assert(!all.exists(path("x")))
    assert(!all.exists(folder.resolve("x").toString))
  }
}

/** Lists two of the folders below `d` only together: the second and the third in order of names. */
final class MeetingListings extends RawLocalFileSystem {
  override def listStatus(p: Path): Array[FileStatus] = {
    if (Set("c", "d")(p.getName) && p.getParent.getName == "d")
      MeetingListings.together.await(30, TimeUnit.SECONDS): Unit
    super.listStatus(p).sortBy(_.getPath.getName)
  }
}

object MeetingListings {
  private val together = new CyclicBarrier(2)
}

/** Has a recursive listing with a single file. */
final class RecursiveListings extends RawLocalFileSystem {
  override def listFiles(p: Path, recursive: Boolean): RemoteIterator[LocatedFileStatus] = {
    val file = new FileStatus(1, false, 1, 1, 1, new Path(p, "from/the/client"))
    RemoteIterators.remoteIteratorFromSingleton(new LocatedFileStatus(file, null))
  }
}

/** Notices only after a listing began that the folder does not exist. */
final class LateListings extends RawLocalFileSystem {
  override def listStatusIterator(p: Path): RemoteIterator[FileStatus] =
    new RemoteIterator[FileStatus] {
      def hasNext: Boolean = throw new FileNotFoundException(p.toString)
      def next(): FileStatus = throw new NoSuchElementException
    }
}
