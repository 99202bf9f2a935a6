// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.google.protobuf.{ByteString, MessageLite}

import io.github.pysparklance.Version
import io.github.pysparklance.core._
import io.github.pysparklance.encoding.v0_1.{Dictionary, Plain}
import io.github.pysparklance.file.proto
import io.github.pysparklance.file.spi.{DataFileSummary, FileWriter, OutputGuard, WriteBudget}
import io.github.pysparklance.storage.spi.OutputFile

/** Writes a data file of version 0.1. Rows are buffered into batches, and every field has one page
  * per batch.
  *
  * This version represents nulls of strings, binaries, and the null type only. Other nulls, and
  * empty strings in nullable fields, are rejected, because they would be read as other values.
  *
  * Source: format page of the legacy format, "Byte map" and "Reading and writing"; see [[Metadata]]
  * for the file layout.
  *
  * @param output a new file; owned by the writer
  * @param schema all fields have ids
  * @param fieldMessages converts a schema to the fields of a manifest
  * @param dictionaries dictionaries of the table, by field id, which the file must use; other
  *   fields get a dictionary of the written values
  * @param batchRows rows of a batch, except the last; fewer if they are large
  * @param batchEnds end row of each batch, if they must be the batches of another file; empty for
  *   batches of `batchRows`
  * @throws UnsupportedFeatureException for a type that this version does not support
  */
final private[file] class LegacyFileWriter(
    output: OutputFile,
    schema: Schema,
    fieldMessages: Schema => IndexedSeq[proto.Field],
    budget: WriteBudget,
    dictionaries: Map[Int, Dictionary.Items] = Map.empty,
    batchRows: Int = LegacyFileWriter.maxBatchRows,
    batchEnds: IndexedSeq[Int] = IndexedSeq.empty
) extends FileWriter {
  import LegacyFileWriter._

  private val pages = new PageSink(output)
  private val statistics = mutable.ArrayBuffer.empty[StatisticsBuilder]
  private val dictionaryBuffers = mutable.ArrayBuffer.empty[FieldBuffer.DictionaryBuffer]
  private val guard = new OutputGuard(output)
  private var rows = 0L
  private var rowsInBatch = 0
  private val batchOffsets = mutable.ArrayBuffer(0)

  private val fields: IndexedSeq[FieldBuffer] = guard.step {
    if (schema.fields.isEmpty)
      throw new UnsupportedFeatureException(
        "a data file of version 0.1 without columns; write a later file version"
      )
    schema.flatten.foreach(checkField)
    schema.fields.map(buffer(_, hasStatistics = true))
  }

  def numRows: Long = rows

  def bufferedBytes: Long = fields.iterator.map(_.sizeInBytes).sum

  def writtenBytes: Long = output.position

  def write(batch: IndexedSeq[Column], numRows: Int): Unit = guard.step {
    if (batch.length != fields.length || batch.exists(_.numRows != numRows))
      throw new InvalidRequestException(
        s"${batch.length} columns of ${batch.map(_.numRows).distinct.mkString(", ")} rows, expected " +
          s"${fields.length} of $numRows"
      )
    if (rows + numRows > Int.MaxValue)
      throw new UnsupportedFeatureException(
        s"a data file of version 0.1 with ${rows + numRows} rows; lower maxRowsPerFile"
      )
    var from = 0
    while (from < numRows) {
      val room =
        batchEnds.lift(batchOffsets.length - 1).fold(batchRows - rowsInBatch)(_ - rows.toInt)
      val count = math.min(numRows - from, room)
      fields.indices.foreach(i => fields(i).append(batch(i), from, count))
      rowsInBatch += count
      rows += count
      from += count
      if (count == room || (batchEnds.isEmpty && bufferedBytes >= budget.totalBytes / 4)) flush()
    }
  }

  private def flush(): Unit = if (rowsInBatch > 0) {
    fields.foreach(f => Place.in(Place(column = Some(f.field.name)))(f.flush(pages)))
    batchOffsets += rows.toInt
    rowsInBatch = 0
  }

  def finish(): DataFileSummary = guard.step {
    flush()
    val ids = schema.flatten.map(_.id).sorted
    val pageTable = pages.writeTable(ids.head, ids.last, batchOffsets.length - 1)
    val metadata = proto.Metadata
      .newBuilder()
      .setPageTablePosition(pageTable)
      .addAllBatchOffsets(batchOffsets.map(Int.box).asJava)
    if (rows > 0 && statistics.nonEmpty) metadata.setStatistics(writeStatistics())
    metadata.setManifestPosition(append(manifest(writeDictionaries())))
    val position = append(metadata.build())
    output.write(footer(position))
    val size = output.position
    guard.close()
    DataFileSummary(output.path, rows, size, ids, IndexedSeq.empty)
  }

  /** Writes the statistics as one batch, with a row for each batch of the file. */
  private def writeStatistics(): proto.StatisticsMetadata = {
    val ordered = statistics.sortBy(_.field.id)
    val sink = new PageSink(output)
    val fields = ordered.indices.map { i =>
      val b = ordered(i)
      val id = i * 4
      val count = Field(id + 1, "null_count", LogicalType.Integer(64, signed = true), false)
      val min = Field(id + 2, "min_value", b.field.logicalType, nullable = true)
      val max = Field(id + 3, "max_value", b.field.logicalType, nullable = true)
      write(sink, count, b.nullCounts)
      write(sink, min, b.min)
      write(sink, max, b.max)
      val children = IndexedSeq(count, min, max)
      Field(id, b.field.id.toString, LogicalType.Struct, nullable = false, children)
    }
    val messages = fieldMessages(Schema(fields))
    proto.StatisticsMetadata
      .newBuilder()
      .addAllSchema(messages.asJava)
      .addAllFields(messages.map(m => Int.box(m.getId)).asJava)
      .setPageTablePosition(sink.writeTable(0, messages.length - 1, 1))
      .build()
  }

  private def write(sink: PageSink, field: Field, values: Values): Unit = values match {
    case v: BinaryValues => sink.writeVarBinary(field.id, v)
    case v => sink.write(field.id, Plain.encode(field.valueType, v), v.numItems.toLong)
  }

  /** Writes the dictionaries, and returns their positions by field. */
  private def writeDictionaries(): Map[Int, proto.Dictionary] =
    dictionaryBuffers
      .sortBy(_.field.id)
      .map { buffer =>
        val values = buffer.items.values
        val position = values match {
          case v: BinaryValues => pages.varBinary(v)
          case v =>
            val at = output.position
            output.write(Plain.encode(buffer.field.valueType, v))
            at
        }
        val message = proto.Dictionary.newBuilder().setOffset(position)
        buffer.field.id -> message.setLength(values.numItems.toLong).build()
      }
      .toMap

  private def manifest(dictionaries: Map[Int, proto.Dictionary]): proto.FileManifest = {
    val message = proto.FileManifest
      .newBuilder()
      .setVersion(1)
      .setWriterVersion(
        proto.FileManifest.WriterVersion.newBuilder().setLibrary("pyspark-lance").setVersion(
          Version.current.takeWhile(c => c.isDigit || c == '.')
        )
      )
      .setDataFormat(
        proto.FileManifest.DataStorageFormat.newBuilder().setFileFormat("lance").setVersion(
          "0.1"
        )
      )
    fieldMessages(schema).foreach { field =>
      message.addFields(
        dictionaries.get(field.getId).fold(field)(field.toBuilder.setDictionary(_).build())
      )
    }
    schema.metadata.foreach { case (k, v) =>
      message.putSchemaMetadata(k, ByteString.copyFromUtf8(v))
    }
    message.build()
  }

  private def append(message: MessageLite): Long = {
    val position = output.position
    val length = new Array[Byte](4)
    Buffer.putInt(length, 0, message.getSerializedSize)
    output.write(length)
    output.write(message.toByteArray)
    position
  }

  def abort(): Unit = guard.abort()

  /** Creates the buffer of a field. Only fields outside of lists have statistics, because readers
    * use no others.
    */
  private def buffer(field: Field, hasStatistics: Boolean): FieldBuffer = {
    import LogicalType.{Dictionary => _, _}
    def newStatistics(): StatisticsBuilder =
      if (!hasStatistics || !StatisticsBuilder.isSupported(field.logicalType)) null
      else {
        val builder = new StatisticsBuilder(field)
        statistics += builder
        builder
      }
    field.logicalType match {
      case Struct =>
        new FieldBuffer.StructBuffer(field, field.children.map(buffer(_, hasStatistics)))
      case Null => new FieldBuffer.NullBuffer(field)
      case Utf8(_) | Binary(_) | Json => new FieldBuffer.VarBinaryBuffer(field, newStatistics())
      case LogicalType.List(large, _) =>
        new FieldBuffer.ListBuffer(field, large, buffer(field.children.head, hasStatistics = false))
      case LogicalType.Dictionary(_, index: Integer, _) =>
        val known = dictionaries.get(field.id)
        val items = known.getOrElse(Dictionary.Items(Values.allocate(field.valueType), null))
        val keys = new Dictionary.Keys(items, index, mayGrow = known.isEmpty)
        val own = new FieldBuffer.DictionaryBuffer(field, index, keys)
        dictionaryBuffers += own
        own
      case _ => new FieldBuffer.PlainBuffer(field, newStatistics())
    }
  }
}

