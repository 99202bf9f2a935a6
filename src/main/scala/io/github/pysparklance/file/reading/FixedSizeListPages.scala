// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.file.metadata.PageMetadata

/** The pages of a leaf below fixed-size lists of structs. They contain one entry per item for each
  * row: the product of the dimensions of the lists. Every nesting level is repeated with it.
  *
  * Source: format page of the structural encodings, "Structural FSL".
  *
  * {{{
  *   fixed_size_list<struct<a: int32>, 2>   [[{1}, null], null, [{null}, {4}]]
  *   page of 6 "rows", def 0 2 3 3 1 0      1 null a, 2 null struct, 3 null list; the list's own levels: 0 3 1
  * }}}
  *
  * @param path the fields from the top down to the leaf
  */
final private[file] class FixedSizeListPages(path: IndexedSeq[Field]) {

  /** For each field of the path, the number of entries per slot. */
  private val repeats: IndexedSeq[Long] = path.scanRight(1L) { (field, below) =>
    field.logicalType match {
      case LogicalType.FixedSizeList(LogicalType.Struct, dimension) if !field.isLeaf =>
        CorruptFileException.check(dimension > 0, s"a fixed-size list of $dimension structs")
        try Math.multiplyExact(below, dimension.toLong)
        catch {
          case _: ArithmeticException =>
            throw new UnsupportedFeatureException("fixed-size lists of more than 2^63 structs")
        }
      case _ => below
    }
  }

  /** Number of entries per row. */
  private val perRow = repeats.head

  /** Returns the pages with row numbers instead of entry numbers. */
  def pages(pages: IndexedSeq[PageMetadata]): IndexedSeq[PageMetadata] =
    if (perRow == 1) pages
    else
      pages.map { page =>
        CorruptFileException.check(
          page.firstRow % perRow == 0 && page.numRows % perRow == 0,
          s"page ${page.number} has ${page.numRows} entries after ${page.firstRow}, but a row has $perRow entries"
        )
        page.copy(firstRow = page.firstRow / perRow, numRows = page.numRows / perRow)
      }

  /** Creates the decoder of one of [[pages]].
    *
    * @param decoder creates the decoder of a page that counts entries
    */
  def decoder(decoder: PageMetadata => PageDecoder)(page: PageMetadata): PageDecoder =
    if (perRow == 1) decoder(page)
    else {
      val entries = decoder(page.copy(numRows = page.numRows * perRow))
      if (entries.numRows == page.numRows) entries // sparse pages count rows, not entries
      else if (path.exists(isList))
        throw new UnsupportedFeatureException("fixed-size lists of structs together with lists")
      else new Rows(entries, page.numRows)
    }

  private def scaled(rows: RowRange) = RowRange(rows.from * perRow, rows.until * perRow)

  private def isList(field: Field): Boolean = field.logicalType match {
    case LogicalType.List(_, _) | LogicalType.Map => true
    case _ => false
  }

  final private class Rows(entries: PageDecoder, val numRows: Long) extends PageDecoder {
    def head: IndexedSeq[Int] = entries.head
    def open(buffers: IndexedSeq[Buffer]): PageReader = new RowReader(entries.open(buffers))

    override def partialHead(rows: RowRange): Option[PartialHead] =
      entries.partialHead(scaled(rows)).map { part =>
        new PartialHead {
          def range: PageRange = part.range
          def open(bytes: Buffer): PageReader = new RowReader(part.open(bytes))
        }
      }
  }

  /** Reads rows of a page that counts entries. */
  final private class RowReader(entries: PageReader) extends PageReader {
    def windowEnd(fromRow: Long, untilRow: Long, maxBytes: Long): Long =
      entries.windowEnd(fromRow * perRow, untilRow * perRow, maxBytes) / perRow

    def dataRange(rows: RowRange): Option[PageRange] = entries.dataRange(scaled(rows))

    def addWindow(rows: RowRange, bytes: Buffer): Unit = entries.addWindow(scaled(rows), bytes)

    def read(fromRow: Long, numRows: Int): LeafBatch = {
      if (numRows * perRow > Int.MaxValue)
        throw new UnsupportedFeatureException(
          s"a batch of $numRows rows with $perRow structs each; read fewer rows at a time"
        )
      val batch = entries.read(fromRow * perRow, (numRows * perRow).toInt)
      CorruptFileException.check(
        batch.layers.length == path.length || path.last.isEmptyStruct,
        s"the page has ${batch.layers.length} layers, but its column has ${path.length}"
      )
      val layers = batch.layers.zip(repeats).map {
        case (ItemLayer(validity), n) if validity != null && n > 1 =>
          ItemLayer(everyNth(validity, n.toInt))
        case (layer, _) => layer
      }
      LeafBatch(numRows, layers, batch.values)
    }

    private def everyNth(validity: Validity, n: Int): Validity = {
      val kept = new Validity
      kept.reserve(validity.numItems / n)
      var i = 0
      while (i < validity.numItems) {
        kept.append(validity.isValid(i))
        i += n
      }
      kept
    }
  }
}
