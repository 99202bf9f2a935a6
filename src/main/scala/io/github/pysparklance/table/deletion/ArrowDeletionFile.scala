// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.deletion

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder.LITTLE_ENDIAN

import com.github.luben.zstd.{Zstd, ZstdException}
import com.google.flatbuffers.FlatBufferBuilder
import net.jpountz.lz4.{LZ4Exception, LZ4FrameInputStream}
import org.apache.arrow.flatbuf.{
  Block,
  BodyCompression,
  Buffer => ArrowBuffer,
  CompressionType,
  Endianness,
  Field,
  FieldNode,
  Footer,
  Int => IntType,
  Message,
  MessageHeader,
  MetadataVersion,
  RecordBatch,
  Schema,
  Type
}

import io.github.pysparklance.core.{Buffer, Checked, CorruptFileException}

/** A deletion file with the suffix `.arrow`: an Arrow IPC file with one record batch of one column.
  *
  * {{{
  *   "ARROW1" 0 0 | schema message | batch message, body | footer | i32 footer length | "ARROW1"
  * }}}
  * The column `row_id` contains unsigned 32-bit row offsets in any order, without nulls. The body
  * has a validity buffer, which is empty or all ones, and the values. Each can be compressed with
  * ZSTD or LZ4. A compressed buffer starts with its plain length as an i64, or -1 for plain bytes.
  *
  * Read without Arrow vectors, which would need off-heap memory for a few thousand integers.
  *
  * Source: format page of the table, "Deletion files".
  */
private object ArrowDeletionFile {
  private val magic = "ARROW1".getBytes("US-ASCII")

  /** Writers store more than a few thousand rows as a bitmap. A compressed file of a few bytes
    * could declare any number.
    */
  private val maxRows = 1L << 24

  /** Returns the row offsets in the order of the file.
    *
    * @throws CorruptFileException if the bytes are not a valid file
    */
  def decode(bytes: Array[Byte]): Array[Int] =
    try decode(Buffer(bytes))
    catch {
      // Flatbuffers are read in place, so damage can cause any of these exceptions.
      case e @ (_: IndexOutOfBoundsException | _: NegativeArraySizeException |
          _: java.io.IOException | _: IllegalArgumentException |
          _: java.nio.BufferUnderflowException | _: ZstdException | _: LZ4Exception) =>
        throw new CorruptFileException("corrupt deletion file: not a valid Arrow file", cause = e)
    }

  private def check(condition: Boolean, problem: => String): Unit =
    CorruptFileException.check(condition, s"corrupt deletion file: $problem")

  private def decode(file: Buffer): Array[Int] = {
    check(
      file.length >= 20 && hasMagic(file, 0) && hasMagic(file, file.length - magic.length),
      "it does not have the magic bytes of an Arrow file"
    )
    val footerEnd = file.length - magic.length - 4
    val footerLength = file.i32(footerEnd)
    check(footerLength > 0 && footerLength <= footerEnd - 8, s"its footer has $footerLength bytes")
    val footer = Footer.getRootAsFooter(view(file, footerEnd - footerLength, footerLength))
    checkSchema(footer.schema())
    check(footer.recordBatchesLength == 1, s"it has ${footer.recordBatchesLength} record batches")
    val block = footer.recordBatches(0)
    val bodyAt = block.offset + block.metaDataLength
    val body = file.slice(bodyAt, block.bodyLength)
    decodeBatch(batch(file.slice(block.offset, block.metaDataLength.toLong)), body)
  }

  private def hasMagic(file: Buffer, at: Int): Boolean =
    magic.indices.forall(i => file.u8(at + i) == magic(i))

  private def view(file: Buffer, from: Int, length: Int): ByteBuffer =
    file.slice(from.toLong, length.toLong).toByteBuffer.order(LITTLE_ENDIAN)

  private def checkSchema(schema: Schema): Unit = {
    check(schema != null && schema.fieldsLength == 1, "its schema is not one column")
    val column = schema.fields(0)
    val isUInt32 = column.typeType == Type.Int && {
      val t = column.`type`(new IntType).asInstanceOf[IntType]
      t != null && t.bitWidth == 32 && !t.isSigned
    }
    check(isUInt32, "its column does not have the type uint32")
  }

  private def batch(metadata: Buffer): RecordBatch = {
    // Older files have no marker before the length.
    val lengthAt = if (metadata.i32(0) == -1) 4 else 0
    val message =
      Message.getRootAsMessage(view(metadata, lengthAt + 4, metadata.length - lengthAt - 4))
    check(
      message.headerType == MessageHeader.RecordBatch,
      "its block does not contain a record batch"
    )
    val batch = message.header(new RecordBatch).asInstanceOf[RecordBatch]
    check(
      batch != null && batch.nodesLength == 1 && batch.buffersLength == 2,
      "its batch is not one column"
    )
    batch
  }

  private def decodeBatch(batch: RecordBatch, body: Buffer): Array[Int] = {
    val numRows = batch.length
    check(numRows >= 0 && numRows <= maxRows, s"its batch has $numRows rows")
    check(batch.nodes(0).nullCount == 0, s"${batch.nodes(0).nullCount} of its offsets are null")
    val values = batch.buffers(1)
    val stored = body.slice(values.offset, values.length)
    val plain =
      if (stored.length == 0) stored
      else
        Option(batch.compression).fold(stored)(c => decompress(c, stored, numRows * 4))
    check(
      plain.length >= numRows * 4,
      s"its $numRows offsets take ${plain.length} bytes"
    )
    val offsets = new Array[Int](Checked.int(numRows, "rows of the deletion file"))
    plain.copyInts(0, offsets, 0, offsets.length)
    offsets
  }

