// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.io.ByteArrayOutputStream

import scala.collection.mutable
import scala.util.Random

import com.google.protobuf.{Any => ProtobufAny, ByteString}

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_0.ColumnEncoding
import io.github.pysparklance.encoding.v2_0.{ArrayPage, ArrayWriter}
import io.github.pysparklance.file.metadata.{FieldMessages, FileVersion, Footer}
import io.github.pysparklance.file.proto.FileDescriptor
import io.github.pysparklance.file.proto.v2.{
  ColumnMetadata => ColumnMessage,
  DirectEncoding,
  Encoding
}

/** Writes files of version 2.0 for tests, with page boundaries and buffers anywhere, and pages in
  * every encoding.
  *
  * @param isEarly whether strings are lists of bytes in two columns, as in the first releases
  */
final class ArrayFileWriter(random: Random, isEarly: Boolean = false) {
  private val arrays = new ArrayWriter(random)
  private val columns = mutable.ArrayBuffer.empty[IndexedSeq[ArrayPage]]
  private val columnOf = mutable.Map.empty[Int, Int]

  /** Adds a top-level field, and returns its columns. */
  def add(field: Field, column: Column): spi.FieldProjection = {
    append(field, column, 0, column.numRows)
    spi.FieldProjection(field, id => columnOf.get(id))
  }

  private def append(field: Field, column: Column, from: Int, count: Int): Unit = {
    val index = columns.length
    columnOf(field.id) = index
    columns += IndexedSeq.empty
    (field.logicalType, column) match {
      case (LogicalType.Struct, StructColumn(_, children, _)) if !field.isPacked =>
        val header = io.github.pysparklance.encoding.proto.v2_0.ArrayEncoding.newBuilder
        header.setStruct(
          io.github.pysparklance.encoding.proto.v2_0.SimpleStruct.getDefaultInstance
        ): Unit
        columns(index) = IndexedSeq(ArrayPage(count.toLong, header.build, IndexedSeq.empty))
        field.children.zip(children).foreach { case (f, c) => append(f, c, from, count) }
      case (LogicalType.List(_, _), ListColumn(_, offsets, items, validity)) =>
        columns(index) = pages(from, count)(arrays.lists(offsets, validity, _, _))
        append(field.children.head, items, offsets(from), offsets(from + count) - offsets(from))
      case (_, LeafColumn(values: BinaryValues, validity)) if isEarly =>
        columns(index) = pages(from, count)(arrays.lists(values.offsets, validity, _, _))
        val bytes = new ByteValues
        val first = values.offsets(from)
        val n = values.offsets(from + count) - first
        val to = bytes.extend(n)
        System.arraycopy(values.bytes, first, bytes.array, to, n)
        columns += pages(
          0,
          n
        )(arrays.values(bytes, null, _, _, FixedWidth(8), isDictionary = false))
      case (logicalType, LeafColumn(values, validity)) =>
        val isDictionary = logicalType.isInstanceOf[LogicalType.Dictionary]
        columns(index) =
          pages(from, count)(arrays.values(values, validity, _, _, field.valueType, isDictionary))
      case other => throw new IllegalArgumentException(other.toString)
    }
  }

  /** Splits slots into pages of a few slots each, some of them empty. */
  private def pages(from: Int, count: Int)(page: (Int, Int) => ArrayPage): IndexedSeq[ArrayPage] = {
    val made = IndexedSeq.newBuilder[ArrayPage]
    val longest = 1 + random.nextInt(math.max(1, count))
    var at = 0
    while (at < count) {
      val n = math.min(count - at, 1 + random.nextInt(longest))
      made += page(from + at, n)
      if (random.nextInt(10) == 0) made += page(from + at, 0)
      at += n
    }
    made.result()
  }

  /** Returns the bytes of the file. */
  def file(): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val messages = columns.toIndexedSeq.map { pages =>
      val column = ColumnMessage.newBuilder.setEncoding(direct(
        "/lance.encodings.ColumnEncoding",
        ColumnEncoding.newBuilder.setValues(
          com.google.protobuf.Empty.getDefaultInstance
        ).build.toByteString
      ))
      pages.foreach { page =>
        val message = ColumnMessage.Page.newBuilder
          .setLength(page.numValues)
          .setEncoding(wrap(page.wrapped))
        page.buffers.foreach { b =>
          out.writeBytes(Array.fill(random.nextInt(5))(0x48.toByte))
          message.addBufferOffsets(out.size.toLong).addBufferSizes(b.length.toLong)
          out.writeBytes(b)
        }
        column.addPages(message)
      }
      column.build
    }
    val descriptorStart = out.size
    val descriptor = FileDescriptor.newBuilder
      .setSchema(FieldMessages.toMessage(Schema(IndexedSeq.empty))).build.toByteArray
    out.writeBytes(descriptor)
    val a = out.size
    val ranges = messages.map { m =>
      val at = out.size
      out.writeBytes(m.toByteArray)
      (at.toLong, out.size.toLong - at)
    }
    val b = out.size
    (ranges :+ ((descriptorStart.toLong, descriptor.length.toLong))).foreach { case (at, length) =>
      val entry = new Array[Byte](16)
      Buffer.putLong(entry, 0, at)
      Buffer.putLong(entry, 8, length)
      out.writeBytes(entry)
    }
    val footer =
      Footer(a.toLong, b.toLong, b + 16L * columns.length, 1, columns.length, FileVersion.V2_0)
    out.writeBytes(footer.toBytes)
    out.toByteArray
  }

  private def direct(url: String, message: ByteString): Encoding =
    wrap(ProtobufAny.newBuilder.setTypeUrl(url).setValue(message).build.toByteArray)

  private def wrap(any: Array[Byte]): Encoding =
    Encoding.newBuilder.setDirect(
      DirectEncoding.newBuilder.setEncoding(ByteString.copyFrom(any))
    ).build
}
