// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import io.github.pysparklance.core._
import io.github.pysparklance.index.postings.ByteSink

/** Encodes the positions of tokens. Not thread-safe. Hot code: imperative. */
sealed private[build] trait PositionEncoder {

  /** The columns of the posting file. */
  def fields: IndexedSeq[Field]

  /** Adds a token. */
  def add(term: TermDocs): Unit

  /** The columns of the added tokens. */
  def columns: IndexedSeq[Column]

  /** Number of bytes of the columns. */
  def numBytes: Long

  /** Discards the columns. */
  def clear(): Unit
}

private[build] object PositionEncoder {
  def apply(format: SegmentFormat): PositionEncoder =
    if (!format.hasPositions) NoPositions
    else if (format.hasSharedPositions) new StreamPositionEncoder(format.blockSize)
    else new DocumentPositionEncoder

  /** Number of positions that are packed together. */
  private[build] val groupSize = 128
  private[build] val groupLanes = 4

  private object NoPositions extends PositionEncoder {
    def fields: IndexedSeq[Field] = IndexedSeq.empty
    def add(term: TermDocs): Unit = ()
    def columns: IndexedSeq[Column] = IndexedSeq.empty
    def numBytes: Long = 0L
    def clear(): Unit = ()
  }
}

/** Encodes positions in one stream for each block, see `SharedPositions`. */
final private[build] class StreamPositionEncoder(blockSize: Int) extends PositionEncoder {
  import PositionEncoder._

  private val streams = new BinaryValues
  private val starts = new Lists(new IntValues)
  private val sink = new ByteSink
  private val deltas = new IntValues
  private val packed = new Array[Int](groupSize)

  def fields: IndexedSeq[Field] = IndexedSeq(
    Field(0, "_compressed_position", LogicalType.Binary(large = true), nullable = false),
    Lists.field("_position_block_offset", LogicalType.Integer(32, signed = false))
  )

  def add(term: TermDocs): Unit = {
    sink.clear()
    var doc = 0
    var at = 0
    while (doc < term.docs.numItems) {
      starts.items.append(sink.length)
      deltas.clear()
      val end = math.min(doc + blockSize, term.docs.numItems)
      while (doc < end) {
        var last = 0
        val until = at + term.frequencies.array(doc)
        while (at < until) {
          deltas.append(term.positions.array(at) - last)
          last = term.positions.array(at)
          at += 1
        }
        doc += 1
      }
      addDeltas()
    }
    starts.end()
    streams.append(sink.array, 0, sink.length)
  }

  private def addDeltas(): Unit = {
    var at = 0
    while (deltas.numItems - at >= groupSize) {
      System.arraycopy(deltas.array, at, packed, 0, groupSize)
      BitPacking.packWithWidth(packed, groupLanes, sink)
      at += groupSize
    }
    while (at < deltas.numItems) {
      sink.putVarint(deltas.array(at))
      at += 1
    }
  }

  def columns: IndexedSeq[Column] = IndexedSeq(LeafColumn(streams, null), starts.column)

  def numBytes: Long = streams.numBytes + 4L * starts.items.numItems

  def clear(): Unit = {
    streams.clear()
    starts.clear()
  }
}

/** Encodes the positions of each document separately, see `DocumentPositions`. */
final private[build] class DocumentPositionEncoder extends PositionEncoder {
  import PositionEncoder._

  private val parts = new Lists(new BinaryValues)
  private val docEnds = Lists.offsets()
  private val sink = new ByteSink
  private val packed = new Array[Int](groupSize)

  def fields: IndexedSeq[Field] = {
    val ofDocument = Lists.field("item", LogicalType.Binary(large = true)).copy(nullable = true)
    IndexedSeq(Lists.field("_position", ofDocument))
  }

  def add(term: TermDocs): Unit = {
    var at = 0
    var doc = 0
    while (doc < term.docs.numItems) {
      val until = at + term.frequencies.array(doc)
      sink.clear()
      sink.putInt(until - at)
      append()
      while (until - at >= groupSize) {
        addGroup(term.positions.array, at)
        at += groupSize
      }
      if (at < until) {
        while (at < until) {
          sink.putInt(term.positions.array(at))
          at += 1
        }
        append()
      }
      parts.end()
      doc += 1
    }
    docEnds.append(parts.numLists)
  }

  private def addGroup(positions: Array[Int], from: Int): Unit = {
    BitPacking.packAscending(positions, from, groupLanes, packed, sink)
    append()
  }

  private def append(): Unit = {
    parts.items.append(sink.array, 0, sink.length)
    sink.clear()
  }

  def columns: IndexedSeq[Column] =
    IndexedSeq(ListColumn(docEnds.numItems - 1, docEnds.array, parts.column, null))

  def numBytes: Long = parts.items.numBytes + 8L * parts.numLists

  def clear(): Unit = {
    parts.clear()
    Lists.reset(docEnds)
  }
}

/** A list column. */
final private[build] class Lists[A <: Values](val items: A) {
  private val ends = Lists.offsets()

  def numLists: Int = ends.numItems - 1

  /** Ends a list. */
  def end(): Unit = ends.append(items.numItems)

  def column: Column = ListColumn(numLists, ends.array, LeafColumn(items, null), null)

  def clear(): Unit = {
    items.clear()
    Lists.reset(ends)
  }
}

private[build] object Lists {

  /** Returns the offsets of no lists. */
  def offsets(): IntValues = {
    val values = new IntValues
    values.append(0)
    values
  }

  def reset(offsets: IntValues): Unit = {
    offsets.clear()
    offsets.append(0)
  }

  def field(name: String, items: LogicalType): Field =
    field(name, Field(0, "item", items, nullable = true))

  def field(name: String, item: Field): Field = Field(
    0,
    name,
    LogicalType.List(large = false, ofStruct = false),
    nullable = false,
    children = IndexedSeq(item)
  )
}
