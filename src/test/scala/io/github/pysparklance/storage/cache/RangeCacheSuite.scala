// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.cache

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.storage.spi.RangeReader

class RangeCacheSuite extends AnyFunSuite {

  private class Reader(path: String, size: Long, override val origin: Option[AnyRef])
      extends RangeReader(path, size) {
    def maxGapBytes: Int = 0
    protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit =
      fail("nothing is read")
    def close(): Unit = ()
  }

  private val origin = Some(new Object)
  private val file = new Reader("a", 10000, origin)

  private def bytes(length: Int, value: Int): Buffer = Buffer(Array.fill(length)(value.toByte))

  test("cached ranges are returned only for the same file") {
    val cache = new RangeCache(100000)
    val range = ByteRange(100, 50)
    cache.put(file, range, bytes(50, 7))
    def found(reader: RangeReader, r: ByteRange = range) = cache.get(reader, r).map(_.toBytes.toSeq)
    assert(found(new Reader("a", 10000, origin)).contains(Seq.fill(50)(7.toByte)))
    assert(found(new Reader("b", 10000, origin)).isEmpty)
    assert(found(new Reader("a", 10001, origin)).isEmpty)
    assert(found(new Reader("a", 10000, Some(new Object))).isEmpty)
    assert(found(new Reader("a", 10000, None)).isEmpty)
    assert(found(file, ByteRange(100, 49)).isEmpty)
  }

  test("files on storage without an origin are not cached") {
    val cache = new RangeCache(100000)
    val local = new Reader("a", 10000, None)
    cache.put(local, ByteRange(0, 10), bytes(10, 1))
    assert(cache.numBytes == 0 && cache.get(local, ByteRange(0, 10)).isEmpty)
  }

  test("a slice of a larger array is copied") {
    val cache = new RangeCache(100000)
    val whole = Array.tabulate(100)(_.toByte)
    cache.put(file, ByteRange(10, 5), new Buffer(whole, 10, 5))
    whole(12) = 0
    val kept = cache.get(file, ByteRange(10, 5)).get
    assert(kept.toBytes.toSeq == Seq[Byte](10, 11, 12, 13, 14) && kept.array.length == 5)
  }

  test("the cache never exceeds its limit and evicts the least recently used range first") {
    val cache = new RangeCache(4000)
    def range(i: Int) = ByteRange(i * 1000L, 700)
    (0 until 3).foreach(i => cache.put(file, range(i), bytes(700, i)))
    cache.put(file, range(0), bytes(700, 0))
    assert(cache.numBytes == 3000, "the same part counts once")
    cache.get(file, range(1))
    (3 until 6).foreach { i =>
      cache.put(file, range(i), bytes(700, i))
      assert(cache.numBytes <= 4000)
    }
    val kept = (0 until 6).filter(i => cache.get(file, range(i)).isDefined)
    assert(kept == Seq(1, 3, 4, 5))
    cache.put(file, ByteRange(0, 5000), bytes(5000, 9))
    assert(cache.numBytes <= 4000)
    cache.clear()
    assert(cache.numBytes == 0 && cache.get(file, range(5)).isEmpty)
  }

  test("large ranges are not cached") {
    val cache = new RangeCache(64L << 20)
    val n = RangeCache.maxPartBytes + 1
    val large = new Reader("a", n.toLong, origin)
    cache.put(large, ByteRange(0, n.toLong), bytes(n, 1))
    assert(cache.numBytes == 0)
  }

  test("ranges of a corrupt file are evicted; other errors evict nothing") {
    val cache = new RangeCache(100000)
    val other = new Reader("b", 10000, origin)
    def range(i: Int) = ByteRange(i * 10L, 10)
    (0 until 3).foreach(i => cache.put(file, range(i), bytes(10, i)))
    cache.put(other, range(0), bytes(10, 9))
    intercept[IOException](cache.forgettingDamage(file)(throw new IOException("gone")))
    assert(cache.get(file, range(1)).isDefined)
    Seq(new CorruptFileException("damaged"), new UnsupportedFeatureException("zip")).foreach { e =>
      cache.put(file, range(1), bytes(10, 1))
      intercept[LanceException](cache.forgettingDamage(file)(throw e))
      assert((0 until 3).forall(i => cache.get(file, range(i)).isEmpty))
    }
    assert(cache.get(other, range(0)).isDefined && cache.numBytes == 310)
    assert(cache.forgettingDamage(file)(7) == 7)
  }

  test("only uncached ranges are read, and results have the order of the ranges") {
    val cache = new RangeCache(100000)
    def range(i: Int) = ByteRange(i * 10L, 10)
    cache.put(file, range(1), bytes(10, 1))
    var asked = IndexedSeq.empty[ByteRange]
    def all() = cache.through(file, (0 until 4).map(range)) { others =>
      asked = others
      others.map(r => bytes(10, (r.offset / 10).toInt))
    }.map(_.u8(0))
    assert(all() == (0 until 4) && asked == Seq(range(0), range(2), range(3)))
    assert(all() == (0 until 4) && asked.isEmpty)
  }
}
