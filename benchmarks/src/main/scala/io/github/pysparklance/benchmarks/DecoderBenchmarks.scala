// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.charset.StandardCharsets.UTF_8
import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.{Compressions, EncodingChooser}

/** Values per second out of mini-block chunks, by what the values look like and so by the encoding that the writer
  * chooses for them; `copy` copies the decoded bytes and is the limit.
  *
  * `./sbt 'benchmarks/Jmh/run MiniBlockBenchmark'`
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(MiniBlockBenchmark.NumValues)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class MiniBlockBenchmark {

  /** Width in bits and content; `packedN` has values of N bits, `steps` nearly even ones. */
  @Param(
    Array(
      "8 packed3",
      "16 packed9",
      "32 packed1",
      "32 packed11",
      "32 packed20",
      "32 flat",
      "32 runs",
      "64 packed23",
      "64 flat",
      "64 steps",
      "128 flat",
      "128 packed23",
      "words",
      "sentences"
    )
  )
  var data: String = _

  private var valueType: ValueType = _
  private var compressed: CompressedMiniBlock = _
  private var decoder: MiniBlockDecoder = _
  private var chunks: Array[Array[Buffer]] = _
  private var sizes: Array[Int] = _
  private var out: Values = _
  private var source: Array[Byte] = _
  private var target: Array[Byte] = _

  @Setup
  def setup(): Unit = {
    val (values, shape) = MiniBlockBenchmark.make(data)
    valueType = shape
    compressed = new EncodingChooser(EncodingVersion.V2_2).miniBlock(values, valueType)
    decoder = Compressions.miniBlock(compressed.encoding, valueType)
    chunks = compressed.chunks.map(_.buffers.toArray).toArray
    sizes = compressed.chunks.map(_.numValues).toArray
    out = Values.allocate(valueType)
    source = new Array[Byte](values.sizeInBytes.toInt)
    target = new Array[Byte](source.length)
    println(s"# $data: ${compressed.encoding.getCompressionCase}, ${compressed.sizeInBytes} bytes")
  }

  @Benchmark
  def decode(): Values = {
    out.clear()
    var i = 0
    while (i < chunks.length) {
      decoder.decode(chunks(i), sizes(i), 0, sizes(i), out)
      i += 1
    }
    out
  }

  @Benchmark
  def copy(): Array[Byte] = {
    System.arraycopy(source, 0, target, 0, source.length)
    target
  }
}

object MiniBlockBenchmark {
  final val NumValues = 8192

  private def make(data: String): (Values, ValueType) = {
    val random = new SplittableRandom(42)
    data.split(' ') match {
      case Array("words") => strings(() => 1 + random.nextInt(10))
      case Array("sentences") => strings(() => 12 + random.nextInt(30))
      case Array(bits, content) =>
        val valueType = FixedWidth(bits.toInt)
        val values = Values.allocate(valueType)
        val next: Int => Long = content match {
          case "flat" => _ => random.nextLong()
          case "runs" => i => (i / 100L) * 1000003L
          case "steps" => i => i * 1000L + random.nextInt(3)
          case packed => _ => random.nextLong() >>> (64 - packed.stripPrefix("packed").toInt)
        }
        (0 until NumValues).foreach(i => append(values, next(i)))
        (values, valueType)
      case _ => throw new IllegalArgumentException(data)
    }
  }

  private def append(values: Values, v: Long): Unit = values match {
    case out: ByteValues => out.append(v.toByte)
    case out: ShortValues => out.append(v.toShort)
    case out: IntValues => out.append(v.toInt)
    case out: LongValues => out.append(v)
    case out: WideValues =>
      val at = out.extend(1)
      Buffer.putLong(out.bytes, at, v)
      Buffer.putLong(out.bytes, at + 8, v >> 63)
    case other => throw new IllegalArgumentException(other.getClass.getName)
  }

  private val syllables = Array("al", "be", "car", "do", "eth", "fur", "gan", "ing ", "ly ", "the ")

  /** Strings of syllables, each at least as long as `nextLength` says. */
  private def strings(nextLength: () => Int): (Values, ValueType) = {
    val random = new SplittableRandom(7)
    val out = new BinaryValues
    (0 until NumValues).foreach { _ =>
      val length = nextLength()
      val text = new StringBuilder
      while (text.length < length) text.append(syllables(random.nextInt(syllables.length)))
      val bytes = text.toString.getBytes(UTF_8)
      out.append(bytes, 0, bytes.length)
    }
    (out, VariableWidth(32))
  }
}

/** Levels per second into validity. `./sbt 'benchmarks/Jmh/run ValidityBenchmark'` */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(MiniBlockBenchmark.NumValues)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class ValidityBenchmark {
  private val levels = new Array[Short](MiniBlockBenchmark.NumValues)
  private val validity = new Validity

  @Setup
  def setup(): Unit = {
    val random = new SplittableRandom(42)
    levels.indices.foreach(i => levels(i) = (if (random.nextInt(10) == 0) 1 else 0).toShort)
  }

  @Benchmark
  def fromLevels(): Validity = {
    validity.clear()
    validity.appendLevels(levels, 0, levels.length, 0)
    validity
  }
}
