// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.v0_1.{Dictionary, Offsets, Plain, VarBinary}

/** Values per second out of pages of version 0.1; see [[MiniBlockBenchmark]] for what a plain copy takes.
  *
  * `./sbt 'benchmarks/Jmh/run LegacyBenchmark'`
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(LegacyBenchmark.NumValues)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class LegacyBenchmark {
  import LegacyBenchmark._

  private val random = new SplittableRandom(42)
  private val bytes = {
    val b = new Array[Byte](NumValues * 16)
    random.nextBytes(b)
    Buffer(b)
  }
  private val longs = new LongValues
  private val flags = new ByteValues
  private val offsetBytes = {
    val b = new Array[Byte]((NumValues + 1) * 8)
    (1 to NumValues).foreach { i =>
      Buffer.putLong(b, i * 8, Buffer.longAt(b, (i - 1) * 8) + 1 + random.nextInt(15))
    }
    Buffer(b)
  }
  private val limit = NumValues * 16L
  private val texts = new BinaryValues
  private val validity = new Validity
  private val keys = Buffer(Array.fill(NumValues)(random.nextInt(100).toByte))
  private val items = {
    val values = new LongValues
    (0 until 100).foreach(i => values.append(i.toLong))
    Dictionary.Items(values, null)
  }
  private val looked = new DictionaryValues(new IntValues, items.values)
  private val scratch = new ByteValues
  private val rebased = new Array[Int](NumValues + 1)

  @Benchmark
  def plain64(): Values = {
    longs.clear()
    Plain.decode(bytes, 0L, FixedWidth(64), 0L, NumValues, longs)
    longs
  }

  @Benchmark
  def plainBoolean(): Values = {
    flags.clear()
    Plain.decode(bytes, 0L, FixedWidth(1), 3L, NumValues, flags)
    flags
  }

  @Benchmark
  def varBinary(): Values = {
    texts.clear()
    validity.clear()
    val offsets = VarBinary.offsets(offsetBytes, NumValues, limit)
    VarBinary.decode(offsets, 0, NumValues, bytes, 0L, texts, validity)
    texts
  }

  @Benchmark
  def dictionary(): Values = {
    looked.clear()
    val index = LogicalType.Integer(8, signed = true)
    Dictionary.decode(keys, 0L, index, 0L, NumValues, items, scratch, looked, null)
    looked
  }

  @Benchmark
  def listOffsets(): Array[Int] = {
    val offsets = Offsets.decode(offsetBytes, NumValues, large = true, limit)
    Offsets.rebase(offsets, 0, NumValues, rebased)
    rebased
  }
}

object LegacyBenchmark {
  final val NumValues = 8192
}
