// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.{ByteBuffer, ByteOrder}
import java.util.SplittableRandom

import org.scalatest.funsuite.AnyFunSuite

class BufferBenchmarkSuite extends AnyFunSuite {

  test("the benchmark sums the longs of its bytes") {
    val benchmark = new BufferBenchmark
    benchmark.setup()

    val bytes = new Array[Byte](BufferBenchmark.NumValues * 8)
    new SplittableRandom(42).nextBytes(bytes)
    val longs = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer()
    val expected = Iterator.fill(BufferBenchmark.NumValues)(longs.get()).sum

    assert(benchmark.sumOfLongs() == expected)
  }
}
