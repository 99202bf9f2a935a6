// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

class WorkersSuite extends AnyFunSuite {

  test("results have the order of the items") {
    for (threads <- Seq(1, 3, 50))
      assert(Workers.map(0 until 20, threads)(_ * 2) == (0 until 20).map(_ * 2))
  }

  test("after a failure, pending items are canceled and running ones are awaited") {
    val (begun, ended) = (new AtomicInteger, new AtomicInteger)
    val slowBegan = new CountDownLatch(1)
    val e = intercept[IllegalStateException](Workers.map(0 until 100, 2) { i =>
      begun.incrementAndGet()
      if (i == 0) {
        slowBegan.await()
        throw new IllegalStateException("first")
      }
      slowBegan.countDown()
      Thread.sleep(200)
      ended.incrementAndGet()
    })
    assert(e.getMessage == "first")
    val now = ended.get
    assert(now >= 1 && begun.get == now + 1 && begun.get < 10)
    Thread.sleep(300)
    assert(ended.get == now, "work went on after the failure")
  }

  test("an interrupted caller leaves no running work") {
    for (threads <- Seq(1, 4)) {
      val (begun, running) = (new AtomicInteger, new AtomicInteger)
      val started = new CountDownLatch(1)
      @volatile var outcome: Option[Throwable] = None
      @volatile var left = -1
      val caller = new Thread(() =>
        try
          Workers.map(0 until 1000, threads) { _ =>
            begun.incrementAndGet()
            running.incrementAndGet()
            started.countDown()
            try Thread.sleep(100)
            finally running.decrementAndGet(): Unit
          }: Unit
        catch { case e: Throwable => outcome = Some(e) }
        finally left = running.get
      )
      caller.start()
      assert(started.await(10, TimeUnit.SECONDS))
      caller.interrupt()
      caller.join(10000)
      assert(!caller.isAlive && outcome.exists(_.isInstanceOf[InterruptedException]))
      assert(left == 0 && begun.get <= 8)
    }
  }

  test("an interrupt during other failures is preserved") {
    val entered = new CountDownLatch(1)
    @volatile var isInterrupted = false
    val caller = new Thread(() => {
      try
        Workers.map(0 until 2, 2) { i =>
          if (i == 0) throw new IllegalStateException
          entered.countDown()
          try Thread.sleep(10000)
          catch { case _: InterruptedException => Thread.sleep(50) }
        }: Unit
      catch { case _: IllegalStateException => () }
      isInterrupted = Thread.currentThread.isInterrupted
    })
    caller.start()
    assert(entered.await(10, TimeUnit.SECONDS))
    Thread.sleep(100)
    caller.interrupt()
    caller.join(5000)
    assert(!caller.isAlive && isInterrupted)
  }
}
