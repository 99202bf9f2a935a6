// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import io.github.pysparklance.core._

/** One loop of the decoders with its input, as a page would call it.
  *
  * @param numValues values, or levels, that one run makes
  * @param outBytes bytes that one run writes: what the limit copies
  * @param run answers what it made, the same at each call
  * @param source what the input was made of, where that is what a run answers
  */
final case class Kernel(
    numValues: Int,
    outBytes: Int,
    run: () => AnyRef,
    source: Option[Values] = None
)

/** What a kernel has to reach; `None` in its place: measured for comparison. */
sealed trait Target {
  def text: String
}

object Target {

  /** Share of the speed at which `System.arraycopy` copies the bytes that the kernel writes. */
  final case class OfCopy(share: Double) extends Target {
    def text: String = f"$share%.2f x copy"
  }

  /** In 10^9^ a second. */
  final case class GigaValues(perSecond: Double) extends Target {
    def text: String = f"$perSecond%.1f G/s"
  }

  /** Bytes written, in 10^9^ a second. */
  final case class GigaBytes(perSecond: Double) extends Target {
    def text: String = f"$perSecond%.1f GB/s"
  }
}

/** The kernels of one encoding.
  *
  * @param name of the encoding, one word
  * @param cases what tells its kernels apart: widths, contents
  */
abstract class Kernels(val name: String, val cases: Seq[String], val target: Option[Target]) {

  /** The kernel of one of the [[cases]]. */
  def make(of: String): Kernel
}

object Kernels {

  /** What a run writes unless told otherwise: input and output lie in the second cache, as the chunks of a batch do. */
  val OutBytes = 65536

  val all: Seq[Kernels] =
    BitpackingKernels.all ++ RleKernels.all ++ FlatKernels.all ++ DictionaryKernels.all ++
      ValidityKernels.all ++ LevelKernels.all ++ StringKernels.all ++ SequenceKernels.all ++
      ArrayKernels.all ++ LegacyKernels.all

  /** By name: `encoding case`. */
  def make(kernel: String): Kernel = {
    val kernels = all.find(k => kernel.startsWith(k.name + " "))
      .getOrElse(throw new IllegalArgumentException(kernel))
    kernels.make(kernel.stripPrefix(kernels.name + " "))
  }

  /** Values of `bits` bits each. */
  def fixed(bits: Int, numValues: Int)(value: Int => Long): Values = {
    val values = Values.allocate(FixedWidth(bits))
    (0 until numValues).foreach(i => append(values, value(i)))
    values
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
}
