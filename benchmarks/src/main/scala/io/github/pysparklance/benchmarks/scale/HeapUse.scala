// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.scale

import java.lang.management.{ManagementFactory, MemoryType}
import java.util.concurrent.atomic.AtomicLong
import javax.management.openmbean.CompositeData
import javax.management.{Notification, NotificationEmitter, NotificationListener}

import scala.jdk.CollectionConverters._

import com.sun.management.GarbageCollectionNotificationInfo

/** Measures the heap that a task needs: the maximum in use after any collection since its start.
  * Garbage that is not collected yet does not count, so the numbers depend little on the heap size.
  */
private[scale] object HeapUse {
  private val heapPools = ManagementFactory.getMemoryPoolMXBeans.asScala
    .filter(_.getType == MemoryType.HEAP)
    .map(_.getName)
    .toSet
  private val most = new AtomicLong
  private val collections = new AtomicLong

  private val listener: NotificationListener = (n: Notification, _: Any) =>
    if (n.getType == GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION) {
      val info = GarbageCollectionNotificationInfo.from(n.getUserData.asInstanceOf[CompositeData])
      val used = info.getGcInfo.getMemoryUsageAfterGc.asScala.collect {
        case (pool, usage) if heapPools(pool) => usage.getUsed
      }.sum
      most.accumulateAndGet(used, (a, b) => math.max(a, b)): Unit
      collections.incrementAndGet(): Unit
    }

  ManagementFactory.getGarbageCollectorMXBeans.asScala.foreach {
    case emitter: NotificationEmitter => emitter.addNotificationListener(listener, null, null)
    case _ => ()
  }

  /** Runs a task. Returns the maximum number of bytes in use, without the bytes in use before. */
  def of(run: => Any): Long = {
    val before = live()
    most.set(0)
    val result = run
    val after = live()
    require(result != null) // reachable until here
    math.max(0L, math.max(most.get, after) - before)
  }

  /** Bytes in use after a collection. Waits for its notification. */
  private def live(): Long = {
    val known = collections.get
    System.gc()
    val deadline = System.nanoTime() + 2000000000L
    while (collections.get == known && System.nanoTime() < deadline) Thread.sleep(5)
    Thread.sleep(20)
    ManagementFactory.getMemoryMXBean.getHeapMemoryUsage.getUsed
  }
}
