// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import java.util.SplittableRandom

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.v0_1.{Dictionary, Offsets, Plain, VarBinary}

/** Pages of version 0.1. */
private[kernels] object LegacyKernels {
  def all: Seq[Kernels] = Seq(Pages)

  private val NumValues = 8192
  private val cases = Seq("plain 64", "plain boolean", "var-binary", "dictionary", "list offsets")

  private object Pages extends Kernels("0.1", cases, None) {
    def make(of: String): Kernel = {
      val run = new Source(of).run
      val outBytes = run() match {
        case values: Values => values.sizeInBytes.toInt
        case _ => 4 * NumValues
      }
      Kernel(NumValues, outBytes, run)
    }
  }

  final private class Source(of: String) {
    private val random = new SplittableRandom(42)
    private val bytes = {
      val b = new Array[Byte](NumValues * 16)
      random.nextBytes(b)
      Buffer(b)
    }
    private val offsetBytes = {
      val b = new Array[Byte]((NumValues + 1) * 8)
      (1 to NumValues).foreach { i =>
        Buffer.putLong(b, i * 8, Buffer.longAt(b, (i - 1) * 8) + 1 + random.nextInt(15))
      }
      Buffer(b)
    }
    private val limit = NumValues * 16L

    val run: () => AnyRef = of match {
      case "plain 64" =>
        val out = new LongValues
        () => {
          out.clear()
          Plain.decode(bytes, 0L, FixedWidth(64), 0L, NumValues, out)
          out
        }
      case "plain boolean" =>
        val out = new ByteValues
        () => {
          out.clear()
          Plain.decode(bytes, 0L, FixedWidth(1), 3L, NumValues, out)
          out
        }
      case "var-binary" =>
        val out = new BinaryValues
        val validity = new Validity
        () => {
          out.clear()
          validity.clear()
          val offsets = VarBinary.offsets(offsetBytes, NumValues, limit)
          VarBinary.decode(offsets, 0, NumValues, bytes, 0L, out, validity)
          out
        }
      case "dictionary" =>
        val keys = Buffer(Array.fill(NumValues)(random.nextInt(100).toByte))
        val items = Dictionary.Items(Kernels.fixed(64, 100)(_.toLong), null)
        val out = new DictionaryValues(new IntValues, items.values)
        val scratch = new ByteValues
        val index = LogicalType.Integer(8, signed = true)
        () => {
          out.clear()
          Dictionary.decode(keys, 0L, index, 0L, NumValues, items, scratch, out, null)
          out
        }
      case _ =>
        val rebased = new Array[Int](NumValues + 1)
        () => {
          val offsets = Offsets.decode(offsetBytes, NumValues, large = true, limit)
          Offsets.rebase(offsets, 0, NumValues, rebased)
          rebased
        }
    }
  }
}
