// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.mutation

import java.io.ByteArrayOutputStream
import java.nio.{ByteBuffer, ByteOrder}

import scala.util.Random

import com.google.protobuf.{Any => ProtobufAny, Message}

import io.github.pysparklance.encoding.proto.{v2_0, v2_1, v2_3}
import io.github.pysparklance.file.proto
import io.github.pysparklance.file.proto.v2.{ColumnMetadata, DirectEncoding, Encoding}

/** Mutates the parts of a data file of any version.
  *
  * Each method returns the new bytes and a description of the change; none if the file has no such
  * part.
  */
sealed trait DataFileBytes {
  type Change = Option[(Array[Byte], String)]

  def footer(random: Random): Change
  def metadata(random: Random): Change
  def pageDescription(random: Random): Change
  def page(random: Random): Change
}

object DataFileBytes {
  def apply(bytes: Array[Byte]): DataFileBytes = {
    val version = little(bytes)
    val (major, minor) = (version.getShort(bytes.length - 8), version.getShort(bytes.length - 6))
    if (major == 0 && minor < 3) new LegacyFileBytes(bytes) else new ContainerFileBytes(bytes)
  }

  private[mutation] def little(bytes: Array[Byte]): ByteBuffer =
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)

  /** Changes a number of 2, 4, or 8 bytes. */
  private[mutation] def number(
      bytes: Array[Byte],
      at: Int,
      width: Int,
      random: Random
  ): (Array[Byte], String) = {
    val out = bytes.clone()
    val view = little(out)
    val before = width match {
      case 2 => view.getShort(at).toLong
      case 4 => view.getInt(at).toLong
      case _ => view.getLong(at)
    }
    val now = MessageMutation.number(before, width * 8, random)
    width match {
      case 2 => view.putShort(at, now.toShort): Unit
      case 4 => view.putInt(at, now.toInt): Unit
      case _ => view.putLong(at, now): Unit
    }
    (out, s"byte $at: $before -> $now")
  }

  /** Changes some bytes of `[from, from + length)`, preferably near the start. */
  private[mutation] def some(
      bytes: Array[Byte],
      from: Int,
      length: Int,
      random: Random
  ): (Array[Byte], String) = {
    val within = if (random.nextInt(3) == 0) math.min(length, 24) else length
    val at = from + random.nextInt(within)
    val left = from + length - at
    random.nextInt(6) match {
      case 0 if left >= 8 => number(bytes, at, 8, random)
      case 1 if left >= 4 => number(bytes, at, 4, random)
      case 2 if left >= 2 => number(bytes, at, 2, random)
      case n =>
        val out = bytes.clone()
        val count = if (n == 3) math.min(left, 1 + random.nextInt(32)) else 1
        val value = random.nextInt(3) match {
          case 0 => 0
          case 1 => 0xff
          case _ => random.nextInt(256)
        }
        (at until at + count).foreach { i =>
          out(i) = (if (n == 4) out(i) ^ (1 << random.nextInt(8)) else value).toByte
        }
        (out, s"bytes [$at, ${at + count}) changed")
    }
  }
}

/** A file of version 2.x: pages, column metadata, two tables, footer. */
final private class ContainerFileBytes(bytes: Array[Byte]) extends DataFileBytes {
  import DataFileBytes._

  private val footerAt = bytes.length - 40
  private val view = little(bytes)
  private val metadataStart = view.getLong(footerAt).toInt
  private val tableStart = view.getLong(footerAt + 8).toInt
  private val globalStart = view.getLong(footerAt + 16).toInt
  private val columns: IndexedSeq[ColumnMetadata] =
    (0 until view.getInt(footerAt + 28)).map { c =>
      val at = view.getLong(tableStart + c * 16).toInt
      val length = view.getLong(tableStart + c * 16 + 8).toInt
      ColumnMetadata.parseFrom(bytes.slice(at, at + length))
    }

  /** Changes positions, counts, the version, or the tables before the footer. */
  def footer(random: Random): Change = {
    val tableWords = (footerAt - tableStart) / 8
    Some(random.nextInt(12) match {
      case n if n < 6 => number(bytes, footerAt + n % 3 * 8, 8, random)
      case n if n < 8 => number(bytes, footerAt + 24 + n % 2 * 4, 4, random)
      case n if n < 10 => number(bytes, footerAt + 32 + n % 2 * 2, 2, random)
      case _ => number(bytes, tableStart + 8 * random.nextInt(tableWords), 8, random)
    })
  }

  def metadata(random: Random): Change =
    if (columns.isEmpty) None
    else {
      val c = random.nextInt(columns.length)
      val (changed, what) = MessageMutation(columns(c), random)
      Some((withColumn(c, changed.asInstanceOf[ColumnMetadata]), s"column $c: $what"))
    }

