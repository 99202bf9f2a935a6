// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.requests.StorageProfile

/** The memory that a task reserves, and when it opens its next fragments. */
class ReadSchedulerSuite extends AnyFunSuite {
  private val mebibyte = 1L << 20

  final private class Memory(var limit: Long = Long.MaxValue) extends TaskMemory {
    var reserved = 0L
    var attempts = 0
    def acquire(bytes: Long): Long = {
      attempts += 1
      val granted = math.min(bytes, limit - reserved)
      reserved += granted
      granted
    }
    def release(bytes: Long): Unit = reserved -= bytes
  }

  test("held and decoded bytes are reserved in whole mebibytes, and released at the end") {
    val memory = new Memory
    val scheduler = new ReadScheduler(ReadBudget.default, memory)
    scheduler.hold(1)
    assert(memory.reserved == mebibyte)
    scheduler.add(3 * mebibyte)
    scheduler.hold(1)
    assert(memory.reserved == 4 * mebibyte && memory.attempts == 2)
    scheduler.hold(mebibyte)
    assert(memory.reserved == 4 * mebibyte && memory.attempts == 2)
    scheduler.close()
    assert(memory.reserved == 0)
  }

  test("several unused mebibytes are released") {
    val memory = new Memory
    val scheduler = new ReadScheduler(ReadBudget.default, memory)
    scheduler.add(10 * mebibyte)
    scheduler.hold(0)
    scheduler.add(-3 * mebibyte)
    scheduler.hold(0)
    assert(memory.reserved == 10 * mebibyte)
    scheduler.add(-3 * mebibyte)
    scheduler.hold(0)
    assert(memory.reserved == 4 * mebibyte)
  }

  test("nothing is reserved after the scheduler is closed") {
    val memory = new Memory
    val scheduler = new ReadScheduler(ReadBudget.default, memory)
    scheduler.hold(mebibyte)
    scheduler.close()
    scheduler.add(3 * mebibyte)
    scheduler.hold(mebibyte)
    scheduler.close()
    assert(memory.reserved == 0)
  }

  test("a denied reservation stops the read-ahead and is retried after some batches") {
    val memory = new Memory(limit = 2 * mebibyte)
    val scheduler = new ReadScheduler(ReadBudget.default, memory)
    scheduler.add(5 * mebibyte)
    scheduler.hold(0)
    assert(!scheduler.readsAhead && memory.reserved == 2 * mebibyte)
    (1 to 64).foreach(_ => scheduler.hold(0))
    assert(memory.attempts == 1)
    memory.limit = 8 * mebibyte
    scheduler.hold(0)
    assert(scheduler.readsAhead && memory.reserved == 5 * mebibyte)
    memory.limit = 5 * mebibyte
    scheduler.add(mebibyte)
    scheduler.hold(0)
    assert(!scheduler.readsAhead)
    scheduler.add(-mebibyte)
    scheduler.hold(0)
    assert(scheduler.readsAhead, "less is held than is reserved")
  }

  private def fragments(profile: StorageProfile): FragmentSchedule =
    new ReadScheduler(ReadBudget.default).fragments(profile)

  test("small remote fragments are opened 32 at a time, local ones are not opened ahead") {
    val local = fragments(StorageProfile.local)
    local.begin(100, 10)
    assert(!local.opensNext)
    val remote = fragments(StorageProfile.remote)
    remote.begin(100, 10)
    val bytes = (1 to 32).map { _ =>
      assert(remote.opensNext)
      remote.open(Some(100))
    }
    assert(bytes.forall(_ == 100 + (64 << 10)) && !remote.opensNext)
    remote.take(bytes.head)
    assert(remote.opensNext)
  }

  test("fragments are opened up to a quarter of the budget") {
    val schedule = fragments(StorageProfile.remote)
    schedule.begin(0, 1)
    val bytes = Iterator.continually(schedule.opensNext).takeWhile(identity).map { _ =>
      schedule.open(Some(3 * mebibyte))
    }.toSeq
    assert(bytes.sum == 8 * mebibyte && bytes.length == 3)
    val unknown = fragments(StorageProfile.remote)
    assert(unknown.open(None) == 8 * mebibyte && !unknown.opensNext)
  }

  test("the fragment after a large one is opened near its end, and then replaces it") {
    val schedule = fragments(StorageProfile.remote)
    schedule.begin(100 * mebibyte, 100)
    assert(!schedule.opensNext)
    schedule.pass(36)
    assert(schedule.opensNext)
    val bytes = schedule.open(Some(100 * mebibyte))
    assert(bytes == 8 * mebibyte && schedule.topUp(bytes).isEmpty)
    // 16 MiB are requested ahead: the whole rest
    schedule.pass(49)
    assert(schedule.topUp(bytes).isEmpty, "small requests do not pay")
    schedule.pass(15)
    assert(schedule.topUp(bytes).contains(16 * mebibyte))
    schedule.toppedUp(16 * mebibyte, bytes)
    assert(schedule.topUp(16 * mebibyte).isEmpty)
  }

  test("storage is remote if transferring a window takes less time than its first byte") {
    assert(StorageProfile.remote.isRemote && !StorageProfile.local.isRemote)
    assert(StorageProfile.remote.bytesInFlight == 3000000)
    val near = StorageProfile.remote.copy(latencyMicros = 1000)
    assert(near.bytesInFlight == 100000 && !near.isRemote)
  }
}
