// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CancellationException, CountDownLatch, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.spi.RevocableStore
import io.github.pysparklance.testkit.MemoryFiles

class OpeningSuite extends AnyFunSuite {

  /** Counts open resources. */
  final private class Thing(open: AtomicInteger, closed: CountDownLatch) extends AutoCloseable {
    open.incrementAndGet()
    def close(): Unit = {
      open.decrementAndGet()
      closed.countDown()
    }
  }

  private val threads = new BackgroundThreads("opening-suite", 1)

  private def opened(open: AtomicInteger, closed: CountDownLatch = new CountDownLatch(1)): Thing =
    new Thing(open, closed)

  test("an opened resource belongs to its taker") {
    val open = new AtomicInteger
    val opening = new Opening(threads, () => opened(open))
    val thing = opening.await()
    opening.close()
    assert(open.get == 1)
    thing.close()
    assert(open.get == 0)
  }

  test("a resource that is not taken is closed, whenever it opens") {
    val open = new AtomicInteger
    val ready = new Opening(threads, () => opened(open))
    threads.start(() => ()).await() // comes after it
    ready.close()
    assert(open.get == 0)

    val (begun, goOn, closed) =
      (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
    val under = new Opening(
      threads,
      { () =>
        begun.countDown()
        goOn.await()
        opened(open, closed)
      }
    )
    begun.await()
    val waiting = new Opening(threads, () => opened(open))
    under.close()
    waiting.close()
    goOn.countDown()
    assert(closed.await(10, TimeUnit.SECONDS))
    threads.start(() => ()).await()
    assert(open.get == 0)
    intercept[CancellationException](waiting.await())
  }

  test("a resource opened after cancellation is closed") {
    val open = new AtomicInteger
    val (isOpen, goOn) = (new CountDownLatch(1), new CountDownLatch(1))
    val slow = new Background {
      def start[A](work: () => A): Pending[A] = threads.start { () =>
        val opened = work()
        isOpen.countDown()
        goOn.await()
        opened
      }
    }
    val opening = new Opening(slow, () => opened(open))
    isOpen.await()
    try opening.close()
    finally goOn.countDown()
    assert(open.get == 0)
    opening.close()
    assert(open.get == 0 && opening.peek.isEmpty)
  }

  test("an error is thrown where the result is awaited, and leaves nothing to close") {
    val opening = new Opening[Thing](threads, () => throw new IllegalStateException("broken"))
    assert(intercept[IllegalStateException](opening.await()).getMessage == "broken")
    opening.close()
  }

  test("the awaiting thread does work that has not started") {
    val goOn = new CountDownLatch(1)
    val blocked = threads.start(() => goOn.await())
    val here = threads.start(() => Thread.currentThread)
    assert(here.await() eq Thread.currentThread)
    assert(!blocked.isDone)
    goOn.countDown()
    blocked.await()
    assert(blocked.isDone)
  }

  test("a revoked store rejects opens and reads") {
    val files = new MemoryFiles(Map("f" -> IndexedSeq[Byte](1, 2, 3)))
    val store = new RevocableStore(files)
    val reader = store.open("f")
    assert(reader.read(1, 2).toSeq == Seq[Byte](2, 3))
    store.revoke()
    intercept[CancellationException](reader.read(1, 2))
    intercept[CancellationException](store.open("f", 3))
    assert(store.exists("f"))
  }
}
