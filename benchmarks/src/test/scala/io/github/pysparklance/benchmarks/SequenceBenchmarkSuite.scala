// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.encoding.spi.{ConstantLeaf, ListLayer}

/** Each benchmark once, with a look at what it makes. */
class SequenceBenchmarkSuite extends AnyFunSuite {
  Seq("range", "flat", "delta", "rle", "dictionary").foreach { data =>
    test(s"$data") {
      val benchmark = new SequenceBenchmark
      benchmark.data = data
      benchmark.setup()
      val numbers = benchmark.decode()
      assert(numbers.numItems == SequenceBenchmark.NumValues)
      val distinct = numbers.array.take(numbers.numItems).distinct.length
      data match {
        case "rle" => assert(distinct == 82)
        case "dictionary" => assert(distinct == 16)
        case "delta" =>
          assert(numbers.array.take(numbers.numItems).sliding(2).forall(p => p(0) <= p(1)))
        case _ => assert(distinct == numbers.numItems)
      }
    }
  }

  test("sparse lists") {
    val benchmark = new SequenceBenchmark
    benchmark.data = "range"
    benchmark.setup()
    val batch = benchmark.sparseLists()
    batch.layers.head match {
      case ListLayer(numSlots, offsets, validity) =>
        assert(numSlots == 1024 && validity.numNulls == (7168 until 8192).count(_ % 5 == 0))
        batch.values match {
          case ConstantLeaf(_, n) => assert(n == offsets(1024))
          case other => fail(s"$other")
        }
      case other => fail(s"$other")
    }
  }
}
