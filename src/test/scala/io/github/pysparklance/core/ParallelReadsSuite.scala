// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

class ParallelReadsSuite extends AnyFunSuite {
  private val items = (0 until 500).toIndexedSeq

  test("items are returned in order, each read once, with the previous one") {
    val read = new ConcurrentLinkedQueue[Int]
    val ahead = new ParallelReads(items)(i => { read.add(i); i * 2 })
    items.foreach { i =>
      assert(ahead(i) == i * 2)
      if (i > 0) assert(ahead(i - 1) == i * 2 - 2)
      if (i + 1 < items.length) assert(ahead(i + 1) == i * 2 + 2)
      assert(ahead(i) == i * 2)
    }
    assert(read.asScala.toSeq.sorted == items)
  }

  test("stopping early reads few items") {
    val read = new ConcurrentLinkedQueue[Int]
    val ahead = new ParallelReads(items)(i => { read.add(i); i })
    assert(ahead(0) == 0 && read.size == 1)
    assert(ahead(1) == 1 && read.size == 3)
  }

  test("items in any order") {
    val ahead = new ParallelReads(items)(_.toString)
    Seq(7, 3, 499, 0, 1, 2, 3, 4, 0, 250).foreach(i => assert(ahead(i) == i.toString))
  }

  test("a failed item fails only its own read") {
    val ahead =
      new ParallelReads(items)(i => if (i == 20) throw new CorruptFileException("20") else i)
    (0 until 20).foreach(i => assert(ahead(i) == i))
    intercept[CorruptFileException](ahead(20))
    assert(ahead(19) == 19 && ahead(21) == 21)
  }
}
