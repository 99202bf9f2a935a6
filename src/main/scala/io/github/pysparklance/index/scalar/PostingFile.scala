// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.collection.mutable

import io.github.pysparklance.core._
import io.github.pysparklance.file.{DescribedFile, DescribedFileWriter}
import io.github.pysparklance.file.spi.RowReader
import io.github.pysparklance.index.spi._

/** A file with the rows of each key, ascending by key, the null key first: that of bitmap, label list, and n-gram
  * indices.
  *
  * @param name of the file
  * @param keys the column of the keys
  * @param rows the column of the rows
  * @param isTreemap whether the rows of a key are a treemap; else a row address map
  */
final private[scalar] case class PostingFile(
    name: String,
    keys: Field,
    rows: Field,
    isTreemap: Boolean
) {
  val keyType: KeyType = KeyType.of(keys.logicalType).getOrElse(
    throw new UnsupportedFeatureException(s"an index on ${LogicalType.text(keys.logicalType)}")
  )

  def toBytes(set: RowSet): Array[Byte] = if (isTreemap) set.toTreemap else set.toBytes

  def parse(bytes: Buffer): RowSet =
    if (isTreemap) RowSet.parseTreemap(bytes) else RowSet.parse(bytes)
}

/** Keys with their rows, ascending, each once. */
private[scalar] trait Postings extends AutoCloseable {

  /** Moves on; false at the end. */
  def next(): Boolean

  /** The key; none: null. */
  def key: Option[Key]

  def rows: RowSet
}

private[scalar] object Postings {

  /** Null first. */
  val order: Ordering[Option[Key]] = (a: Option[Key], b: Option[Key]) =>
    (a, b) match {
      case (Some(x), Some(y)) => x.compare(y)
      case (x, y) => java.lang.Boolean.compare(x.isDefined, y.isDefined)
    }

  /** Reads a file.
    *
    * @param files the folder of it
    * @param transfer what becomes of the rows
    */
  def read(file: PostingFile, files: IndexFiles, transfer: RowTransfer): Postings =
    new FilePostings(file, files.open(file.name), transfer)

  /** All keys of several postings, each with the rows of all. */
  def merged(inputs: IndexedSeq[Postings]): Postings = new MergedPostings(inputs)

  private val batchRows = 64

  final private class FilePostings(
      layout: PostingFile,
      file: DescribedFile,
      transfer: RowTransfer
  ) extends Postings {
    private val reader: RowReader =
      try
        file.read(
          IndexedSeq(layout.keys.name, layout.rows.name),
          if (file.numRows == 0) IndexedSeq.empty else IndexedSeq(RowRange(0, file.numRows))
        )
      catch {
        case e: Exception =>
          file.close()
          throw e
      }
    private var keys: Keys = null
    private var sets = IndexedSeq.empty[Buffer]
    private var at = -1

    def next(): Boolean = {
      at += 1
      at < sets.length || readBatch()
    }

    private def readBatch(): Boolean = {
      val available = if (file.numRows == 0) 0 else reader.rowsAvailable
      available > 0 && {
        val columns = reader.read(math.min(available, batchRows))
        keys = layout.keyType.keys(columns(0))
        sets = Binaries.of(columns(1), layout.rows.name)
        at = 0
        true
      }
    }

    def key: Option[Key] = Optional.unless(keys.isNull(at))(keys(at))

    def rows: RowSet = {
      val all = layout.parse(sets(at))
      if (transfer eq RowTransfer.All) all else transfer(all)
    }

    def close(): Unit =
      try reader.close()
      finally file.close()
  }

  final private class MergedPostings(inputs: IndexedSeq[Postings]) extends Postings {
    private val heads = mutable.PriorityQueue.empty[Postings](
      order.on[Postings](_.key).reverse
    )
    inputs.foreach(advance)
    private var current = Option.empty[Key]
    private var found = RowSet.empty

    private def advance(input: Postings): Unit = if (input.next()) heads.enqueue(input)

    def next(): Boolean = heads.nonEmpty && {
      val first = heads.dequeue()
      current = first.key
      found = first.rows
      advance(first)
      while (heads.nonEmpty && order.equiv(heads.head.key, current)) {
        val other = heads.dequeue()
        found = found.union(other.rows)
        advance(other)
      }
      true
    }

    def key: Option[Key] = current
    def rows: RowSet = found
    def close(): Unit = inputs.foreach(_.close())
  }
}

