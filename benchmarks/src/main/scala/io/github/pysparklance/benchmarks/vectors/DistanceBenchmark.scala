// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.vectors

import java.util.concurrent.TimeUnit

import scala.util.Random

import org.openjdk.jmh.annotations._

import io.github.pysparklance.core.{
  ByteValues,
  Half,
  IntValues,
  LongValues,
  ShortValues,
  Values
}
import io.github.pysparklance.index.vector.distance.{
  DistanceKernels,
  ElementType,
  Kernels,
  Metric,
  QueryDistance
}

/** Distances of one query from vectors of 64 MB, more than the caches of a processor hold, beside
  * reading as many bytes: the bandwidth of one core.
  *
  * `./sbt 'benchmarks/Jmh/run DistanceBenchmark -p dimension=128 -p element=float32'`
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SampleTime))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
  value = 1,
  jvmArgsAppend = Array("-Xmx1g", "--add-modules=jdk.incubator.vector")
)
class DistanceBenchmark {

  @Param(Array("vector", "loops"))
  var kernels: String = _

  @Param(Array("l2", "cosine", "dot"))
  var metric: String = _

  @Param(Array("float32"))
  var element: String = _

  @Param(Array("128", "768"))
  var dimension: Int = _

  private val bytes = 64 << 20
  private var distance: QueryDistance = _
  private var items: Values = _
  private var numVectors = 0
  private var out: Array[Float] = _
  private var plain: Array[Long] = _

  @Setup
  def setup(): Unit = {
    val chosen: DistanceKernels =
      if (kernels == "loops") Kernels.loops
      else Kernels.vectorApi.getOrElse(sys.error("the Vector API is not there"))
    val random = new Random(7)
    val name = element
    val kind = DistanceBenchmark.elements.find(_.name == name).get
    numVectors = bytes / (kind.numBytes * dimension)
    val numItems = numVectors * dimension
    items = DistanceBenchmark.items(kind, numItems, random)
    val query = Array.fill(dimension)(if (kind.numBytes == 1) 3.0 else random.nextDouble())
    distance = QueryDistance(Metric.parse(metric), kind, query, kernels = chosen)
    out = new Array[Float](numVectors)
    plain = Array.fill(bytes / 8)(random.nextLong())
  }

  @Benchmark
  def compute(): Array[Float] = {
    distance(items, 0, null, numVectors, out)
    out
  }

  /** Adds up as many bytes. */
  @Benchmark
  def read(): Long = {
    var sum = 0L
    var i = 0
    while (i < plain.length) {
      sum += plain(i)
      i += 1
    }
    sum
  }
}

object DistanceBenchmark {
  val elements: Seq[ElementType] = Seq(
    ElementType.Float16,
    ElementType.BFloat16,
    ElementType.Float32,
    ElementType.Float64,
    ElementType.Int8,
    ElementType.UInt8
  )

  /** Random elements as the reader decodes them. */
  def items(kind: ElementType, numItems: Int, random: Random): Values =
    kind match {
      case ElementType.Float32 =>
        val v = new IntValues
        (0 until numItems).foreach(_ =>
          v.append(java.lang.Float.floatToRawIntBits(random.nextFloat()))
        )
        v
      case ElementType.Float64 =>
        val v = new LongValues
        (0 until numItems).foreach(_ =>
          v.append(java.lang.Double.doubleToRawLongBits(random.nextDouble()))
        )
        v
      case ElementType.Float16 =>
        val v = new ShortValues
        (0 until numItems).foreach(_ => v.append(Half.fromFloat(random.nextFloat())))
        v
      case ElementType.BFloat16 =>
        val v = new ShortValues
        (0 until numItems).foreach(_ => v.append(Half.toBFloat16(random.nextFloat())))
        v
      case _ =>
        val v = new ByteValues
        (0 until numItems).foreach(_ => v.append(random.nextInt(128).toByte))
        v
    }
}
