// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.v0_1.{Dictionary, Offsets, Plain, VarBinary}
import io.github.pysparklance.file.scheduling.FileReads

/** Reads one field with all its descendants, batch by batch. Reuses the arrays of its columns for
  * the next batch.
  *
  * Source: format page of the legacy format, "Which fields have pages" and "Nested types".
  *
  * @param maxBytes maximum bytes of a window; larger reads are split
  */
sealed abstract private[v0_1] class FieldNode(val maxBytes: Long) {

  /** Returns the size of a slot on disk, estimated from the type and previous reads. */
  def bytesPerSlot: Double

  /** Returns the bytes that must be read first to locate the other bytes of these slots. */
  def firstBytes(numSlots: Long): Long

  /** Starts to read slots of a batch.
    *
    * @throws CorruptFileException if the batch has fewer slots, or its page exceeds the file
    */
  protected def open(batch: Int, from: Long, until: Long): FieldReads

  /** Starts to read slots of a batch, in pieces if their first bytes exceed a window. */
  final def read(batch: Int, from: Long, until: Long): FieldReads =
    if (firstBytes(until - from) <= maxBytes) open(batch, from, until)
    else new Piecewise(batch, from, until)

  /** Reads slots piece by piece, without prefetch, because their first bytes exceed a window. */
  final private class Piecewise(batch: Int, from: Long, until: Long) extends FieldReads {
    def isReady: Boolean = true
    def advance(): Boolean = true
    def bytesAhead: Long = 0L

    def slotsWithin(from: Long, until: Long, maxBytes: Long): Long =
      math.min(until, from + math.max(1L, (maxBytes / bytesPerSlot).toLong))

    def column(from: Long, until: Long): Column = {
      CorruptFileException.check(from >= this.from && until <= this.until, "slots out of order")
      val reads = open(batch, from, until)
      FieldNode.finish(reads, fileReads)
      reads.column(from, until)
    }
  }

  /** Returns the number of slots of a batch according to its pages. It may be larger than the
    * actual number.
    */
  def slotsIn(batch: Int): Long

  /** Returns a column without slots: the items of a batch whose lists are all empty. */
  def empty: Column

  protected def fileReads: FileReads
}

