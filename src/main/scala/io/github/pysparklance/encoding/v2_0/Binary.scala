// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._

/** Strings and binaries. Source: message `Binary`, encodings_v2_0.proto.
  *
  * {{{
  *   indices   numValues x u64   the end of each value; of a null: the end of the value before it, plus adjustment
  *   bytes     all values, contiguous
  *   adjustment (null_adjustment) = bytes of the page + 1
  *
  *   "ab", null, "", "c"   adjustment 4   indices 2 6 2 3   bytes 61 62 63
  * }}}
  * The bytes of values are requested after their indices were read. Hot code.
  */
object Binary {

  def decoder(
      message: pb.Binary,
      numValues: Long,
      valueType: ValueType,
      chooser: ArrayChooser
  ): ArrayDecoder = {
    valueType match {
      case VariableWidth(_) => ()
      case other => throw Trees.contradiction("Binary", other)
    }
    val adjustment = message.getNullAdjustment
    CorruptFileException.check(
      adjustment > 0,
      s"Binary with the null adjustment ${java.lang.Long.toUnsignedString(adjustment)}"
    )
    val indices = chooser.decoder(message.getIndices, numValues, FixedWidth(64))
    val bytes = chooser.decoder(message.getBytes, ArrayChooser.Unknown, FixedWidth(8))
    val storedBytes = bytes.buffers.map(chooser.sizeBytes).sum
    new Node(indices, bytes, adjustment, storedBytes * 8 / math.max(1, numValues))
  }

  final private class Node(
      indices: ArrayDecoder,
      bytes: ArrayDecoder,
      adjustment: Long,
      bitsPerString: Long
  ) extends ArrayDecoder {
    val buffers: IndexedSeq[Int] = indices.buffers ++ bytes.buffers
    override def head: IndexedSeq[Int] = indices.head ++ bytes.head
    override def open(buffers: Array[Buffer]): Unit = {
      indices.open(buffers)
      bytes.open(buffers)
    }
    def bitsPerValue: Long = indices.bitsPerValue + bitsPerString
    def yieldsNulls: Boolean = true

    def read(values: RowRange): ArrayRead = {
      val hasStart = values.from > 0
      val ends = indices.read(RowRange(if (hasStart) values.from - 1 else 0, values.until))
      val read = new Read(new Ends(ends, values.numRows, hasStart, adjustment), bytes)
      read.proceed()
      read
    }
  }

  final private class Read(ends: Ends, bytesOf: ArrayDecoder) extends ArrayRead {
    private var at = 0
    private var until = Checked.int(ends.numValues, "values of a read")
    private var bytesRead: ArrayRead = null

    private def this(ends: Ends, bytesOf: ArrayDecoder, from: Int, until: Int) = {
      this(ends, bytesOf)
      at = from
      this.until = until
    }

    /** The ranges of the ends first. Once the ends are known, fixes the values of this read and
      * returns the ranges of their bytes.
      */
    def needs: IndexedSeq[PageRange] =
      if (!ends.isKnown) ends.needs
      else {
        readBytes()
        bytesRead.needs
      }

    def isLast: Boolean = bytesRead != null && bytesRead.isLast

    def supply(bytes: IndexedSeq[Buffer]): Unit =
      if (bytesRead != null) bytesRead.supply(bytes)
      else {
        ends.supply(bytes)
        proceed()
      }

    def proceed(): Unit = if (!ends.isKnown && ends.needs.isEmpty) ends.learn()

    private def readBytes(): Unit =
      if (bytesRead == null) bytesRead = bytesOf.read(RowRange(ends.start(at), ends.end(until - 1)))

    override def splitOff(maxBytes: Long): Option[(Int, ArrayRead)] =
      if (bytesRead != null || !ends.isKnown || ends.end(until - 1) - ends.start(at) <= maxBytes)
        None
      else {
        val most = ends.start(at) + maxBytes
        val split =
          Search.last(at + 1L, until - 1L)(i => ends.end(i.toInt - 1) <= most).toInt
        if (split >= until) None
        else {
          val rest = new Read(ends, bytesOf, split, until)
          until = split
          Some((split - at, rest))
        }
      }

    def decode(numValues: Int, out: NullableValues): Unit = {
      val values = out.values.asInstanceOf[BinaryValues]
      val start = ends.start(at)
      val numBytes = Checked.int(ends.end(at + numValues - 1) - start, "bytes of values")
      values.reserve(numValues)
      values.reserveBytes(numBytes.toLong)
      val first = values.numBytes
      if (numBytes > 0) bytesRead.bytes(numBytes).copyBytes(0, values.bytes, first, numBytes)
      val before = values.numItems
      ends.copyTo(at, numValues, first - start, values.offsets, before + 1)
      if (ends.hasNulls) ends.appendValidity(at, numValues, out.nullsUpTo(before))
      values.extend(numValues)
      at += numValues
    }
  }

