// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import java.util.Arrays

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFileWriter
import io.github.pysparklance.index.spi.NewSegment
import io.github.pysparklance.index.text.segment.Documents

/** Writes the files of a partition, see `StoredPartition`. Not thread-safe.
  *
  * @param documents the documents
  */
final private[build] class PartitionWriter(
    into: NewSegment,
    id: Long,
    format: SegmentFormat,
    documents: Documents
) extends AutoCloseable {
  import PartitionWriter._

  private val name = s"part_${id}_invert.lance"
  private val encoder = new PostingEncoder(format, documents.lengths)
  private val writer: DescribedFileWriter = into.create(name, encoder.fields)
  private val tokens = new FstBuilder
  private var tokenBytes = 0L

  /** Adds a token with its documents. Tokens must ascend by bytes. */
  def add(token: Array[Byte], term: TermDocs): Unit = {
    tokens.add(token)
    tokenBytes += token.length
    encoder.add(term)
    if (encoder.numBytes >= batchBytes || encoder.numTokens >= batchTokens) flush()
  }

  private def flush(): Unit = if (encoder.numTokens > 0) {
    writer.write(encoder.columns, encoder.numTokens)
    encoder.clear()
  }

  /** Finishes the files. */
  def finish(): Unit = {
    flush()
    format.ofPostings.foreach { case (key, value) => writer.describe(key, value) }
    into.finish(name, writer)
    write(s"part_${id}_docs.lance", documentFields(format.hasElements))(writeDocuments)
    write(s"part_${id}_tokens.lance", tokenFields)(writeTokens)
  }

  private def write(file: String, fields: IndexedSeq[Field])(
      content: DescribedFileWriter => Unit
  ): Unit = {
    val out = into.create(file, fields)
    try {
      content(out)
      into.finish(file, out)
    } finally out.close()
  }

  private def writeDocuments(out: DescribedFileWriter): Unit = {
    val ids = new LongValues
    val counts = new IntValues
    val elements = new IntValues
    val columns = Seq(ids, counts) ++ (if (format.hasElements) Seq(elements) else Nil)
    documents.rows.indices.grouped(batchRows).foreach { batch =>
      columns.foreach(_.clear())
      batch.foreach { i =>
        ids.append(documents.rows(i))
        counts.append(documents.lengths(i))
        if (format.hasElements) elements.append(documents.elements(i))
      }
      out.write(columns.map(LeafColumn(_, null)).toIndexedSeq, batch.length)
    }
    out.describe("total_tokens", documents.lengths.iterator.map(_.toLong).sum.toString)
  }

  private def writeTokens(out: DescribedFileWriter): Unit = {
    val bytes = tokens.result()
    val fst = new BinaryValues
    fst.append(bytes, 0, bytes.length)
    val next = new IntValues
    next.append(tokens.numTokens)
    val total = new LongValues
    total.append(tokenBytes)
    out.write(IndexedSeq(LeafColumn(fst, null), LeafColumn(next, null), LeafColumn(total, null)), 1)
  }

  def close(): Unit = writer.close()
}

private[build] object PartitionWriter {

  /** Writes a partition.
    *
    * @param addTokens adds the tokens
    */
  def writeAll(
      into: NewSegment,
      id: Long,
      format: SegmentFormat,
      documents: NewDocuments
  )(addTokens: PartitionWriter => Unit): Unit = {
    val writer = new PartitionWriter(into, id, format, documents.result(format.hasElements))
    try {
      addTokens(writer)
      writer.finish()
    } finally writer.close()
  }

  private val batchBytes = 4L << 20
  private val batchTokens = 1 << 16
  private val batchRows = 1 << 16

  private def documentFields(hasElements: Boolean): IndexedSeq[Field] =
    IndexedSeq(NewSegment.unsigned("_rowid", 64), NewSegment.unsigned("_num_tokens", 32)) ++
      (if (hasElements) Seq(NewSegment.unsigned("_doc_index_0", 32)) else Nil)

  private val tokenFields: IndexedSeq[Field] = IndexedSeq(
    Field(0, "_token_fst_bytes", LogicalType.Binary(large = true), nullable = false),
    NewSegment.unsigned("_token_next_id", 32),
    NewSegment.unsigned("_token_total_length", 64)
  )
}

/** The documents of a new partition.
  *
  * @param rows rows of the documents, as the segment stores them
  * @param lengths lengths of the documents
  * @param elements positions in the lists of the rows, if documents are list elements
  */
final private[build] class NewDocuments(rows: LongValues, lengths: IntValues, elements: IntValues) {

  def result(hasElements: Boolean): Documents = new Documents(
    Arrays.copyOf(rows.array, rows.numItems),
    Arrays.copyOf(lengths.array, lengths.numItems),
    if (hasElements) Arrays.copyOf(elements.array, elements.numItems) else null
  )
}
