// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import java.io.IOException
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.requests.{OnDemand, StorageProfile}
import io.github.pysparklance.storage.spi.RangeReader

/** Which files and windows are opened before they are needed. */
class OpenScheduleSuite extends AnyFunSuite {
  private val scheduler = new ReadScheduler(ReadBudget.default)
  private def opens(profile: StorageProfile, isConcurrent: Boolean = true): OpenSchedule =
    scheduler.opens(profile, isConcurrent)
  private val remote = opens(StorageProfile.remote)
  private val local = opens(StorageProfile.local)

  test("several files are opened concurrently on remote storage") {
    assert(remote.opensTogether(2) && !remote.opensTogether(1) && !local.opensTogether(2))
    assert(remote.opensBesideDeletions(readsRows = true))
    assert(!remote.opensBesideDeletions(readsRows = false))
    assert(!local.opensBesideDeletions(readsRows = true))
  }

  test("windows are opened ahead on remote storage, if several threads can read the files") {
    assert(remote.windowsAhead == 8 && local.windowsAhead == 0)
    assert(opens(StorageProfile.remote, isConcurrent = false).windowsAhead == 0)
  }

  test("small remote files of known size are read together") {
    assert(remote.readsTogether(Seq(1L << 19, 1L << 19)))
    assert(!remote.readsTogether(Seq(1L << 20, 1L)) && !remote.readsTogether(Seq(1L, 0L)))
    assert(!local.readsTogether(Seq(1L)))
  }

  test(
    "a window that is not opened ahead is opened with the given reads when it is awaited"
  ) {
    val opened = new AtomicInteger
    val share = scheduler.share()
    def open(of: ReadShare): AutoCloseable = {
      opened.incrementAndGet()
      assert(of eq share)
      () => ()
    }
    val opening = local.window(share)(open(_))
    assert(opened.get == 0)
    opening.await()
    assert(opened.get == 1)
  }

  test("a window that is opened ahead has its own reads") {
    val profile = StorageProfile.remote.copy(opens = OnDemand)
    val share = scheduler.share()
    def open(of: ReadShare): AutoCloseable = {
      assert(of ne share)
      () => ()
    }
    opens(profile).window(share)(open(_)).await().close()
  }

  test("a window whose read-ahead fails is closed, and its bytes are released") {
    val profile = StorageProfile.remote.copy(opens = OnDemand)
    val reader = new RangeReader("f", 1000) {
      override def profile: StorageProfile = StorageProfile.remote
      def maxGapBytes: Int = 10
      protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit = ()
      def close(): Unit = ()
    }
    val before = scheduler.numBytes
    val opening = opens(profile).window(scheduler.share()) { share =>
      val reads = share.file(reader, 1)
      reads.onReadAhead { (_, _) =>
        reads.addHeld(500)
        throw new IOException("broken")
      }
      reads
    }
    assert(intercept[IOException](opening.await()).getMessage == "broken")
    assert(scheduler.numBytes == before)
  }
}
