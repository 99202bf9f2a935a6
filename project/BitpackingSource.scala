// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

import sbt._
import sbt.Keys._

/** Writes the bit-packing kernels: one pair of Java methods, pack and unpack, for each width of 8,
  * 16, 32 and 64-bit values.
  *
  * A block is 1,024 values. It has `typeBits` rows of 128 bytes each, packed to `width` words of
  * 128 bytes each; byte j of every row and word belong together (a lane). A method walks the 16
  * longs of a row; each long holds several lanes, which are shifted and masked together. The rows
  * are unrolled, so that every shift and mask is a constant.
  */
object BitpackingSource {
  private val packageName = "io.github.pysparklance.encoding.compression.bitpacking"
  private val typeBits    = Seq(8, 16, 32, 64)
  private val rowGroups   = Seq(0, 4, 2, 6, 1, 5, 3, 7)

  val generate: Def.Initialize[Task[Seq[File]]] = Def.task {
    val folder = (Compile / sourceManaged).value / "bitpacking" / packageName.replace('.', '/')
    typeBits.map { bits =>
      val out  = folder / s"Bitpacking$bits.java"
      val text = source(bits)
      if (!out.exists || IO.read(out) != text) IO.write(out, text)
      out
    }
  }

  private def source(bits: Int): String = {
    val widths = 1 to bits
    s"""// SPDX-License-Identifier: Apache-2.0
       |// Copyright the pyspark-lance authors
       |// Written by project/BitpackingSource.scala.
       |package $packageName;
       |
       |import java.lang.invoke.MethodHandles;
       |import java.lang.invoke.VarHandle;
       |import java.nio.ByteOrder;
       |
       |/** Packs and unpacks blocks of 1,024 values of $bits bits. */
       |final class Bitpacking$bits {
       |  private static final VarHandle LONG =
       |      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
       |
       |  private Bitpacking$bits() {}
       |
       |  /** Unpacks the 128 * width bytes at inAt to the ${128 * bits} bytes at outAt; width is 1 to $bits. */
       |  static void unpack(byte[] in, int inAt, int width, byte[] out, int outAt) {
       |    switch (width) {
       |${widths.map(w => s"      case $w: unpack$w(in, inAt, out, outAt); break;").mkString("\n")}
       |      default: throw new IllegalArgumentException("width " + width);
       |    }
       |  }
       |
       |  /** Packs the low width bits of the values in the ${128 * bits} bytes at inAt to the 128 * width
       |    * bytes at outAt. */
       |  static void pack(byte[] in, int inAt, int width, byte[] out, int outAt) {
       |    switch (width) {
       |${widths.map(w => s"      case $w: pack$w(in, inAt, out, outAt); break;").mkString("\n")}
       |      default: throw new IllegalArgumentException("width " + width);
       |    }
       |  }
       |
       |${widths.map(w => unpack(bits, w) + "\n" + pack(bits, w)).mkString("\n")}
       |}
       |""".stripMargin
  }

  /** The low `n` bits of each lane of a long. */
  private def lanes(bits: Int, n: Int): BigInt = {
    val one = (BigInt(1) << n) - 1
    (0 until 64 by bits).map(one << _).sum
  }

  private def literal(mask: BigInt): String = s"0x${mask.toString(16)}L"

  /** First byte of a row among the unpacked bytes. */
  private def rowAt(bits: Int, row: Int): Int =
    (rowGroups(row / 8) * 16 + (row % 8) * 128) * (bits / 8)

  private def unpack(bits: Int, width: Int): String = {
    val lines = (0 until bits).flatMap { row =>
      val word  = row * width / bits
      val shift = row * width % bits
      val load  = if (shift == 0) Seq(s"w = (long) LONG.get(in, i + ${word * 128});") else Nil
      val low   = if (shift == 0) "w" else s"w >>> $shift"
      val set   = s"LONG.set(out, o + ${rowAt(bits, row)}, "
      val body  =
        if (shift + width < bits) Seq(s"$set($low) & ${literal(lanes(bits, width))});")
        else if (shift + width == bits)
          Seq(if (shift == 0) s"${set}w);" else s"$set($low) & ${literal(lanes(bits, width))});")
        else {
          val lowBits  = lanes(bits, bits - shift)
          val highBits = lanes(bits, width) - lowBits
          Seq(
            s"v = ($low) & ${literal(lowBits)};",
            s"w = (long) LONG.get(in, i + ${(word + 1) * 128});",
            s"${set}v | ((w << ${bits - shift}) & ${literal(highBits)}));"
          )
        }
      load ++ body
    }
    method(s"unpack$width", lines)
  }

  private def pack(bits: Int, width: Int): String = {
    val mask  = literal(lanes(bits, width))
    val lines = (0 until bits).flatMap { row =>
      val word  = row * width / bits
      val shift = row * width % bits
      val load  = s"v = (long) LONG.get(in, i + ${rowAt(bits, row)}) & $mask;"
      val merge =
        if (shift == 0) "w = v;"
        else if (shift + width <= bits) s"w |= v << $shift;"
        else s"w |= (v & ${literal(lanes(bits, bits - shift))}) << $shift;"
      val store = if (shift + width >= bits) Seq(s"LONG.set(out, o + ${word * 128}, w);") else Nil
      val carry =
        if (shift + width > bits)
          Seq(s"w = (v >>> ${bits - shift}) & ${literal(lanes(bits, width - (bits - shift)))};")
        else Nil
      Seq(load, merge) ++ store ++ carry
    }
    method(s"pack$width", lines)
  }

  private def method(name: String, lines: Seq[String]): String = {
    val declared = if (lines.exists(_.startsWith("v = "))) "long w, v;" else "long w;"
    s"""  private static void $name(byte[] in, int inAt, byte[] out, int outAt) {
       |    for (int j = 0; j < 128; j += 8) {
       |      int i = inAt + j, o = outAt + j;
       |      $declared
       |${lines.map("      " + _).mkString("\n")}
       |    }
       |  }
       |""".stripMargin
  }
}
