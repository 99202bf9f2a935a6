// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._

/** Decodes the levels of a mini-block page, one chunk at a time. Hot code: imperative; sizes are
  * checked once per chunk.
  *
  * @param repDecoder null if the chunks have no repetition levels
  * @param defDecoder null if the chunks have no definition levels
  */
final private[layout] class MiniBlockChunkCursor(
    repDef: RepDef,
    table: ChunkTable,
    windows: PageWindows,
    hasLargeChunk: Boolean,
    repDecoder: BlockDecoder,
    defDecoder: BlockDecoder,
    valueDecoder: MiniBlockDecoder
) {
  private val buffers = new Array[Buffer](valueDecoder.numBuffers)
  private val rep = new ShortValues
  private val defs = new ShortValues
  private var loaded = -1
  private var levels = 0

  /** Number of levels in the chunk; the number of values if it has no levels. */
  def numLevels: Int = levels

  def repetition: Array[Short] = rep.array

  /** The definition levels; null if the page has none. */
  def definition: Array[Short] = if (defDecoder == null) null else defs.array

  /** Makes `chunk` the current one. */
  def load(chunk: Int): Unit = if (chunk != loaded) {
    loaded = -1
    val bytes = windows.slice(table.offsets(chunk), table.offsets(chunk + 1) - table.offsets(chunk))
    parse(bytes, chunk, table.numValues(chunk))
    loaded = chunk
  }

  /** Appends values `[from, from + count)` of the current chunk to `out`. */
  def values(from: Int, count: Int, out: Values): Unit =
    if (count > 0) valueDecoder.decode(buffers, table.numValues(loaded), from, count, out)

  private def parse(bytes: Buffer, chunk: Int, numValues: Int): Unit = {
    val storedLevels = bytes.u16(0)
    var at = 2
    var repSize = 0
    var defSize = 0
    if (repDecoder != null) { repSize = bytes.u16(at); at += 2 }
    if (defDecoder != null) { defSize = bytes.u16(at); at += 2 }
    val sizesAt = at
    at = (at + buffers.length * (if (hasLargeChunk) 4 else 2) + 7) & ~7
    val repAt = at
    at += (repSize + 7) & ~7
    val defAt = at
    var end = at + ((defSize + 7) & ~7).toLong
    var b = 0
    while (b < buffers.length) {
      val size =
        if (hasLargeChunk) bytes.u32(sizesAt + b * 4) else bytes.u16(sizesAt + b * 2).toLong
      buffers(b) = bytes.slice(end, size)
      end += (size + 7) & ~7L
      b += 1
    }
    if (repDecoder == null && defDecoder == null) levels = numValues
    else {
      val repBytes = if (repDecoder == null) null else bytes.slice(repAt, repSize)
      val defBytes = if (defDecoder == null) null else bytes.slice(defAt, defSize)
      levels = countLevels(storedLevels, repBytes, defBytes)
      if (repDecoder != null) decodeLevels(repDecoder, repBytes, rep, "repetition")
      if (defDecoder != null) decodeLevels(defDecoder, defBytes, defs, "definition")
      checkLevels(chunk, numValues)
    }
  }

  /** Returns the number of levels. The header has 16 bits for it, and early writers of run-length
    * levels let it overflow.
    */
  private def countLevels(stored: Int, repBytes: Buffer, defBytes: Buffer): Int = {
    val inRep = if (repBytes == null) -1L else repDecoder.impliedValues(repBytes)
    val inDef = if (defBytes == null) -1L else defDecoder.impliedValues(defBytes)
    val implied = math.max(inRep, inDef)
    if (implied <= stored) stored
    else {
      if ((implied & 0xffff) != stored || (inRep >= 0 && inDef >= 0 && inRep != inDef))
        throw new CorruptFileException(
          s"$implied levels by their run lengths, but the chunk header declares $stored"
        )
      Checked.int(implied, "levels of a chunk")
    }
  }

  private def decodeLevels(
      decoder: BlockDecoder,
      block: Buffer,
      out: ShortValues,
      what: String
  ): Unit = {
    out.clear()
    decoder.decode(block, levels, out)
    if (out.numItems != levels)
      throw new CorruptFileException(
        s"${out.numItems} $what levels, but the chunk header declares $levels"
      )
  }

  private def checkLevels(chunk: Int, numValues: Int): Unit = {
    var visible = levels
    if (defDecoder != null) {
      RepDef.checkLevels(defs.array, levels, repDef.maxDef, "definition")
      visible = repDef.countVisible(defs.array, 0, levels)
    }
    if (visible != numValues)
      throw new CorruptFileException(
        s"chunk $chunk: $levels levels with $visible values, but the chunk table declares $numValues"
      )
    if (repDecoder != null) {
      val starts = countStarts()
      if (starts != table.started(chunk))
        throw new CorruptFileException(
          s"chunk $chunk: $starts rows start, but the repetition index declares ${table.started(chunk)}"
        )
      if (levels > 0 && (rep.array(0) == repDef.maxRep) == table.preamble(chunk))
        throw new CorruptFileException(
          s"chunk $chunk: first repetition level ${rep.array(0)} contradicts the repetition index"
        )
    }
  }

  /** Counts the row starts of the chunk. Checks the repetition levels in the same pass. */
  private def countStarts(): Int = {
    val all = rep.array
    val max = repDef.maxRep
    var starts = 0
    var over = 0
    var i = 0
    while (i < levels) {
      val left = max - (all(i) & 0xffff)
      over |= left
      starts += (left - 1) >>> 31
      i += 1
    }
    if (over < 0)
      throw new CorruptFileException(
        s"a repetition level above $max, the highest of the page's layers"
      )
    starts
  }

  /** Returns the position of the row start that follows `skip` other row starts from `from` on, or
    * [[numLevels]] if there are fewer.
    */
  def rowStart(from: Int, skip: Int): Int = {
    val all = rep.array
    val max = repDef.maxRep
    var left = skip
    var i = from
    while (i < levels) {
      if (all(i) == max) {
        if (left == 0) return i
        left -= 1
      }
      i += 1
    }
    levels
  }
}

