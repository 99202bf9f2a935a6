// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import io.github.pysparklance.core._

/** A loop of the decoders, or of vector searches, with its input.
  *
  * @param numValues values or levels that one run decodes
  * @param outBytes bytes that one run writes, and that the reference copies
  * @param run returns the output, the same for each call
  * @param source the values of the input, if a run returns them
  */
final case class Kernel(
    numValues: Int,
    outBytes: Int,
    run: () => AnyRef,
    source: Option[Values] = None
)

/** Target of a kernel. A kernel without a target is measured for comparison. */
sealed trait Target {
  def text: String
}

object Target {

  /** Share of the speed at which `System.arraycopy` copies the bytes that the kernel writes. */
  final case class OfCopy(share: Double) extends Target {
    def text: String = f"$share%.2f x copy"
  }

  /** In 10^9^ per second. */
  final case class GigaValues(perSecond: Double) extends Target {
    def text: String = f"$perSecond%.1f G/s"
  }

  /** Bytes written, in 10^9^ per second. */
  final case class GigaBytes(perSecond: Double) extends Target {
    def text: String = f"$perSecond%.1f GB/s"
  }
}

/** The kernels of one encoding, or of one step of vector searches.
  *
  * @param name one word
  * @param cases the variants, such as widths or contents
  */
abstract class Kernels(val name: String, val cases: Seq[String], val target: Option[Target]) {

  /** The kernel of one of the [[cases]]. */
  def make(of: String): Kernel
}

object Kernels {

  /** Default output size of a run: input and output fit in the L2 cache, like the chunks of a
    * batch.
    */
  val OutBytes = 65536

  val all: Seq[Kernels] =
    BitpackingKernels.all ++ RleKernels.all ++ FlatKernels.all ++ DictionaryKernels.all ++
      ValidityKernels.all ++ LevelKernels.all ++ StringKernels.all ++ SequenceKernels.all ++
      ArrayKernels.all ++ LegacyKernels.all ++ VectorKernels.all

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
