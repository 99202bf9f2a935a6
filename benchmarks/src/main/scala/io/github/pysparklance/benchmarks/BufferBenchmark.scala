// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import io.github.pysparklance.core.Buffer

/** Little-endian reads out of a byte array: the floor under every decoder.
  *
  * `./sbt 'benchmarks/Jmh/run BufferBenchmark'`
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(BufferBenchmark.NumValues)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class BufferBenchmark {

  private var bytes: Array[Byte] = _

  @Setup
  def setup(): Unit = {
    bytes = new Array[Byte](BufferBenchmark.NumValues * 8)
    new SplittableRandom(42).nextBytes(bytes)
  }

  /** Values per second, 8 bytes each. */
  @Benchmark
  def sumOfLongs(): Long = {
    var sum = 0L
    var i = 0
    while (i < BufferBenchmark.NumValues) {
      sum += Buffer.longAt(bytes, i << 3)
      i += 1
    }
    sum
  }
}

object BufferBenchmark {
  final val NumValues = 64 * 1024
}
