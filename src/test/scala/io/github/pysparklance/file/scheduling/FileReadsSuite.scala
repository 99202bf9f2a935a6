// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import java.io.IOException
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CancellationException, CountDownLatch}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{ByteRange, CorruptFileException}
import io.github.pysparklance.storage.spi.RangeReader

class FileReadsSuite extends AnyFunSuite {

  /** Byte i of the file is i; `before` runs ahead of each read. */
  final private class Counting(before: Long => Unit = _ => ()) extends RangeReader("f", 100000) {
    val reads = new AtomicInteger
    def maxGapBytes: Int = 10
    protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit = {
      reads.incrementAndGet()
      before(offset)
      (0 until length).foreach(i => out(outAt + i) = (offset + i).toByte)
    }
    def close(): Unit = ()
  }

  private def bytes(offset: Int, length: Int): Seq[Byte] =
    (offset until offset + length).map(_.toByte)

  test("near ranges are read together, regardless of request order") {
    val reader = new Counting
    val ahead = FileReads.of(reader)
    val requests = Seq((500, 20), (0, 100), (105, 3), (7000, 5), (50, 55), (3, 0)).map {
      case (o, n) =>
        (o, n, ahead.request(ByteRange(o.toLong, n.toLong)))
    }
    assert(requests.forall(r => !r._3.isDone || r._2 == 0))
    assert(reader.reads.get == 0)
    ahead.submit()
    requests.foreach { case (o, n, r) => assert(r.await().toBytes.toSeq == bytes(o, n)) }
    assert(reader.reads.get == 3)
    assert(requests.forall(_._3.isDone))
  }

  test("an error is thrown only where its bytes are awaited") {
    val reader = new Counting(o => if (o == 1000) throw new IOException("broken"))
    val ahead = FileReads.of(reader)
    val good = ahead.request(ByteRange(0, 5))
    val bad = ahead.request(ByteRange(1000, 5))
    val outside = ahead.request(ByteRange(99999, 5))
    ahead.submit()
    val e = intercept[IOException](bad.await())
    assert(e.getMessage == "f, the 5 bytes at 1000 cannot be read: broken")
    intercept[CorruptFileException](outside.await())
    assert(good.await().toBytes.toSeq == bytes(0, 5))
  }

  test("a released array serves a later read that fits it, unless ranges shared it") {
    val ahead = FileReads.of(new Counting)
    def read(ranges: ByteRange*): Seq[RangeRequest] = {
      val requests = ranges.map(ahead.request)
      ahead.submit()
      requests.foreach { r =>
        val expected = bytes(r.range.offset.toInt, r.range.length.toInt)
        assert(r.await().toBytes.toSeq == expected)
      }
      requests
    }
    val first = read(ByteRange(0, 100)).head
    val array = first.await().array
    assert(read(ByteRange(0, 100)).head.await().array ne array, "not given back")
    first.release()
    val again = read(ByteRange(500, 60)).head
    assert(again.await().array eq array)
    again.release()
    assert(read(ByteRange(900, 49)).head.await().array ne array, "much smaller")
    val near = read(ByteRange(0, 100), ByteRange(105, 5))
    near.foreach(_.release())
    val other = read(ByteRange(300, 110)).head
    assert(near.forall(_.await().array ne other.await().array))
    val empty = ahead.request(ByteRange(7, 0))
    empty.release()
    assert(empty.await().length == 0)
  }

  test("closing cancels reads that have not started") {
    val begun = new CountDownLatch(1)
    val goOn = new CountDownLatch(1)
    val blocked = new Counting(o => if (o == 0) { begun.countDown(); goOn.await() })
    val ahead = FileReads.of(blocked)
    val first = ahead.request(ByteRange(0, 5))
    ahead.submit()
    begun.await()
    ahead.close()
    goOn.countDown()
    intercept[CancellationException](first.await())
  }
}
