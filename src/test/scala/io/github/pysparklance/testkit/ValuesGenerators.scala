// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import org.scalacheck.Gen

import io.github.pysparklance.core._

/** Generators of [[Values]] for encodings: random, small, in runs, and with few distinct values.
  */
object ValuesGenerators {

  /** Numbers of values around the limits of chunks, blocks and words. */
  val numItems: Gen[Int] =
    Gen.frequency(
      3 -> Gen.choose(0, 40),
      3 -> Gen.choose(41, 3000),
      2 -> Gen.oneOf(1023, 1024, 1025, 2048, 2049, 4095, 4096, 4097, 5000)
    )

  private def longs(n: Int): Gen[Array[Long]] = for {
    bits <- Gen.choose(0, 64)
    seed <- Gen.long
    longestRun <- Gen.oneOf(1, 1, 1, 3, 40, 700)
  } yield {
    val random = new scala.util.Random(seed)
    val mask = if (bits == 64) -1L else (1L << bits) - 1
    val out = new Array[Long](n)
    var i = 0
    while (i < n) {
      val v = random.nextLong() & mask
      var run = 1 + random.nextInt(longestRun)
      while (run > 0 && i < n) {
        out(i) = v
        i += 1
        run -= 1
      }
    }
    out
  }

  /** `n` values of `bits` bits: numbers of any smaller width, or wide bytes. */
  def fixed(bits: Int, n: Int): Gen[Values] = longs(n).map { numbers =>
    val values = Values.allocate(FixedWidth(bits))
    numbers.foreach { v =>
      values match {
        case b: ByteValues => b.append(if (bits == 1) (v & 1).toByte else v.toByte)
        case s: ShortValues => s.append(v.toShort)
        case i: IntValues => i.append(v.toInt)
        case l: LongValues => l.append(v)
        case w: WideValues =>
          val at = w.extend(1)
          (0 until w.bytesPerValue).foreach(k => w.bytes(at + k) = (v >>> (k % 8 * 8)).toByte)
        case other => throw new IllegalArgumentException(other.toString)
      }
    }
    values
  }

  def strings(n: Int): Gen[BinaryValues] = for {
    longest <- Gen.oneOf(0, 1, 5, 12, 40, 300)
    distinct <- Gen.oneOf(1, 20, 1000, 1000000)
    seed <- Gen.long
  } yield {
    val random = new scala.util.Random(seed)
    val words = Array("http://", "www.", "example", ".com/", "a", "the ", "\u00e9", "zq")
    val out = new BinaryValues
    (0 until n).foreach { _ =>
      val own = new scala.util.Random(random.nextInt(distinct))
      val length = own.nextInt(longest + 1)
      val text = Iterator.continually(words(own.nextInt(words.length))).take(length).mkString
      val bytes = text.getBytes("UTF-8").take(length)
      if (random.nextInt(500) == 0) own.nextBytes(bytes)
      out.append(bytes, 0, bytes.length)
    }
    out
  }

  /** Returns the values in a form that `==` compares. */
  def contents(values: Values): Seq[Any] = values match {
    case v: ByteValues => v.array.take(v.numItems).toSeq
    case v: ShortValues => v.array.take(v.numItems).toSeq
    case v: IntValues => v.array.take(v.numItems).toSeq
    case v: LongValues => v.array.take(v.numItems).toSeq
    case v: WideValues =>
      v.bytes.take(v.numItems * v.bytesPerValue).grouped(v.bytesPerValue).map(_.toSeq).toSeq
    case v: BinaryValues =>
      (0 until v.numItems).map(i => v.bytes.slice(v.offsets(i), v.offsets(i + 1)).toSeq)
    case v: FixedSizeListValues =>
      val items = contents(v.items)
      (0 until v.numItems).map { i =>
        (i * v.dimension until (i + 1) * v.dimension).map { j =>
          if (v.itemValidity == null || v.itemValidity.isValid(j)) Some(items(j)) else None
        }
      }
    case v: PackedStructValues => v.children.map(contents).transpose
    case v: DictionaryValues =>
      val items = contents(v.items)
      v.indices.array.take(v.indices.numItems).toSeq.map(items(_))
  }
}
