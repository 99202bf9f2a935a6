// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.ByteRange
import io.github.pysparklance.testkit.{CountingStorage, TemporaryFolder}

/** Rounds of requests to many objects. */
class ObjectReadsSuite extends AnyFunSuite with TemporaryFolder {

  private def path(i: Int): String = folder.resolve(s"o$i").toString

  private def write(numObjects: Int): Unit = (0 until numObjects).foreach { i =>
    Files.write(folder.resolve(s"o$i"), Array.fill(100)(i.toByte)): Unit
  }

  private def reads(scheduler: ReadScheduler, sizes: Map[String, Long] = Map.empty) =
    new ObjectReads(new CountingStorage, sizes, scheduler)

  test("a round is limited by the budget of the task, and by 64 single-row objects") {
    write(70)
    val scheduler = new ReadScheduler(ReadBudget.default.copy(totalBytes = 150))
    val objects = reads(scheduler)
    val byBytes = objects.start()
    byBytes.request(path(0), ByteRange(0, 100), isOwn = false): Unit
    assert(byBytes.hasRoom)
    byBytes.request(path(0), ByteRange(0, 50), isOwn = false): Unit
    assert(!byBytes.hasRoom)
    val byObjects = objects.start()
    (0 until 63).foreach(i => byObjects.request(path(i), ByteRange(0, 1), isOwn = true))
    assert(byObjects.hasRoom)
    byObjects.request(path(63), ByteRange(0, 1), isOwn = true): Unit
    assert(!byObjects.hasRoom)
    objects.close()
    assert(scheduler.numBytes == 0)
  }

  test("bytes are held from their request to the end of their round, or until all is closed") {
    write(3)
    val scheduler = new ReadScheduler(ReadBudget.default)
    val objects = reads(scheduler, Map(path(1) -> 100L))
    assert(objects.size(path(1)) == 100 && objects.inspect(path(2)) == 100)
    val first = objects.start()
    val requests = (0 until 3).map(i => first.request(path(i), ByteRange(10, 20), isOwn = true))
    first.submit()
    val second = objects.start()
    second.request(path(0), ByteRange(0, 5), isOwn = true): Unit
    second.submit()
    assert(scheduler.numBytes == 65)
    requests.zipWithIndex.foreach { case (request, i) =>
      assert(request.await().toBytes.toSeq == Seq.fill(20)(i.toByte))
    }
    first.end()
    assert(scheduler.numBytes == 5)
    objects.close()
    assert(scheduler.numBytes == 0)
  }

  test("unused objects are closed, except for a few") {
    write(40)
    val store = new CountingStorage
    val objects = new ObjectReads(store, Map.empty, new ReadScheduler(ReadBudget.default))
    (0 until 40).foreach { i =>
      val round = objects.start()
      val request = round.request(path(i), ByteRange(0, 100), isOwn = true)
      round.submit()
      assert(request.await().toBytes.forall(_ == i.toByte))
      round.end()
      assert(objects.numReferenced == 0, "the bytes of an ended round are referenced")
    }
    assert(store.numOpen <= 12)
    objects.close()
    assert(store.numOpen == 0)
  }
}
