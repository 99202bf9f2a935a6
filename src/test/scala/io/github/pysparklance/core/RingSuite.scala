// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class RingSuite extends AnyFunSuite {
  test("a ring behaves like a buffer, at any position in its array") {
    val random = new Random(7)
    val ring = new Ring[String]
    val buffer = ArrayBuffer.empty[String]
    (0 until 20000).foreach { i =>
      val a = i.toString
      // grows for a while, then shrinks
      if (random.nextInt(10) < (if (i / 1000 % 2 == 0) 4 else 6) && buffer.nonEmpty)
        assert(ring.removeHead() == buffer.remove(0))
      else
        random.nextInt(3) match {
          case 0 => ring.append(a); buffer.append(a)
          case 1 => ring.prepend(a); buffer.insert(0, a)
          case _ =>
            val at = random.nextInt(buffer.length + 1)
            ring.insert(at, a)
            buffer.insert(at, a)
        }
      if (buffer.nonEmpty) {
        val at = random.nextInt(buffer.length)
        assert(ring(at) == buffer(at))
        assert(ring.head == buffer.head && ring.last == buffer.last)
        ring(at) = a
        buffer(at) = a
        assert(ring.indexOf(a) == buffer.indexOf(a))
      }
      assert(ring.length == buffer.length && ring.isEmpty == buffer.isEmpty)
    }
    assert(ring.iterator.toIndexedSeq == buffer.toIndexedSeq)
  }

  test("positions out of range fail") {
    val ring = new Ring[String]
    intercept[IndexOutOfBoundsException](ring.removeHead())
    ring.append("a")
    intercept[IndexOutOfBoundsException](ring(1))
    intercept[IndexOutOfBoundsException](ring(-1))
    intercept[IndexOutOfBoundsException](ring.insert(2, "b"))
  }
}