  /** The ends of consecutive values in the bytes of the page, and their nulls.
    *
    * @param hasStart whether the indices include the value before the first
    */
  final private class Ends(
      indices: ArrayRead,
      val numValues: Long,
      hasStart: Boolean,
      adjustment: Long
  ) {
    private val skipped = if (hasStart) 1 else 0
    // one entry per value: its end, with the highest bit set if it is null
    private var array: Array[Long] = null
    private var anyNull = false

    def isKnown: Boolean = array != null
    def hasNulls: Boolean = anyNull
    def needs: IndexedSeq[PageRange] = indices.needs
    def supply(bytes: IndexedSeq[Buffer]): Unit = indices.supply(bytes)

    def learn(): Unit = {
      val n = Checked.int(numValues + skipped, "values of a read")
      val read = new LongValues
      val nullable = new NullableValues(read)
      indices.decode(n, nullable)
      CorruptFileException.check(!nullable.nulls.hasNulls, "Binary with null indices")
      val a = read.array
      val adjustment = this.adjustment
      var previous = 0L
      var wrong = 0L
      var nulls = 0L
      var i = 0
      while (i < n) {
        val index = a(i)
        val isNull = ~((index - adjustment) >> 63) // all bits or none
        val end = index - (adjustment & isNull)
        wrong |= index | (end - previous)
        nulls |= isNull
        a(i) = end | (isNull & Long.MinValue)
        previous = end
        i += 1
      }
      CorruptFileException.check(wrong >= 0, "Binary with ends that are not ascending")
      anyNull = nulls != 0
      array = a
    }

    /** Returns the start of a value, which is the end of the value before it. */
    def start(value: Int): Long =
      if (value + skipped == 0) 0L else array(value + skipped - 1) & Long.MaxValue

    def end(value: Int): Long = array(value + skipped) & Long.MaxValue

    /** Writes the ends of values, shifted by `shift`. */
    def copyTo(from: Int, count: Int, shift: Long, out: Array[Int], to: Int): Unit = {
      val a = array
      val at = from + skipped
      var i = 0
      while (i < count) {
        out(to + i) = ((a(at + i) & Long.MaxValue) + shift).toInt
        i += 1
      }
    }

    def appendValidity(from: Int, count: Int, out: Validity): Unit = {
      val a = array
      out.reserve(count)
      var i = from + skipped
      val end = i + count
      while (i < end) {
        out.append(a(i) >= 0)
        i += 1
      }
    }
  }

  /** Encodes all values.
    *
    * @param validity null if all values are valid
    * @param bytesNode adds the buffer of all bytes and returns its encoding
    */
  def encode(values: BinaryValues, validity: Validity, buffers: PageBuffers)(
      bytesNode: Buffer => pb.ArrayEncoding
  ): pb.ArrayEncoding = {
    val plain = withoutHidden(values, validity)
    val adjustment = plain.numBytes + 1L
    val indices = Flat.encode(indicesOf(plain, validity, adjustment), 64, buffers)
    val bytes = bytesNode(new Buffer(plain.bytes, 0, plain.numBytes))
    pb.ArrayEncoding.newBuilder().setBinary(
      pb.Binary
        .newBuilder()
        .setIndices(Nullable.noNulls(indices))
        .setBytes(bytes)
        .setNullAdjustment(adjustment)
    ).build()
  }

  private def indicesOf(values: BinaryValues, validity: Validity, adjustment: Long): LongValues = {
    val indices = new LongValues
    indices.extend(values.numItems): Unit
    val out = indices.array
    val offsets = values.offsets
    var i = 0
    while (i < values.numItems) {
      out(i) = offsets(i + 1).toLong
      if (validity != null && !validity.isValid(i)) out(i) += adjustment
      i += 1
    }
    indices
  }

  /** Returns the values without the bytes of null values. */
  private[encoding] def withoutHidden(values: BinaryValues, validity: Validity): BinaryValues = {
    val offsets = values.offsets
    var hidden = 0
    var i = 0
    if (validity != null)
      while (i < values.numItems) {
        if (!validity.isValid(i)) hidden |= offsets(i + 1) - offsets(i)
        i += 1
      }
    if (hidden == 0) values
    else {
      val plain = new BinaryValues
      plain.reserve(values.numItems)
      i = 0
      while (i < values.numItems) {
        if (validity.isValid(i))
          plain.append(values.bytes, offsets(i), offsets(i + 1) - offsets(i))
        else plain.appendFiller(1)
        i += 1
      }
      plain
    }
  }
}
