// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.io.IOException
import java.util.concurrent.CountDownLatch

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.encoding.spi.EncodedPage

class PageQueueSuite extends AnyFunSuite {
  private type Pages = IndexedSeq[EncodedPage]

  private def page(numRows: Int): Pages =
    IndexedSeq(EncodedPage(numRows.toLong, "type", Array.emptyByteArray, IndexedSeq.empty))

  /** Pages by their rows, in write order. */
  final private class Written extends mutable.ArrayBuffer[Long] {
    val write: Pages => Unit = pages => this ++= pages.map(_.numRows)
  }

  test("pages are written in queue order, regardless of encoding order") {
    val written = new Written
    val queue = new PageQueue(new EncodingThreads(2), maxBytes = 100)
    val goOn = new CountDownLatch(1)
    assert(queue.claim())
    queue.encodeLater(10, () => { goOn.await(); page(1) })(written.write): Unit
    assert(!queue.claim() && queue.numBytes == 10, "one file has one helper")
    val here = new Thread(() => queue.encodeNow(page(2))(written.write))
    here.start()
    assert(written.isEmpty)
    goOn.countDown()
    here.join()
    assert(written == Seq(1L, 2L) && queue.numBytes == 0)
    queue.close()
  }

  test("the size of the queue is limited") {
    val written = new Written
    val queue = new PageQueue(new EncodingThreads(2), maxBytes = 15)
    (1 to 20).foreach { i =>
      if (queue.claim()) queue.encodeLater(10, () => page(i))(written.write).await(): Unit
      else queue.encodeNow(page(i))(written.write)
      assert(queue.numBytes <= 15)
    }
    queue.drain()
    assert(written == (1L to 20L))
    queue.close()
  }

  test(
    "a background error is thrown where the page is written, and affects nothing else"
  ) {
    val written = new Written
    val threads = new EncodingThreads(2)
    val queue = new PageQueue(threads, maxBytes = 100)
    assert(queue.claim())
    val encoding =
      queue.encodeLater(10, () => throw new IOException("broken"))(written.write)
    assert(intercept[IOException](encoding.await()).getMessage == "broken")
    assert(intercept[IOException](queue.drain()).getMessage == "broken")
    assert(queue.claim(), "the processor is idle again")
    queue.encodeLater(10, () => page(1))(written.write): Unit
    queue.close()
    queue.close()
    assert(written.isEmpty && !threads.claim(), "no file is written any more")
  }

  test("without an idle processor, pages are not encoded in the background") {
    val threads = new EncodingThreads(2)
    val (one, other) = (new PageQueue(threads, 100), new PageQueue(threads, 100))
    assert(!one.claim() && !other.claim())
    other.close()
    assert(one.claim())
    one.encodeLater(1, () => page(1))(_ => ()).await(): Unit
    one.close()
  }
}
