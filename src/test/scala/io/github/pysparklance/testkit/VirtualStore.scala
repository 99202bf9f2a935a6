// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.util.concurrent.{CancellationException, CountDownLatch, Executors, TimeUnit}

import scala.collection.mutable
import scala.util.{Failure, Try}

import io.github.pysparklance.storage.requests.{Background, Pending, StorageProfile}
import io.github.pysparklance.storage.spi.{FileStore, ForwardingFileStore, RangeReader}

/** A slow store with a virtual clock. Only requests take time, so the duration of a read is the
  * same on every machine. The clock advances when all threads wait, to the end of the first
  * request. It counts the threads of [[run]], and of the [[StorageProfile]] of [[storage]].
  */
final class VirtualStore(latencyMillis: Long = 30, bytesPerSecond: Long = 100000000L)
    extends SlowStore(latencyMillis * 1000000L, bytesPerSecond) {
  private val lock = new Object
  private var time = 0L
  private var working = 0
  private var number = 0L

  /** Sleeping threads by wake-up time, the earliest first. */
  private val waiting =
    mutable.PriorityQueue.empty[(Long, Long, Sleeper)](
      Ordering.by[(Long, Long, Sleeper), (Long, Long)](w => (-w._1, -w._2))
    )

  final private class Sleeper {
    private val woken = new CountDownLatch(1)
    def wake(): Unit = {
      working += 1
      woken.countDown()
    }
    def sleep(): Unit =
      if (!woken.await(2, TimeUnit.MINUTES)) throw new IllegalStateException("nobody works")
  }

  /** Nanoseconds since the start. */
  def elapsed: Long = lock.synchronized(time)

  protected def now: Long = elapsed

  protected def waitUntil(nanos: Long): Unit = {
    val sleeper = new Sleeper
    lock.synchronized {
      waiting.enqueue((nanos, number, sleeper))
      number += 1
      rest()
    }
    sleeper.sleep()
  }

  /** Records that a thread stops working. */
  private def rest(): Unit = {
    working -= 1
    if (working == 0 && waiting.nonEmpty) {
      val (next, _, sleeper) = waiting.dequeue()
      time = next
      sleeper.wake()
    }
  }

  /** Runs work in this thread. */
  def run[A](work: => A): A = {
    lock.synchronized(working += 1)
    try work
    finally lock.synchronized(rest())
  }

  /** Runs several functions in parallel. */
  def runAll(works: Seq[() => Unit]): Unit = run {
    val threads = new Threads(works.length)
    works.map(threads.start(_)).foreach(_.await())
  }

  /** Threads that use this clock. */
  final class Threads(numThreads: Int) extends Background {
    private val pool = Executors.newCachedThreadPool { task =>
      val t = new Thread(task, "virtual-store")
      t.setDaemon(true)
      t
    }
    private var active = 0
    private val queue = mutable.Queue.empty[Job[_]]

    def start[A](work: () => A): Pending[A] = {
      val job = new Job(work)
      lock.synchronized(if (active < numThreads) begin(job) else queue.enqueue(job))
      job
    }

    private def begin(job: Job[_]): Unit = {
      active += 1
      working += 1
      job.isBegun = true
      pool.execute(() => runIn(job))
    }

    private def runIn[A](job: Job[A]): Unit = {
      val result = Try(job.work())
      lock.synchronized {
        job.end(result)
        active -= 1
        if (queue.nonEmpty) begin(queue.dequeue())
        rest()
      }
    }

    final private class Job[A](val work: () => A) extends Pending[A] {
      var isBegun = false
      private var result: Option[Try[A]] = None
      private val sleepers = mutable.ArrayBuffer.empty[Sleeper]

      def end(outcome: Try[A]): Unit = {
        result = Some(outcome)
        sleepers.foreach(_.wake())
      }

      def isDone: Boolean = lock.synchronized(result.isDefined)

      def await(): A = {
        val mine = takeOver()
        if (mine) {
          val outcome = Try(work())
          lock.synchronized(end(outcome))
        } else {
          val sleeper = lock.synchronized {
            if (result.isDefined) None
            else {
              val s = new Sleeper
              sleepers += s
              rest()
              Some(s)
            }
          }
          sleeper.foreach(_.sleep())
        }
        lock.synchronized(result.get).get
      }

      /** Whether nothing has started. */
      private def takeOver(): Boolean = lock.synchronized {
        val mine = !isBegun
        if (mine) {
          isBegun = true
          queue.dequeueFirst(_ eq this): Unit
        }
        mine
      }

      def cancel(): Unit = if (takeOver()) lock.synchronized {
        end(Failure(new CancellationException))
      }
    }
  }

  private val profile =
    StorageProfile.remote.copy(reads = new Threads(64), opens = new Threads(64))

  /** The same files, read by threads that use the clock. */
  def storage(inner: FileStore): FileStore = new ForwardingFileStore(inner) {
    override def profile(path: String): StorageProfile = VirtualStore.this.profile
    override def open(path: String): RangeReader = reader(inner.open(path))
    override def open(path: String, sizeBytes: Long): RangeReader =
      reader(inner.open(path, sizeBytes))
  }

  private def reader(inner: RangeReader): RangeReader = new RangeReader(inner.path, inner.size) {
    def maxGapBytes: Int = inner.maxGapBytes
    override def profile: StorageProfile = VirtualStore.this.profile
    override def origin: Option[AnyRef] = inner.origin
    protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit =
      inner.readInto(offset, out, outAt, length)
    def close(): Unit = inner.close()
  }
}
