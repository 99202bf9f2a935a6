// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.ByteRange

/** How far ahead a column is read whose windows take several rounds. */
class RoundScheduleSuite extends AnyFunSuite {
  private val mebibyte = 1L << 20

  /** Windows that request `windowBytes` in their first round and nothing later. */
  final private class Windows(reads: FileReads, schedule: RoundSchedule, windowBytes: Long)
      extends PlannedWindows {
    val advanced: mutable.ArrayBuffer[Int] = mutable.ArrayBuffer.empty
    private val requested = mutable.ArrayBuffer.empty[Boolean]
    private var left = 100

    def numWindows: Int = requested.length

    def advance(window: Int): Unit = {
      advanced += window
      if (!requested(window)) {
        requested(window) = true
        reads.request(ByteRange(window * (windowBytes + 1), windowBytes)): Unit
        schedule.bytes.request(windowBytes)
      }
    }

    def plan(): Boolean = left > 0 && {
      left -= 1
      requested += false
      true
    }
  }

  private def requestedAhead(isRemote: Boolean, numColumns: Int): Long = {
    val scheduler = new ReadScheduler(ReadBudget.default)
    val reads = scheduler.share().file(new ManualStorage(isRemote).reader, numColumns)
    val schedule = new RoundSchedule(reads)
    schedule.request(new Windows(reads, schedule, mebibyte / 2))
    reads.ahead
  }

  test("a local column has one window ahead, a remote one its part of the read-ahead") {
    assert(requestedAhead(isRemote = false, numColumns = 1) == mebibyte)
    assert(requestedAhead(isRemote = true, numColumns = 1) == ReadBudget.default.bytesAhead)
    assert(requestedAhead(isRemote = true, numColumns = 4) == ReadBudget.default.bytesAhead / 4)
  }

  test("planned windows advance before new ones are planned") {
    val scheduler = new ReadScheduler(ReadBudget.default)
    val reads = scheduler.share().file(new ManualStorage(isRemote = false).reader, 1)
    val schedule = new RoundSchedule(reads)
    val windows = new Windows(reads, schedule, mebibyte / 2)
    schedule.request(windows)
    assert(windows.advanced == Seq(0, 1))
    schedule.bytes.begin(mebibyte / 2)
    schedule.request(windows)
    assert(windows.advanced == Seq(0, 1, 0, 1, 2))
    schedule.request(windows)
    assert(windows.advanced.length == 5, "there is no room")
  }
}