  private def decompress(how: BodyCompression, stored: Buffer, expectedBytes: Long): Buffer = {
    val length = stored.i64(0)
    val rest = stored.slice(8, stored.length - 8L)
    if (length == -1) rest
    else {
      // Writers may pad the values to Arrow's alignment.
      check(
        length >= expectedBytes && length <= expectedBytes + 64,
        s"its compressed buffer declares $length bytes, but its rows take $expectedBytes"
      )
      val out = new Array[Byte](Checked.int(length, "bytes of the deletion file"))
      val done = how.codec match {
        case CompressionType.ZSTD =>
          // Error codes are not valid lengths either.
          Zstd.decompressByteArray(out, 0, out.length, rest.array, rest.offset, rest.length)
        case CompressionType.LZ4_FRAME =>
          val in = new LZ4FrameInputStream(
            new java.io.ByteArrayInputStream(rest.array, rest.offset, rest.length)
          )
          in.readNBytes(out, 0, out.length).toLong
        case codec => throw new CorruptFileException(s"corrupt deletion file: codec $codec")
      }
      check(done == out.length, s"its compressed buffer has $done bytes, but declares $length")
      Buffer(out)
    }
  }

  /** Encodes a deletion file without compression.
    *
    * @param offsets unsigned and distinct
    */
  def encode(offsets: Array[Int]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    out.write(magic)
    out.write(new Array[Byte](alignment - magic.length))
    writeMessage(out, schemaMessage)
    val blockAt = out.size
    val valuesBytes = aligned(offsets.length * 4)
    writeMessage(out, batchMessage(offsets.length, valuesBytes))
    val metadataBytes = out.size - blockAt
    val values = new Array[Byte](valuesBytes)
    offsets.indices.foreach(i => Buffer.putInt(values, i * 4, offsets(i)))
    out.write(values)
    val end = new Array[Byte](8)
    Buffer.putInt(end, 0, -1)
    out.write(end)
    val footer = footerMessage(blockAt.toLong, metadataBytes, valuesBytes.toLong)
    out.write(footer)
    val length = new Array[Byte](4)
    Buffer.putInt(length, 0, footer.length)
    out.write(length)
    out.write(magic)
    out.toByteArray
  }

  private val alignment = 8

  private def aligned(bytes: Int): Int = (bytes + alignment - 1) / alignment * alignment

  /** Writes a marker, the length of the padded message, and the message. */
  private def writeMessage(out: ByteArrayOutputStream, message: Array[Byte]): Unit = {
    val head = new Array[Byte](8)
    Buffer.putInt(head, 0, -1)
    Buffer.putInt(head, 4, aligned(message.length))
    out.write(head)
    out.write(message)
    out.write(new Array[Byte](aligned(message.length) - message.length))
  }

  private def schemaMessage: Array[Byte] = {
    val b = new FlatBufferBuilder
    val schema = writeSchema(b)
    b.finish(Message.createMessage(b, MetadataVersion.V5, MessageHeader.Schema, schema, 0L, 0))
    b.sizedByteArray
  }

  private def writeSchema(b: FlatBufferBuilder): Int = {
    val name = b.createString("row_id")
    val uint32 = IntType.createInt(b, 32, false)
    val children = Field.createChildrenVector(b, Array.emptyIntArray)
    val column = Field.createField(b, name, false, Type.Int, uint32, 0, children, 0)
    val columns = Schema.createFieldsVector(b, Array(column))
    Schema.createSchema(b, Endianness.Little, columns, 0, 0)
  }

  private def batchMessage(numRows: Int, valuesBytes: Int): Array[Byte] = {
    val b = new FlatBufferBuilder
    RecordBatch.startBuffersVector(b, 2)
    // Written back to front: the values, and before them an empty validity buffer.
    ArrowBuffer.createBuffer(b, 0L, valuesBytes.toLong)
    ArrowBuffer.createBuffer(b, 0L, 0L)
    val buffers = b.endVector()
    RecordBatch.startNodesVector(b, 1)
    FieldNode.createFieldNode(b, numRows.toLong, 0L)
    val nodes = b.endVector()
    RecordBatch.startRecordBatch(b)
    RecordBatch.addLength(b, numRows.toLong)
    RecordBatch.addNodes(b, nodes)
    RecordBatch.addBuffers(b, buffers)
    val batch = RecordBatch.endRecordBatch(b)
    b.finish(
      Message.createMessage(
        b,
        MetadataVersion.V5,
        MessageHeader.RecordBatch,
        batch,
        valuesBytes.toLong,
        0
      )
    )
    b.sizedByteArray
  }

  private def footerMessage(blockAt: Long, metadataBytes: Int, bodyBytes: Long): Array[Byte] = {
    val b = new FlatBufferBuilder
    val schema = writeSchema(b)
    Footer.startDictionariesVector(b, 0)
    val dictionaries = b.endVector()
    Footer.startRecordBatchesVector(b, 1)
    Block.createBlock(b, blockAt, metadataBytes, bodyBytes)
    val blocks = b.endVector()
    b.finish(Footer.createFooter(b, MetadataVersion.V5, schema, dictionaries, blocks, 0))
    b.sizedByteArray
  }
}