/** Writes a file of postings. Keys come ascending, each once; those without rows are left out. */
final private[scalar] class PostingWriter(file: PostingFile, into: NewSegment)
    extends AutoCloseable {
  private val writer: DescribedFileWriter =
    into.create(file.name, IndexedSeq(file.keys, file.rows))
  private val keys = new KeyColumn(file.keys.logicalType, file.keyType)
  private val sets = new BinaryValues

  def append(key: Option[Key], rows: RowSet): Unit = if (!rows.isEmpty) {
    keys.append(key)
    val bytes = file.toBytes(rows)
    sets.append(bytes, 0, bytes.length)
    if (keys.numRows >= PostingWriter.batchRows || sets.numBytes >= PostingWriter.batchBytes)
      flush()
  }

  def append(postings: Postings): Unit =
    while (postings.next()) append(postings.key, postings.rows)

  private def flush(): Unit = {
    if (keys.numRows > 0)
      writer.write(IndexedSeq(keys.column, LeafColumn(sets, null)), keys.numRows)
    keys.clear()
    sets.clear()
  }

  /** Adds rows that are not of a key, as a global buffer. */
  def describe(key: String, rows: RowSet): Unit =
    writer.describe(key, Buffer(rows.toBytes))

  def finish(): Unit = {
    flush()
    if (!file.isTreemap)
      writer.describe("lance:index_stats", s"""{"num_bitmaps":${writer.numRows}}""")
    into.finish(file.name, writer)
  }

  def close(): Unit = writer.close()
}

private object PostingWriter {
  private val batchRows = 4096
  private val batchBytes = 4 << 20
}

/** Gathers the rows of each key in memory, and writes them to a file when they take much.
  *
  * {{{
  *   run_0, run_1, ...   ->  merged into the file of the segment        more rows than memory holds
  *   memory              ->  the file of the segment                    else
  * }}}
  * @param maxBytes of a run in memory, about
  */
final private[scalar] class PostingRuns(
    file: PostingFile,
    into: NewSegment,
    maxBytes: Long = PostingRuns.maxBytes
) extends AutoCloseable {
  private val gathered = mutable.HashMap.empty[Option[Key], RowSetBuilder]
  private val runs = mutable.ArrayBuffer.empty[PostingFile]
  private var bytes = 0L
  private var writer: PostingWriter = null

  def add(key: Option[Key], row: Long): Unit = {
    val rows = gathered.getOrElseUpdate(
      key, {
        bytes += PostingRuns.keyBytes(key)
        new RowSetBuilder
      }
    )
    bytes += rows.add(row)
    if (bytes > maxBytes) spill()
  }

  private def spill(): Unit = {
    val run = file.copy(name = s"run_${runs.length}_${file.name}")
    write(run)
    writer.finish()
    writer = null
    runs += run
  }

  private def write(to: PostingFile): Unit = {
    writer = new PostingWriter(to, into)
    gathered.keysIterator.toArray.sorted(Postings.order).foreach { key =>
      writer.append(key, gathered(key).result())
    }
    gathered.clear()
    bytes = 0L
  }

  /** Writes the file of the segment.
    *
    * @param describe adds what is not of a key
    */
  def finish(describe: PostingWriter => Unit = _ => ()): Unit = {
    if (runs.isEmpty) write(file)
    else {
      if (gathered.nonEmpty) spill()
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
  val maxBytes: Long = 64L << 20

  private def keyBytes(key: Option[Key]): Long = key match {
    case Some(k: BytesKey) => 160L + k.bytes.length
    case _ => 140L
  }
}