  def pageDescription(random: Random): Change = {
    val places = for {
      c <- columns.indices
      p <- -1 until columns(c).getPagesCount
      if p >= 0 || random.nextInt(4) == 0
    } yield (c, p)
    if (places.isEmpty) None
    else {
      val (c, p) = places(random.nextInt(places.length))
      val column = columns(c).toBuilder
      val encoding = if (p < 0) column.getEncoding else column.getPages(p).getEncoding
      val (changed, what) = description(encoding, random)
      if (p < 0) column.setEncoding(changed) else column.getPagesBuilder(p).setEncoding(changed)
      Some((withColumn(c, column.build()), s"column $c, page $p: $what"))
    }
  }

  private def description(encoding: Encoding, random: Random): (Encoding, String) = {
    val any = ProtobufAny.parseFrom(encoding.getDirect.getEncoding)
    val inner: Message = any.getTypeUrl match {
      case url if url.endsWith("lance.encodings21.PageLayout") =>
        v2_1.PageLayout.parseFrom(any.getValue)
      case url if url.endsWith("lance.encodings23.PlanarLayout") =>
        v2_3.PlanarLayout.parseFrom(any.getValue)
      case url if url.endsWith("lance.encodings.ArrayEncoding") =>
        v2_0.ArrayEncoding.parseFrom(any.getValue)
      case _ => v2_0.ColumnEncoding.parseFrom(any.getValue)
    }
    val (changed, what) = MessageMutation(inner, random)
    val wrapped = any.toBuilder.setValue(changed.toByteString).build().toByteString
    val direct = DirectEncoding.newBuilder().setEncoding(wrapped)
    (encoding.toBuilder.setDirect(direct).build(), what)
  }

  def page(random: Random): Change = {
    val buffers = for {
      c <- columns
      p <- 0 until c.getPagesCount
      b <- 0 until c.getPages(p).getBufferSizesCount
      if c.getPages(p).getBufferSizes(b) > 0
    } yield (c.getPages(p).getBufferOffsets(b).toInt, c.getPages(p).getBufferSizes(b).toInt)
    if (buffers.isEmpty) None
    else {
      val (offset, size) = buffers(random.nextInt(buffers.length))
      Some(some(bytes, offset, size, random))
    }
  }

  /** Returns the file with the metadata of one column replaced, and all positions adjusted. */
  private def withColumn(index: Int, message: ColumnMetadata): Array[Byte] = {
    val out = new ByteArrayOutputStream
    out.write(bytes, 0, metadataStart)
    val positions = columns.indices.map { c =>
      val at = out.size
      (if (c == index) message else columns(c)).writeTo(out)
      (at, out.size - at)
    }
    val tail = little(new Array[Byte](columns.length * 16 + (footerAt - globalStart) + 40))
    val tablesAt = out.size
    positions.foreach { case (at, length) => tail.putLong(at.toLong).putLong(length.toLong) }
    val globalsAt = tablesAt + columns.length * 16
    tail.put(bytes, globalStart, footerAt - globalStart)
    tail.putLong(metadataStart.toLong).putLong(tablesAt.toLong).putLong(globalsAt.toLong)
    tail.put(bytes, footerAt + 24, 16): Unit
    out.write(tail.array, 0, tail.capacity)
    out.toByteArray
  }
}

/** A file of version 0.1: pages, page table, messages, footer. */
final private class LegacyFileBytes(bytes: Array[Byte]) extends DataFileBytes {
  import DataFileBytes._

  private val footerAt = bytes.length - 16
  private val view = little(bytes)
  private val messageAt = view.getLong(footerAt).toInt
  private val message = {
    val length = view.getInt(messageAt)
    proto.Metadata.parseFrom(bytes.slice(messageAt + 4, messageAt + 4 + length))
  }
  private val pageTableAt = message.getPageTablePosition.toInt
  private val tableEnd =
    if (message.getManifestPosition > pageTableAt) message.getManifestPosition.toInt else messageAt

  def footer(random: Random): Change = Some(
    if (random.nextInt(3) > 0) number(bytes, footerAt, 8, random)
    else number(bytes, footerAt + 8 + 2 * random.nextInt(2), 2, random)
  )

  def metadata(random: Random): Change = {
    val (changed, what) = MessageMutation(message, random)
    val out = new ByteArrayOutputStream
    out.write(bytes, 0, messageAt)
    val length = little(new Array[Byte](4)).putInt(changed.getSerializedSize)
    out.write(length.array, 0, 4)
    changed.writeTo(out)
    out.write(bytes, footerAt, 16)
    Some((out.toByteArray, what))
  }

  /** Changes the page table, which is the only description of pages. */
  def pageDescription(random: Random): Change = {
    val words = (tableEnd - pageTableAt) / 8
    if (words <= 0) None
    else Some(number(bytes, pageTableAt + 8 * random.nextInt(words), 8, random))
  }

  def page(random: Random): Change =
    if (pageTableAt <= 0) None else Some(some(bytes, 0, pageTableAt, random))
}
