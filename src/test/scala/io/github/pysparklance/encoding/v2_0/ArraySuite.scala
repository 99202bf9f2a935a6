// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}

/** Pages of version 2.0 given as bytes, read whole, value by value, and corrupted. */
abstract class ArraySuite extends AnyFunSuite {

  /** Returns bytes from hexadecimal digits; spaces and bars are ignored. */
  protected def hex(text: String): Array[Byte] =
    text.filterNot(c => c.isWhitespace || c == '|').grouped(2)
      .map(Integer.parseInt(_, 16).toByte).toArray

  protected def longs(values: Long*): Array[Byte] = {
    val out = new Array[Byte](8 * values.length)
    values.indices.foreach(i => Buffer.putLong(out, 8 * i, values(i)))
    out
  }

  protected def buffer(index: Int): pb.Buffer = pb.Buffer.newBuilder.setBufferIndex(index).build

  protected def flat(bits: Int, at: Int, scheme: String = ""): pb.ArrayEncoding = {
    val message = pb.Flat.newBuilder.setBitsPerValue(bits.toLong).setBuffer(buffer(at))
    if (scheme.nonEmpty) message.setCompression(pb.Compression.newBuilder.setScheme(scheme))
    pb.ArrayEncoding.newBuilder.setFlat(message).build
  }

  protected def noNulls(values: pb.ArrayEncoding): pb.ArrayEncoding = nullable(
    _.setNoNulls(pb.Nullable.NoNull.newBuilder.setValues(values))
  )

  protected def someNulls(validity: pb.ArrayEncoding, values: pb.ArrayEncoding): pb.ArrayEncoding =
    nullable(
      _.setSomeNulls(pb.Nullable.SomeNull.newBuilder.setValidity(validity).setValues(values))
    )

  protected def allNulls: pb.ArrayEncoding =
    nullable(_.setAllNulls(pb.Nullable.AllNull.getDefaultInstance))

  private def nullable(set: pb.Nullable.Builder => pb.Nullable.Builder): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder.setNullable(set(pb.Nullable.newBuilder)).build

  /** Indices in buffer 0, bytes in buffer 1. */
  protected def binary(adjustment: Long, indices: Int = 0, bytes: Int = 1): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder
      .setBinary(pb.Binary.newBuilder.setIndices(noNulls(flat(64, indices))).setBytes(flat(
        8,
        bytes
      ))
        .setNullAdjustment(adjustment))
      .build

  protected def page(numValues: Int, encoding: pb.ArrayEncoding, buffers: Array[Byte]*): ArrayPage =
    ArrayPage(numValues.toLong, encoding, buffers.toIndexedSeq)

  protected def utf8(text: String): Seq[Byte] = text.getBytes("UTF-8").toSeq

  /** Reads the values whole, one by one, and in other ranges. */
  protected def rows(
      page: ArrayPage,
      valueType: ValueType,
      isDictionary: Boolean = false
  ): IndexedSeq[Any] = {
    val n = page.numValues
    val whole = ArrayPages.read(page, valueType, Seq(RowRange(0, n)), isDictionary)
    assert(whole.length == n)
    val each = (0L until n).map(i => RowRange(i, i + 1))
    assert(ArrayPages.read(page, valueType, each, isDictionary) == whole, "one by one")
    val random = new Random(n)
    (1 to 5).foreach { _ =>
      val from = random.nextInt(n.toInt)
      val range = RowRange(from.toLong, from + 1L + random.nextInt(n.toInt - from))
      val found = ArrayPages.read(page, valueType, Seq(range), isDictionary, random)
      assert(found == whole.slice(from, range.until.toInt), s"$range")
    }
    checkDamage(page, valueType, isDictionary)
    whole
  }

  protected def rejected(
      page: ArrayPage,
      valueType: ValueType,
      isDictionary: Boolean = false
  ): String =
    intercept[CorruptFileException] {
      ArrayPages.read(page, valueType, Seq(RowRange(0, page.numValues)), isDictionary)
    }.getMessage

  protected def unsupported(page: ArrayPage, valueType: ValueType): String =
    intercept[UnsupportedFeatureException] {
      ArrayPages.read(page, valueType, Seq(RowRange(0, page.numValues)))
    }.getMessage

  /** Truncates every buffer at every position, and changes bytes of buffers and of the message.
    * Reads must return values or raise Lance errors.
    */
  protected def checkDamage(page: ArrayPage, valueType: ValueType, isDictionary: Boolean): Unit = {
    def attempt(damaged: ArrayPage): Unit =
      try
        ArrayPages.read(damaged, valueType, Seq(RowRange(0, damaged.numValues)), isDictionary): Unit
      catch {
        case _: CorruptFileException | _: UnsupportedFeatureException => ()
        // The file layer reports these as corruption, too.
        case _: IndexOutOfBoundsException | _: ArithmeticException => ()
      }
    val random = new Random(page.numValues)
    page.buffers.indices.foreach { b =>
      val bytes = page.buffers(b)
      val step = math.max(1, bytes.length / 50)
      bytes.indices.by(step).foreach(n =>
        attempt(page.copy(buffers = page.buffers.updated(b, bytes.take(n))))
      )
      bytes.indices.by(step).foreach { at =>
        val changed = bytes.clone()
        changed(at) = random.nextInt(256).toByte
        attempt(page.copy(buffers = page.buffers.updated(b, changed)))
      }
    }
    val message = page.encoding.toByteArray
    message.indices.by(math.max(1, message.length / 100)).foreach { at =>
      val changed = message.clone()
      changed(at) = (changed(at) ^ (1 << random.nextInt(8))).toByte
      val parsed =
        try Some(pb.ArrayEncoding.parseFrom(changed))
        catch { case _: com.google.protobuf.InvalidProtocolBufferException => None }
      parsed.foreach(e => attempt(page.copy(encoding = e)))
    }
    Seq(1L << 40, Long.MaxValue).foreach { n =>
      try {
        val decoder = ArrayPages.decoder(page.copy(numValues = n), valueType, isDictionary)
        // Values without bytes can have any number, and pages that are read whole are counted then.
        assert(decoder.head.nonEmpty || !decoder.takesBytes, s"$n values")
      } catch { case _: CorruptFileException => () }
    }
  }
}