private object LegacyFileWriter {

  /** Maximum rows of a batch. Readers fetch and skip whole batches, so a batch has several thousand
    * rows.
    */
  val maxBatchRows: Int = 8192

  /** "LANC" */
  private val magic = 0x434e414c

  private def footer(position: Long): Array[Byte] = {
    val bytes = new Array[Byte](Metadata.footerBytes)
    Buffer.putLong(bytes, 0, position)
    Buffer.putShort(bytes, 8, 0)
    Buffer.putShort(bytes, 10, 2)
    Buffer.putInt(bytes, 12, magic)
    bytes
  }

  private def checkField(field: Field): Unit = Place.in(Place(column = Some(field.name))) {
    import LogicalType._
    def reject(what: String): Nothing =
      throw new UnsupportedFeatureException(s"$what in a data file of version 0.1")
    if (field.id < 0) throw new InvalidRequestException(s"the field '${field.name}' has no id")
    field.logicalType match {
      case _ if field.isBlob => reject("blobs")
      case LogicalType.Map | FixedSizeList(Struct, _) | BFloat16 =>
        reject(LogicalType.text(field.logicalType))
      case Struct if field.children.isEmpty => reject("structs without fields")
      case LogicalType.Dictionary(Utf8(_) | Binary(_) | Integer(_, _), Integer(_, _), _) => ()
      case LogicalType.Dictionary(value, _, _) => reject(s"dictionaries of ${text(value)}")
      case _ => ()
    }
  }
}
