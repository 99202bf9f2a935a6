// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.cache

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.{ForwardingFileStore, RangeReader, TablePath}
import io.github.pysparklance.testkit.TemporaryFolder

class IndexCacheSuite extends AnyFunSuite with TemporaryFolder {
  final private class Text(val text: String, val sizeInBytes: Long) extends IndexCache.Part

  test("drops the least recently used parts, and counts hits") {
    val cache = new IndexCache(100)
    val meter = new IndexMeter
    def get(key: String, bytes: Long): String = cache.get(key, meter)(new Text(key, bytes)).text
    assert(get("a", 40) == "a" && get("b", 40) == "b" && cache.numBytes == 80)
    assert(get("a", 40) == "a" && meter.numHits == 1 && meter.numMisses == 2)
    get("c", 40): Unit
    assert(cache.size == 2 && cache.numBytes == 80)
    assert(cache.find[Text]("b").isEmpty && cache.find[Text]("a").isDefined)
    get("a", 40): Unit
    assert(meter.numHits == 2 && meter.numMisses == 3)
    get("large", 1000): Unit
    assert(cache.size == 0 && cache.numBytes == 0)
    get("a", 40): Unit
    cache.clear()
    assert(cache.size == 0 && cache.numBytes == 0)
  }

  test("replacing a part counts it once") {
    val cache = new IndexCache(100)
    cache.put("a", new Text("a", 30))
    cache.put("a", new Text("a", 50))
    assert(cache.numBytes == 50 && cache.size == 1)
  }

  /** A store whose files belong to a client. */
  private class Client(client: AnyRef) extends ForwardingFileStore(Storage.local) {
    override def open(path: String): RangeReader = of(super.open(path))
    override def open(path: String, sizeBytes: Long): RangeReader =
      of(super.open(path, sizeBytes))

    private def of(reader: RangeReader): RangeReader = new RangeReader(reader.path, reader.size) {
      def maxGapBytes: Int = reader.maxGapBytes
      override def origin: Option[AnyRef] = Some(client)
      protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit =
        reader.readInto(offset, out, outAt, length)
      def close(): Unit = reader.close()
    }
  }

  test("parts of index files are cached separately for each storage client") {
    Files.write(folder.resolve("page_data.lance"), Array[Byte](1, 2, 3))
    val cache = new IndexCache(1000)
    val (one, other) = (new Object, new Object)
    for (sizes <- Seq(Map("page_data.lance" -> 3L), Map.empty[String, Long])) {
      cache.clear()
      def text(client: AnyRef, loaded: String): String = {
        val files = new IndexFiles(
          new Client(client),
          TablePath(folder.toString),
          Array.emptyByteArray,
          0,
          sizes,
          (cache, new IndexMeter)
        )
        assert(files.isCached("part") == (cache.size > 0 && loaded == "again"))
        files.cache("part")(new Text(loaded, 10)).text
      }
      assert(text(one, "first") == "first" && text(one, "again") == "first")
      assert(text(other, "second") == "second" && text(other, "again") == "second")
      assert(text(one, "again") == "first" && cache.size == 2)
    }
  }
}
