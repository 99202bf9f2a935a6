// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi._

/** Large values outside the pages. The page stores the position of each value in the file. Source:
  * message `BlobLayout`; format page of the structural encodings, "Blob layout".
  *
  * {{{
  *   inner page, a packed struct of {position u64, size u64} per row:
  *   size > 0                      the file's bytes [position, position + size)
  *   size 0, position 0            an empty value
  *   size 0, position not 0        no value: repetition = bits 0..15, definition = bits 16..31 of position
  *
  *   [b"hello", null, b"", b"world!"]   (0, 5) (0x10000, 0) (0, 0) (64, 6)      layers [NULLABLE_ITEM]
  * }}}
  * The inner page has one layer without nulls. The layers of this message are the actual ones.
  * Written by 2.1 and 2.2. Blobs in lists are rejected, because the reference writes them
  * incorrectly. Decoded values are descriptors. The caller of the encoder has already written the
  * bytes to the file.
  */
object BlobLayout {

  /** Type of the inner page's values. */
  val descriptorType: ValueType = PackedStructType(IndexedSeq(FixedWidth(64), FixedWidth(64)))

  /** Returns the decoder of a page.
    *
    * @param inner the decoder of the inner page, for values of [[descriptorType]]
    * @throws UnsupportedFeatureException for blobs in lists
    */
  def decoder(layout: v2_1.BlobLayout, inner: PageDecoder): PageDecoder = {
    val repDef = RepDef(layout.getLayersList)
    if (repDef.hasLists) throw new UnsupportedFeatureException("blobs in lists")
    new BlobPage(repDef, inner)
  }

  final private class BlobPage(repDef: RepDef, inner: PageDecoder) extends PageDecoder {
    def numRows: Long = inner.numRows
    def head: IndexedSeq[Int] = inner.head
    def open(buffers: IndexedSeq[Buffer]): PageReader = new BlobReader(repDef, inner.open(buffers))

    override def partialHead(rows: RowRange): Option[PartialHead] =
      inner.partialHead(rows).map { part =>
        new PartialHead {
          def range: PageRange = part.range
          def open(bytes: Buffer): PageReader = new BlobReader(repDef, part.open(bytes))
        }
      }
  }

  final private class BlobReader(repDef: RepDef, inner: PageReader) extends PageReader {
    private val layers = new LayerBuilder(repDef)
    private val definition = new ShortValues

    def windowEnd(fromRow: Long, untilRow: Long, maxBytes: Long): Long =
      inner.windowEnd(fromRow, untilRow, maxBytes)

    def dataRange(rows: RowRange): Option[PageRange] = inner.dataRange(rows)

    def addWindow(rows: RowRange, bytes: Buffer): Unit = inner.addWindow(rows, bytes)

    def read(fromRow: Long, numRows: Int): LeafBatch = {
      val described = inner.read(fromRow, numRows)
      CorruptFileException.check(
        described.layers.length == 1 && described.layers.head == ItemLayer(null),
        "blob descriptors with nulls or additional layers"
      )
      val descriptors = plain(described.values)
      layers.clear()
      readLevels(descriptors)
      layers.appendItems(definition.array, 0, numRows)
      LeafBatch(numRows, layers.items, PlainLeaf(descriptors))
    }

    private def plain(values: LeafValues): PackedStructValues = values match {
      case PlainLeaf(packed: PackedStructValues) => packed
      case ConstantLeaf(one: PackedStructValues, n) =>
        val all = Values.allocate(descriptorType).asInstanceOf[PackedStructValues]
        all.appendRepeated(one, 0, n)
        all
      case _ => throw new CorruptFileException("a blob page whose descriptors are not structs")
    }

    private def readLevels(descriptors: PackedStructValues): Unit = {
      val positions = descriptors.children(0).asInstanceOf[LongValues].array
      val sizes = descriptors.children(1).asInstanceOf[LongValues].array
      val n = descriptors.numItems
      definition.clear()
      val at = definition.extend(n)
      var i = 0
      while (i < n) {
        val position = positions(i)
        if (sizes(i) != 0 || position == 0) definition.array(at + i) = 0
        else {
          if ((position & 0xffff) != 0)
            throw new CorruptFileException(s"a repetition level in the blob descriptor $position")
          definition.array(at + i) = (position >>> 16).toShort
        }
        i += 1
      }
      RepDef.checkLevels(definition.array, n, repDef.maxDef, "definition")
    }
  }

  /** Encodes a page of descriptors. The descriptors of null items are ignored.
    *
    * @param page values of [[descriptorType]]
    * @throws UnsupportedFeatureException for blobs in lists
    */
  private[layout] def encode(
      page: LeafPage,
      chooser: EncoderChooser
  ): (v2_1.PageLayout, IndexedSeq[Buffer]) = {
    if (page.repetition != null) throw new UnsupportedFeatureException("blobs in lists")
    val descriptors = page.values match {
      case packed: PackedStructValues if page.definition != null => withLevels(packed, page)
      case plain => plain
    }
    val inner = LeafPage(
      page.numRows,
      IndexedSeq(v2_1.RepDefLayer.REPDEF_ALL_VALID_ITEM),
      null,
      null,
      page.numLevels,
      descriptors
    )
    val values = chooser.miniBlock(descriptors, descriptorType)
    val (layout, buffers) = MiniBlockLayout.encode(inner, values, None, chooser).getOrElse(
      throw new IllegalStateException("a page without levels fits its chunks")
    )
    val blob = v2_1.BlobLayout
      .newBuilder()
      .setInnerLayout(layout)
      .addAllLayers(java.util.Arrays.asList(page.layers: _*))
    (v2_1.PageLayout.newBuilder().setBlobLayout(blob).build(), buffers)
  }

  private def withLevels(from: PackedStructValues, page: LeafPage): PackedStructValues = {
    val out = Values.allocate(descriptorType).asInstanceOf[PackedStructValues]
    out.appendFrom(from, 0, from.numItems)
    val positions = out.children(0).asInstanceOf[LongValues].array
    val sizes = out.children(1).asInstanceOf[LongValues].array
    var i = 0
    while (i < out.numItems) {
      val level = page.definition(i)
      if (level != 0) {
        positions(i) = level.toLong << 16
        sizes(i) = 0
      }
      i += 1
    }
    out
  }
}