private[v0_1] object FieldNode {

  /** Takes all steps, and waits for each. */
  def finish(reads: FieldReads, fileReads: FileReads): Unit = {
    fileReads.submit()
    while (!reads.advance()) fileReads.submit()
    fileReads.submit()
  }

  private def checkSlots(page: Page, needed: Long): Unit =
    CorruptFileException.check(
      needed <= page.numValues,
      s"a page has ${page.numValues} values, but $needed are needed"
    )

  /** Returns the position of a page after checking that its first `numBytes` bytes are within the
    * limit.
    */
  private def position(page: Page, numBytes: Long, limit: Long): Long = {
    CorruptFileException.check(
      numBytes >= 0 && numBytes <= limit - page.position,
      s"a page of $numBytes bytes at ${page.position} exceeds the end of the pages at $limit"
    )
    page.position
  }

  private def numSlots(from: Long, until: Long): Int = {
    if (until - from > Int.MaxValue)
      throw new UnsupportedFeatureException(s"a batch of ${until - from} items; read fewer rows")
    (until - from).toInt
  }

  /** Returns values as a column; nested values become nested columns. */
  private def leaf(values: Values, validity: Validity): Column = values match {
    case lists: FixedSizeListValues =>
      FixedSizeListColumn(lists.numItems, lists.dimension, leaf(lists.items, null), validity)
    case plain => LeafColumn(plain, validity)
  }

  /** Reads slots that need no I/O. */
  abstract private class AtOnce extends FieldReads {
    def isReady: Boolean = true
    def advance(): Boolean = true
    def bytesAhead: Long = 0L
    def slotsWithin(from: Long, until: Long, maxBytes: Long): Long = until
  }

  /** Reads a field that the file does not contain. */
  final class Missing(maxBytes: Long, protected val fileReads: FileReads)
      extends FieldNode(maxBytes) {
    def bytesPerSlot: Double = 0.125
    def firstBytes(numSlots: Long): Long = 0L
    def slotsIn(batch: Int): Long = Long.MaxValue
    def empty: Column = NullColumn(0)
    protected def open(batch: Int, from: Long, until: Long): FieldReads = new AtOnce {
      def column(from: Long, until: Long): Column = NullColumn(numSlots(from, until))
    }
  }

  /** Reads the null type, whose pages have no bytes. */
  final class NullNode(
      field: Field,
      pages: PageTable,
      maxBytes: Long,
      protected val fileReads: FileReads
  ) extends FieldNode(maxBytes) {
    def bytesPerSlot: Double = 0.125
    def firstBytes(numSlots: Long): Long = 0L
    def slotsIn(batch: Int): Long = pages.page(field.id, batch).numValues
    def empty: Column = NullColumn(0)
    protected def open(batch: Int, from: Long, until: Long): FieldReads = {
      checkSlots(pages.page(field.id, batch), until)
      new AtOnce {
        override def slotsWithin(from: Long, until: Long, maxBytes: Long): Long =
          math.min(until, from + maxBytes * 8)
        def column(from: Long, until: Long): Column = NullColumn(numSlots(from, until))
      }
    }
  }

  /** Reads fixed-width values, which `decode` converts to a column. */
  abstract class FixedWidthNode(
      fieldId: Int,
      bitsPerValue: Long,
      pages: PageTable,
      maxBytes: Long
  ) extends FieldNode(maxBytes) {
    val bytesPerSlot: Double = math.max(bitsPerValue, 1L) / 8.0
    def firstBytes(numSlots: Long): Long = 0L // its reads are split by PageBytes
    def slotsIn(batch: Int): Long = pages.page(fieldId, batch).numValues

    protected def decode(bytes: Buffer, firstByte: Long, from: Long, count: Int): Column

    final def empty: Column = decode(Buffer.empty, 0L, 0L, 0)

    protected def open(batch: Int, from: Long, until: Long): FieldReads = {
      val page = pages.page(fieldId, batch)
      checkSlots(page, until)
      val at = position(page, Plain.numBytes(bitsPerValue, page.numValues), pages.limit)
      val all = Plain.byteRange(bitsPerValue, from, until)
      val bytes = new PageBytes(fileReads, at, all, maxBytes)
      new FieldReads {
        def isReady: Boolean = true
        def advance(): Boolean = true
        def bytesAhead: Long = bytes.bytesAhead
        def slotsWithin(from: Long, until: Long, maxBytes: Long): Long =
          if (bytes.isWhole) until
          else math.min(until, from + math.max(1L, (maxBytes / bytesPerSlot).toLong))
        def column(from: Long, until: Long): Column = {
          val r = Plain.byteRange(bitsPerValue, from, until)
          decode(bytes.part(r), r.offset, from, numSlots(from, until))
        }
      }
    }
  }

  final class PlainNode(
      field: Field,
      valueType: ValueType,
      pages: PageTable,
      maxBytes: Long,
      protected val fileReads: FileReads
  ) extends FixedWidthNode(field.id, Plain.bitsPerValue(valueType), pages, maxBytes) {
    private val values = Values.allocate(valueType)

    protected def decode(bytes: Buffer, firstByte: Long, from: Long, count: Int): Column = {
      values.clear()
      Plain.decode(bytes, firstByte, valueType, from, count, values)
      leaf(values, null)
    }
  }

  final class DictionaryNode(
      field: Field,
      index: LogicalType.Integer,
      items: Dictionary.Items,
      pages: PageTable,
      maxBytes: Long,
      protected val fileReads: FileReads
  ) extends FixedWidthNode(field.id, index.bits.toLong, pages, maxBytes) {
    private val scratch = Values.allocate(FixedWidth(index.bits))
    private val values = new DictionaryValues(new IntValues, items.values)
    private val validity = if (items.validity == null) null else new Validity

    protected def decode(bytes: Buffer, firstByte: Long, from: Long, count: Int): Column = {
      values.clear()
      if (validity != null) validity.clear()
      Dictionary.decode(bytes, firstByte, index, from, count, items, scratch, values, validity)
      LeafColumn(values, validity)
    }
  }

  final class VarBinaryNode(
      field: Field,
      pages: PageTable,
      maxBytes: Long,
      protected val fileReads: FileReads
  ) extends FieldNode(maxBytes) {
    private val values = new BinaryValues
    private val validity = if (field.nullable) new Validity else null

    /** Mean size of the values without offsets; a guess before the first read. */
    private var bytesPerValue = 32.0
    private var hasSeenValues = false

    def bytesPerSlot: Double = VarBinary.offsetBytes + bytesPerValue
    def firstBytes(numSlots: Long): Long = (numSlots + 1) * VarBinary.offsetBytes
    def slotsIn(batch: Int): Long = pages.page(field.id, batch).numValues

    def empty: Column = {
      values.clear()
      LeafColumn(values, null)
    }

    protected def open(batch: Int, from: Long, until: Long): FieldReads = {
      val page = pages.page(field.id, batch)
      checkSlots(page, until)
      val at = position(page, (until + 1) * VarBinary.offsetBytes, pages.limit)
      val offsets = ByteRange(at + from * VarBinary.offsetBytes, firstBytes(until - from))
      val isWholePage = from == 0 && until == page.numValues
      val ahead = if (isWholePage) math.min(at, expectedBytes(until)) else 0L
      val first = ByteRange(offsets.offset - ahead, offsets.length + ahead)
      new VarBinaryReads(from, until, offsets, first)
    }

    /** Returns the expected bytes of the values, which precede the page. After the first read, they
      * are requested together with the offsets.
      */
    private def expectedBytes(numValues: Long): Long =
      if (hasSeenValues) math.min(maxBytes, (numValues * bytesPerValue * 1.125).toLong + 64) else 0L

    final private class VarBinaryReads(
        from: Long,
        until: Long,
        offsetRange: ByteRange,
        firstRange: ByteRange
    ) extends FieldReads {
      private val first = new PageBytes(fileReads, 0L, firstRange, Long.MaxValue)
      private var offsets: Array[Long] = null
      private var data: PageBytes = null

      def isReady: Boolean = first.isDone
      def bytesAhead: Long =
        first.bytesAhead + (if (data == null || (data eq first)) 0L else data.bytesAhead)

      def advance(): Boolean = {
        if (offsets == null) {
          val n = numSlots(from, until)
          offsets = VarBinary.offsets(first.part(offsetRange), n, pages.limit)
          val range = ByteRange(offsets(0), offsets(n) - offsets(0))
          data =
            if (range.offset >= firstRange.offset && range.end <= firstRange.end) first
            else new PageBytes(fileReads, 0L, range, maxBytes)
          if (n > 0) {
            bytesPerValue = range.length.toDouble / n
            hasSeenValues = true
          }
        }
        true
      }

      def slotsWithin(from: Long, until: Long, maxBytes: Long): Long =
        if (data.isWhole) until
        else {
          val at = (from - this.from).toInt
          val last = (until - this.from).toInt
          this.from + Offsets.lastWithin(offsets, at, last, offsets(at) + maxBytes)
        }

      def column(from: Long, until: Long): Column = {
        values.clear()
        if (validity != null) validity.clear()
        val at = (from - this.from).toInt
        val count = numSlots(from, until)
        val start = offsets(at)
        val bytes = data.part(ByteRange(start, offsets(at + count) - start))
        VarBinary.decode(offsets, at, count, bytes, start, values, validity)
        LeafColumn(values, if (validity != null && validity.hasNulls) validity else null)
      }
    }
  }

  final class StructNode(children: IndexedSeq[FieldNode], maxBytes: Long, val fileReads: FileReads)
      extends FieldNode(maxBytes) {
    def bytesPerSlot: Double = math.max(0.125, children.iterator.map(_.bytesPerSlot).sum)
    def firstBytes(numSlots: Long): Long = 0L // each child splits its own reads
    def slotsIn(batch: Int): Long =
      children.iterator
        .map(_.slotsIn(batch))
        .reduceOption(_ min _)
        .getOrElse(
          throw new UnsupportedFeatureException(
            "lists of structs without fields in a file of version 0.1"
          )
        )
    def empty: Column = StructColumn(0, children.map(_.empty), null)

    protected def open(batch: Int, from: Long, until: Long): FieldReads = {
      val reads = children.map(_.read(batch, from, until))
      new FieldReads {
        def isReady: Boolean = reads.forall(_.isReady)
        def advance(): Boolean = reads.foldLeft(true)((done, r) => r.advance() && done)
        def bytesAhead: Long = reads.iterator.map(_.bytesAhead).sum
        def slotsWithin(from: Long, until: Long, maxBytes: Long): Long =
          reads.foldLeft(until)((end, r) => r.slotsWithin(from, end, maxBytes))
        def column(from: Long, until: Long): Column =
          StructColumn(numSlots(from, until), reads.map(_.column(from, until)), null)
      }
    }
  }

  final class ListNode(
      field: Field,
      large: Boolean,
      items: FieldNode,
      pages: PageTable,
      maxBytes: Long,
      val fileReads: FileReads
  ) extends FieldNode(maxBytes) {
    private val offsetBytes = if (large) 8 else 4
    private var rebased = new Array[Int](1)

    /** Mean number of items; a guess before the first read. */
    private var itemsPerSlot = 4.0

    def bytesPerSlot: Double = offsetBytes + itemsPerSlot * items.bytesPerSlot
    def firstBytes(numSlots: Long): Long = (numSlots + 1) * offsetBytes
    def slotsIn(batch: Int): Long = pages.page(field.id, batch).numValues - 1
    def empty: Column = ListColumn(0, new Array[Int](1), items.empty, null)

    protected def open(batch: Int, from: Long, until: Long): FieldReads = {
      val page = pages.page(field.id, batch)
      checkSlots(page, until + 1)
      val at = position(page, (until + 1) * offsetBytes, pages.limit)
      val wanted = ByteRange(from * offsetBytes, firstBytes(until - from))
      val first = new PageBytes(fileReads, at, wanted, Long.MaxValue)
      val isWholePage = from == 0 && until + 1 == page.numValues
      new ListReads(batch, from, until, first, wanted, if (isWholePage) allItems(batch) else null)
    }

    /** Returns reads of all items of a batch, or null if they are too large to be requested
      * together with the offsets.
      */
    private def allItems(batch: Int): FieldReads = {
      val numItems = items.slotsIn(batch)
      if (numItems > 0 && numItems * items.bytesPerSlot <= maxBytes) items.read(batch, 0L, numItems)
      else null
    }

    private val noItems = new AtOnce {
      def column(from: Long, until: Long): Column = items.empty
    }

    final private class ListReads(
        batch: Int,
        from: Long,
        until: Long,
        first: PageBytes,
        wanted: ByteRange,
        allItems: FieldReads
    ) extends FieldReads {
      private var offsets: Array[Long] = null
      private var itemReads: FieldReads = allItems

      def isReady: Boolean =
        if (offsets == null) first.isDone && (allItems == null || allItems.isReady)
        else itemReads.isReady
      def bytesAhead: Long =
        first.bytesAhead + (if (itemReads == null) 0L else itemReads.bytesAhead)

      def advance(): Boolean =
        if (offsets != null) itemReads.advance()
        else {
          val n = numSlots(from, until)
          offsets = Offsets.decode(first.part(wanted), n, large, Long.MaxValue)
          val numItems = offsets(n) - offsets(0)
          if (n > 0) itemsPerSlot = numItems.toDouble / n
          if (allItems != null && offsets(n) <= items.slotsIn(batch)) allItems.advance()
          else {
            itemReads = if (numItems == 0) noItems else items.read(batch, offsets(0), offsets(n))
            false
          }
        }

      def slotsWithin(from: Long, until: Long, maxBytes: Long): Long = {
        val first = (from - this.from).toInt
        val last = (until - this.from).toInt
        val numItems = itemReads.slotsWithin(offsets(first), offsets(last), maxBytes)
        if (numItems == offsets(last)) until
        else this.from + Offsets.lastWithin(offsets, first, last, numItems)
      }

      def column(from: Long, until: Long): Column = {
        val count = numSlots(from, until)
        val first = (from - this.from).toInt
        if (rebased.length <= count)
          rebased = new Array[Int](Values.grownCapacity(rebased.length, count + 1L))
        Offsets.rebase(offsets, first, count, rebased)
        ListColumn(
          count,
          rebased,
          itemReads.column(offsets(first), offsets(first + count)),
          null
        )
      }
    }
  }
}
