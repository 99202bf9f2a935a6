// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.jdk.CollectionConverters._

import org.scalatest.concurrent.Eventually._
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.SpanSugar._

import io.github.pysparklance.testkit.SharedSpark

class SparkTasksSuite extends AnyFunSuite {
  private def spark = SharedSpark.session

  test("an interrupted caller cancels the job, discards results, and keeps its tags") {
    import SparkTasksSuite._
    val undone = new ConcurrentLinkedQueue[Integer]
    @volatile var outcome: Option[Throwable] = None
    val pieces = (0 until 50).map(Integer.valueOf)
    val caller = new Thread(() =>
      try
        SparkTasks.run(spark, "interrupted", pieces) { (i: Integer) =>
          if (i > 0) {
            // It has the core of the first piece.
            if (i > 1) begun.countDown()
            running.incrementAndGet()
            try Thread.sleep(60000)
            finally running.decrementAndGet(): Unit
          }
          i
        }(i => undone.add(i): Unit): Unit
      catch { case e: Throwable => outcome = Some(e) }
    )
    caller.start()
    assert(begun.await(60, TimeUnit.SECONDS))
    Thread.sleep(1000) // the result of the first piece arrives
    caller.interrupt()
    caller.join(20000)
    assert(!caller.isAlive && outcome.exists(_.isInstanceOf[InterruptedException]), outcome)
    eventually(timeout(20.seconds))(assert(running.get == 0, "tasks run on"))
    eventually(timeout(20.seconds))(assert(undone.asScala.toSeq == Seq(Integer.valueOf(0))))
    assert(SparkTasks.run(spark, "next", pieces)((i: Integer) => i)(_ => ()) == pieces)
    assert(spark.sparkContext.getJobTags().isEmpty)
  }
}

object SparkTasksSuite {
  private val begun = new CountDownLatch(1)
  private val running = new AtomicInteger
}
