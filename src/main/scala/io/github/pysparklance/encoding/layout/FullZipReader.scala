// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._

/** The positions of a full-zip page's rows in its data buffer. */
sealed private[layout] trait ZippedRows {

  /** Returns the byte at which `row` begins. Returns the data size for the row after the last. */
  def offset(row: Long): Long
}

/** Rows of equal size, in a page without a repetition index. */
final private[layout] class StridedRows(stride: Int) extends ZippedRows {
  def offset(row: Long): Long = row * stride
}

/** Rows located by the page's repetition index, or by a part of it.
  *
  * @param index offsets of consecutive rows
  * @param firstRow row of the page that the first offset belongs to
  * @param width bytes of an offset
  */
final private[layout] class IndexedRows(index: Buffer, firstRow: Long, width: Int, dataSize: Long)
    extends ZippedRows {

  def offset(row: Long): Long = {
    val at = ((row - firstRow) * width).toInt
    val offset = width match {
      case 1 => index.u8(at).toLong
      case 2 => index.u16(at).toLong
      case 4 => index.u32(at)
      case _ => index.i64(at)
    }
    if (offset < 0 || offset > dataSize)
      throw new CorruptFileException(
        s"repetition index: row $row begins at ${java.lang.Long.toUnsignedString(offset)} of $dataSize bytes"
      )
    offset
  }
}

private[layout] object IndexedRows {

  /** Returns the bytes of an offset in a page's index.
    *
    * @throws CorruptFileException unless the index has an offset for each row and one more
    */
  def width(indexBytes: Long, numRows: Long): Int = {
    val width = indexBytes / (numRows + 1)
    CorruptFileException.check(
      (width == 1 || width == 2 || width == 4 || width == 8) && indexBytes == width * (numRows + 1),
      s"repetition index of $indexBytes bytes for $numRows rows"
    )
    width.toInt
  }
}

/** Splits the entries of a full-zip page into levels and values, which accumulate until [[clear]].
  * Hot code: imperative.
  *
  * @param out collects the values
  */
sealed abstract private[layout] class Unzipper(
    repDef: RepDef,
    words: ControlWords,
    val out: Values
) {
  val repetition = new ShortValues
  val definition = new ShortValues

  def hasDefinition: Boolean = words.bitsDef > 0

  def hasLevels: Boolean = words.numBytes > 0

  /** Whether the page has no bytes at all, as fixed-size lists of nulls from early writers. */
  def isEmpty: Boolean = false

  def clear(): Unit = {
    repetition.clear()
    definition.clear()
    out.clear()
  }

  /** Appends the entries of `numRows` rows, which make up all of `bytes`. */
  def unzip(bytes: Buffer, numRows: Int): Unit

  final protected def append(word: Int): Unit = {
    if (words.bitsRep > 0) repetition.append(words.repetition(word))
    if (words.bitsDef > 0) definition.append(words.definition(word))
  }

  final protected def checkRows(firstLevel: Int, found: Int, numRows: Int): Unit =
    if (repDef.hasLists) {
      if (numRows > 0 && (found == 0 || repetition.array(firstLevel) != repDef.maxRep))
        throw new CorruptFileException(
          "full-zip row that does not begin with the highest repetition level"
        )
    } else if (found != numRows)
      throw new CorruptFileException(s"$found full-zip entries, expected $numRows")

  final protected def truncated(needed: Long, left: Int): Nothing =
    throw new CorruptFileException(
      s"a full-zip entry needs $needed bytes, but its rows have $left bytes left"
    )
}

/** Unzips fixed-width values. */
final private[layout] class FixedUnzipper(
    repDef: RepDef,
    words: ControlWords,
    decoder: FixedPerValueDecoder,
    out: Values
) extends Unzipper(repDef, words, out) {
  private val bytesPerValue = decoder.bytesPerValue
  private var gathered: Array[Byte] = Array.emptyByteArray

  override def isEmpty: Boolean = bytesPerValue == 0 && !hasLevels

  def unzip(bytes: Buffer, numRows: Int): Unit =
    if (hasLevels) {
      val firstLevel = repetition.numItems
      val mostValues = bytes.length / (bytesPerValue + words.numBytes)
      if (gathered.length < mostValues.toLong * bytesPerValue)
        gathered = new Array(mostValues * bytesPerValue)
      val array = bytes.array
      val step = words.numBytes
      var at = bytes.offset
      var entries = 0
      var size = 0
      while (at < bytes.end) {
        if (bytes.end - at < step) truncated(step.toLong, bytes.end - at)
        val word = words.read(array, at)
        at += step
        append(word)
        entries += 1
        if ((words.definition(word) & 0xffff) <= repDef.maxVisible) {
          if (bytes.end - at < bytesPerValue) truncated(bytesPerValue.toLong, bytes.end - at)
          System.arraycopy(array, at, gathered, size, bytesPerValue)
          at += bytesPerValue
          size += bytesPerValue
        }
      }
      checkRows(firstLevel, entries, numRows)
      if (bytesPerValue > 0)
        decoder.decode(new Buffer(gathered, 0, size), size / bytesPerValue, out)
      else decoder.decode(Buffer.empty, visible(entries), out)
    } else decoder.decode(bytes, numRows, out)

  private def visible(entries: Int): Int =
    if (hasDefinition)
      repDef.countVisible(definition.array, definition.numItems - entries, definition.numItems)
    else entries
}