/** Reads rows of a mini-block page. */
final private[layout] class MiniBlockReader(
    repDef: RepDef,
    table: ChunkTable,
    numRows: Long,
    windows: PageWindows,
    cursor: MiniBlockChunkCursor,
    values: PageValues
) extends PageReader {
  private val layers = new LayerBuilder(repDef)
  private val rep = new ShortValues
  private val defs = new ShortValues

  // The end of the last read: the next row starts at or after `nextLevel` of `nextChunk`.
  private var nextRow = -1L
  private var nextChunk = 0
  private var nextLevel = 0
  private var nextValue = 0
  private var levelRow = 0L // the first row that starts at or after `nextLevel`

  def windowEnd(fromRow: Long, untilRow: Long, maxBytes: Long): Long = {
    val end = table.offsets(table.chunkOf(fromRow)) + maxBytes
    math.min(untilRow, math.max(fromRow + 1, table.rowsWithin(end)))
  }

  def dataRange(rows: RowRange): Option[PageRange] = if (rows.isEmpty) None
  else {
    PageWindows.checkRows(rows.from, rows.numRows, numRows)
    val from = table.offsets(table.chunkOf(rows.from))
    val until = table.offsets(table.lastChunkOf(rows.until) + 1)
    Some(PageRange(MiniBlockLayout.dataBuffer, from, until - from))
  }

  def addWindow(rows: RowRange, bytes: Buffer): Unit = windows.add(rows, dataRange(rows), bytes)

  def read(fromRow: Long, numRows: Int): LeafBatch = {
    PageWindows.checkRows(fromRow, numRows, this.numRows)
    windows.dropBefore(fromRow)
    values.clear()
    if (repDef.hasLists) readLists(fromRow, numRows) else readItems(fromRow, numRows)
  }

  private def readItems(fromRow: Long, numRows: Int): LeafBatch = {
    layers.clear()
    values.out.reserve(numRows)
    val end = fromRow + numRows
    var row = fromRow
    var chunk = if (numRows == 0) 0 else table.chunkOf(fromRow)
    while (row < end) {
      cursor.load(chunk)
      val from = (row - table.firstRow(chunk)).toInt
      val until = math.min(table.numValues(chunk).toLong, end - table.firstRow(chunk)).toInt
      cursor.values(from, until - from, values.out)
      val definition = cursor.definition
      if (definition == null) layers.appendValid(until - from)
      else layers.appendItems(definition, from, until)
      row += until - from
      chunk += 1
    }
    val items = layers.items
    LeafBatch(numRows, items, values.finish(items.last))
  }

  private def readLists(fromRow: Long, numRows: Int): LeafBatch = {
    rep.clear()
    defs.clear()
    if (numRows > 0) {
      seek(fromRow)
      val end = fromRow + numRows
      while (!takeUntil(end)) {
        nextChunk += 1
        nextLevel = 0
        nextValue = 0
        levelRow = table.firstRow(nextChunk)
      }
      nextRow = end
    }
    val definition = if (cursor.definition == null) null else defs.array
    val nested = layers.lists(numRows, rep.array, definition, rep.numItems)
    LeafBatch(numRows, nested, values.finish(nested.last))
  }

  /** Moves to the start of `row`. */
  private def seek(row: Long): Unit = {
    val chunk = table.chunkOf(row)
    cursor.load(chunk)
    if (row != nextRow || chunk != nextChunk) {
      nextChunk = chunk
      nextLevel = cursor.rowStart(0, (row - table.firstRow(chunk)).toInt)
      nextValue = repDef.countVisible(cursor.definition, 0, nextLevel)
    }
    nextRow = -1
    levelRow = row
  }

  /** Takes the levels and values of the current chunk up to the start of row `end`. Returns false
    * if the row before `end` continues in the next chunk.
    */
  private def takeUntil(end: Long): Boolean = {
    val chunk = nextChunk
    cursor.load(chunk)
    val next = table.firstRow(chunk + 1)
    val until =
      if (end < next) cursor.rowStart(nextLevel, (end - levelRow).toInt) else cursor.numLevels
    val count = until - nextLevel
    val repAt = rep.extend(count)
    System.arraycopy(cursor.repetition, nextLevel, rep.array, repAt, count)
    if (cursor.definition != null) {
      val defAt = defs.extend(count)
      System.arraycopy(cursor.definition, nextLevel, defs.array, defAt, count)
    }
    val visible =
      if (until == cursor.numLevels) table.numValues(chunk) - nextValue
      else repDef.countVisible(cursor.definition, nextLevel, until)
    cursor.values(nextValue, visible, values.out)
    nextLevel = until
    nextValue += visible
    end < next || (end == next && !table.trailer(chunk))
  }
}
