// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.collection.mutable

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFileWriter
import io.github.pysparklance.index.postings._
import io.github.pysparklance.index.spi._

/** Writes a file of postings. Keys must be distinct and ascend; keys without rows are skipped. */
final private[scalar] class PostingWriter(file: PostingFile, into: NewSegment)
    extends AutoCloseable {
  private val writer: DescribedFileWriter =
    into.create(file.name, IndexedSeq(file.keys, file.rows))
  private val keys = new KeyColumn(file.keys.logicalType, file.keyType)
  private val sets = new BinaryValues
  private val encoder = new RoaringEncoder
  private val sink = new ByteSink

  def append(key: Option[Key], rows: RowList): Unit = {
    file.form.write(rows, encoder, sink)
    appendSink(key)
  }

  def append(postings: Postings): Unit = while (postings.next()) {
    val rows = postings.rows
    if (rows.nonEmpty) {
      file.form.write(rows, sink)
      appendSink(postings.key)
    }
  }

  private def appendSink(key: Option[Key]): Unit = {
    keys.append(key)
    sets.append(sink.array, 0, sink.length)
    sink.clear()
    if (keys.numRows >= PostingWriter.batchRows || sets.numBytes >= PostingWriter.batchBytes)
      flush()
  }

  private def flush(): Unit = {
    if (keys.numRows > 0)
      writer.write(IndexedSeq(keys.column, LeafColumn(sets, null)), keys.numRows)
    keys.clear()
    sets.clear()
  }

  /** Adds rows that do not belong to a key, as a global buffer. */
  def describe(key: String, rows: RowSet): Unit =
    writer.describe(key, Buffer(rows.toBytes))

  def finish(): Unit = {
    flush()
    if (!file.isTreemap) {
      writer.describe("lance:index_stats", s"""{"num_bitmaps":${writer.numRows}}""")
      into.describe(writer)
    }
    into.finish(file.name, writer)
  }

  def close(): Unit = writer.close()
}

private object PostingWriter {
  private val batchRows = 4096
  private val batchBytes = 4 << 20
}

/** Writes in-memory row lists to a file. Spills sorted runs to storage if the lists take too much
  * memory.
  *
  * {{{
  *   run_0, run_1, ...   ->  merged into the file of the segment        more rows than memory holds
  *   memory              ->  the file of the segment                    else
  * }}}
  * @param gathered rows since the last run
  * @param maxBytes approximate maximum memory of a run
  */
final private[scalar] class PostingRuns(
    file: PostingFile,
    gathered: RowLists,
    into: NewSegment,
    maxBytes: Long = PostingRuns.maxBytes
) extends AutoCloseable {
  private val runs = mutable.ArrayBuffer.empty[PostingFile]
  private var writer: PostingWriter = null

  /** Writes a run and clears the lists if they exceed the maximum. */
  def spillIfFull(): Unit = if (gathered.memory.bytes > maxBytes) spill()

  private def spill(): Unit = {
    val run = file.copy(name = s"run_${runs.length}_${file.name}")
    write(run)
    writer.finish()
    writer = null
    runs += run
  }

  private def write(to: PostingFile): Unit = {
    writer = new PostingWriter(to, into)
    gathered.foreach(writer.append(_, _))
    gathered.clear()
  }

  /** Writes the file of the segment.
    *
    * @param describe adds data that does not belong to a key
    */
  def finish(describe: PostingWriter => Unit = _ => ()): Unit = {
    if (runs.isEmpty) write(file)
    else {
      if (!gathered.isEmpty) spill()
      writer = new PostingWriter(file, into)
      val inputs = runs.map(run => Postings.read(run, into.readable, RowTransfer.All))
      val all = Postings.merged(inputs.toIndexedSeq)
      try writer.append(all)
      finally all.close()
      runs.foreach(run => into.remove(run.name))
    }
    describe(writer)
    writer.finish()
  }

  def close(): Unit = if (writer != null) writer.close()
}

private object PostingRuns {
  val maxBytes: Long = 96L << 20
}