/** Unzips variable-width values. */
final private[layout] class VariableUnzipper(
    repDef: RepDef,
    words: ControlWords,
    lengthBytes: Int,
    decoder: VariablePerValueDecoder,
    out: Values
) extends Unzipper(repDef, words, out) {

  def unzip(bytes: Buffer, numRows: Int): Unit = {
    val firstLevel = repetition.numItems
    val array = bytes.array
    val end = bytes.end
    val step = words.numBytes
    var at = bytes.offset
    var entries = 0
    out match {
      case v: BinaryValues =>
        v.reserveBytes((end - at).toLong) // avoids copying long values repeatedly
      case _ => ()
    }
    while (at < end) {
      if (end - at < step) truncated(step.toLong, end - at)
      val word = words.read(array, at)
      at += step
      append(word)
      entries += 1
      val level = words.definition(word) & 0xffff
      if (level == 0) {
        if (end - at < lengthBytes) truncated(lengthBytes.toLong, end - at)
        val length =
          if (lengthBytes == 4) Buffer.intAt(array, at) & 0xffffffffL else Buffer.longAt(array, at)
        at += lengthBytes
        if (length < 0 || length > end - at) truncated(length, end - at)
        decoder.decode(array, at, length.toInt, out)
        at += length.toInt
      } else if (level <= repDef.maxVisible) out.appendFiller(1)
    }
    checkRows(firstLevel, entries, numRows)
  }
}

/** Reads rows of a full-zip page. */
final private[layout] class FullZipReader(
    repDef: RepDef,
    numRows: Long,
    rows: ZippedRows,
    unzipper: Unzipper
) extends PageReader {
  private val windows = new PageWindows
  private val layers = new LayerBuilder(repDef)

  def windowEnd(fromRow: Long, untilRow: Long, maxBytes: Long): Long = {
    val end = rows.offset(fromRow) + maxBytes
    math.min(Search.last(fromRow + 1, untilRow)(rows.offset(_) <= end), untilRow)
  }

  def dataRange(range: RowRange): Option[PageRange] =
    if (range.isEmpty || unzipper.isEmpty) None
    else {
      PageWindows.checkRows(range.from, range.numRows, numRows)
      val from = rows.offset(range.from)
      val until = rows.offset(range.until)
      CorruptFileException.check(from <= until, s"repetition index falls from $from to $until")
      Some(PageRange(0, from, until - from))
    }

  def addWindow(range: RowRange, bytes: Buffer): Unit = windows.add(range, dataRange(range), bytes)

  /** All values are copied. */
  override def retainsBytes: Boolean = false

  def read(fromRow: Long, numRows: Int): LeafBatch = {
    PageWindows.checkRows(fromRow, numRows, this.numRows)
    windows.dropBefore(fromRow)
    unzipper.clear()
    if (unzipper.isEmpty) nulls(numRows)
    else {
      if (!repDef.hasLists) unzipper.out.reserve(numRows)
      val end = fromRow + numRows
      var row = fromRow
      while (row < end) {
        val until = math.min(end, windows.endOfRows(row))
        val from = rows.offset(row)
        unzipper.unzip(windows.slice(from, rows.offset(until) - from), (until - row).toInt)
        row = until
      }
      batch(numRows)
    }
  }

  private def batch(numRows: Int): LeafBatch = {
    val repetition = unzipper.repetition
    val definition = unzipper.definition
    if (unzipper.hasDefinition)
      RepDef.checkLevels(definition.array, definition.numItems, repDef.maxDef, "definition")
    val nested =
      if (repDef.hasLists) {
        RepDef.checkLevels(repetition.array, repetition.numItems, repDef.maxRep, "repetition")
        val defs = if (unzipper.hasDefinition) definition.array else null
        layers.lists(numRows, repetition.array, defs, repetition.numItems)
      } else {
        layers.clear()
        if (unzipper.hasDefinition) layers.appendItems(definition.array, 0, numRows)
        else layers.appendValid(numRows)
        layers.items
      }
    LeafBatch(numRows, nested, PlainLeaf(unzipper.out))
  }

  private def nulls(numRows: Int): LeafBatch = {
    val validity = new Validity
    validity.appendNulls(numRows)
    LeafBatch(
      numRows,
      IndexedSeq.fill(repDef.numLayers - 1)(ItemLayer(null)) :+ ItemLayer(validity),
      NullLeaf(numRows)
    )
  }
}
