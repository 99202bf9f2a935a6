// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

/** One kernel by name, and a copy of its output size. [[KernelResults]] lists the kernels. Each run
  * is timed separately, so that the median is robust against other work on the machine.
  *
  * `./sbt 'benchmarks/Jmh/run KernelBenchmark.decode -p kernel="rle-u32 20"'`
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SampleTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 150, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
  value = 1,
  jvmArgsAppend = Array("-Xbatch", "-Xmx1g", "--add-modules=jdk.incubator.vector")
)
class KernelBenchmark {

  @Param(Array("bitpacking-u32 11"))
  var kernel: String = _

  private var made: Kernel = _
  private var run: () => AnyRef = _
  private var source: Array[Byte] = _
  private var target: Array[Byte] = _

  @Setup
  def setup(): Unit = {
    made = Kernels.make(kernel)
    run = made.run
    source = new Array[Byte](made.outBytes)
    target = new Array[Byte](made.outBytes)
  }

  @Benchmark
  def decode(): AnyRef = run()

  @Benchmark
  def copy(): Array[Byte] = {
    System.arraycopy(source, 0, target, 0, source.length)
    target
  }
}
