// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import java.io.IOException
import java.nio.{ByteBuffer, ByteOrder}

import scala.collection.immutable.SortedMap

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Buffer, CorruptFileException, RowRange}
import io.github.pysparklance.index.cache.IndexCache

/** An immutable set of rows as an index stores them: unsigned 64-bit row addresses or row ids. See
  * [[AddressSet]] for rows of a version of a table.
  *
  * Index files store them in two little-endian formats:
  * {{{
  *   row address map   u32 number of fragments | per fragment, ascending: u32 id | u32 L | L bytes of rows
  *                     L = 0: all rows of the fragment
  *   treemap           u64 number of fragments | per fragment, ascending: u32 id | rows
  * }}}
  * The rows are a portable 32-bit Roaring bitmap. With stable row ids, the fragment id is replaced
  * by the upper half of the row id.
  *
  * Source: format page of indices, "RowAddrTreeMap bytes".
  *
  * @param parts lower halves by upper half, none empty; bitmaps are never changed
  */
final class RowSet private (parts: SortedMap[Long, RoaringBitmap])
    extends Serializable
    with IndexCache.Part {

  def isEmpty: Boolean = parts.isEmpty

  /** Number of rows. */
  def numRows: Long = parts.valuesIterator.map(_.getLongCardinality).sum

  /** The lower halves of the rows with an upper half; for addresses, the rows of a fragment. Must
    * not be changed.
    */
  def part(upper: Long): RoaringBitmap = parts.getOrElse(upper, RowSet.none)

  /** The distinct upper halves, ascending. */
  def uppers: Iterator[Long] = parts.keysIterator

  def contains(row: Long): Boolean = part(row >>> 32).contains(row.toInt)

  /** Returns the union of two sets. */
  def union(other: RowSet): RowSet =
    if (isEmpty) other
    else if (other.isEmpty) this
    else
      new RowSet(other.uppers.foldLeft(parts) { (all, upper) =>
        all.updated(upper, RowSet.or(part(upper), other.part(upper)))
      })

  /** Returns the intersection of two sets. */
  def intersect(other: RowSet): RowSet = RowSet.of(
    uppers.map(upper => upper -> RowSet.and(part(upper), other.part(upper)))
  )

  /** Returns the rows of this set that are not in the other set. */
  def minus(other: RowSet): RowSet = RowSet.of(
    uppers.map(upper => upper -> RowSet.andNot(part(upper), other.part(upper)))
  )

  /** Runs `f` on each row in ascending order. */
  def foreach(f: Long => Unit): Unit = parts.foreach { case (upper, rows) =>
    val it = rows.getIntIterator
    while (it.hasNext) f(upper << 32 | it.next() & 0xffffffffL)
  }

  /** Approximate memory in bytes. */
  def sizeInBytes: Long = parts.valuesIterator.map(_.getLongSizeInBytes + 64L).sum

  /** Encodes the set as a row address map. */
  def toBytes: Array[Byte] = {
    val size = 4L + parts.valuesIterator.map(8L + _.serializedSizeInBytes).sum
    val out = ByteBuffer.allocate(Math.toIntExact(size)).order(ByteOrder.LITTLE_ENDIAN)
    out.putInt(parts.size)
    parts.foreach { case (upper, rows) =>
      val body = ByteBuffer.allocate(rows.serializedSizeInBytes)
      rows.serialize(body)
      out.putInt(upper.toInt).putInt(body.capacity).put(body.array)
    }
    out.array
  }

  override def equals(other: Any): Boolean = other match {
    case o: RowSet => parts == o.partsOf
    case _ => false
  }

  override def hashCode: Int = parts.hashCode

  override def toString: String = s"RowSet($numRows rows)"

  private def partsOf: SortedMap[Long, RoaringBitmap] = parts
}

/** Creates and parses row sets. */
object RowSet {
  private val none = new RoaringBitmap

  /** The empty set. */
  val empty: RowSet = new RowSet(SortedMap.empty)

  /** Creates a set from lower halves by upper half.
    *
    * @param parts bitmaps that are not changed later
    */
  def of(parts: Iterator[(Long, RoaringBitmap)]): RowSet =
    new RowSet(SortedMap.empty[Long, RoaringBitmap] ++ parts.filterNot(_._2.isEmpty))

  /** Creates a set from rows in any order, which may repeat. Sorts the array in place. */
  def of(rows: Array[Long]): RowSet = {
    java.util.Arrays.sort(rows)
    val parts = Map.newBuilder[Long, RoaringBitmap]
    var from = 0
    while (from < rows.length) {
      val upper = rows(from) >>> 32
      val bitmap = new RoaringBitmap
      var at = from
      while (at < rows.length && rows(at) >>> 32 == upper) {
        bitmap.add(rows(at).toInt)
        at += 1
      }
      parts += upper -> bitmap
      from = at
    }
    of(parts.result().iterator)
  }

  /** Creates a set from the rows of a fragment. */
  def of(fragmentId: Long, rows: RowRange): RowSet = {
    val bitmap = new RoaringBitmap
    bitmap.add(rows.from, rows.until)
    of(Iterator(fragmentId -> bitmap))
  }

  /** Returns the union of sets. */
  def union(sets: Iterator[RowSet]): RowSet = {
    val shared = scala.collection.mutable.HashMap.empty[Long, RoaringBitmap]
    val own = scala.collection.mutable.HashMap.empty[Long, RoaringBitmap]
    sets.foreach { set =>
      set.uppers.foreach { upper =>
        val rows = set.part(upper)
        (own.get(upper), shared.get(upper)) match {
          case (Some(_), _) if isAll(rows) =>
            own.remove(upper): Unit
            shared(upper) = rows
          case (Some(known), _) => known.or(rows)
          case (_, Some(known)) if !isAll(known) && !isAll(rows) =>
            own(upper) = RoaringBitmap.or(known, rows)
          case (_, known) => shared(upper) = known.fold(rows)(or(_, rows))
        }
      }
    }
    of(shared.iterator ++ own.iterator)
  }

  private def isAll(rows: RoaringBitmap): Boolean = rows eq allRows

  private def or(a: RoaringBitmap, b: RoaringBitmap): RoaringBitmap =
    if (isAll(a) || isAll(b)) allRows else RoaringBitmap.or(a, b)

  private def and(a: RoaringBitmap, b: RoaringBitmap): RoaringBitmap =
    if (isAll(a)) b else if (isAll(b)) a else RoaringBitmap.and(a, b)

  private def andNot(a: RoaringBitmap, b: RoaringBitmap): RoaringBitmap =
    if (b.isEmpty) a else if (isAll(b)) none else RoaringBitmap.andNot(a, b)

  /** Parses a row address map.
    *
    * @throws CorruptFileException if the bytes are not a row address map
    */
  def parse(bytes: Buffer): RowSet = parse(
    bytes,
    "row address map",
    new Parsing(bytes) {
      def count(): Long = u32()
      def rows(): RoaringBitmap = {
        val length = u32()
        if (length == 0) allRows
        else {
          val from = in.position()
          val found = bitmap()
          CorruptFileException.check(
            in.position() - from <= length && length <= in.limit() - from,
            s"a row address map with $length bytes of a fragment"
          )
          in.position(from + length.toInt)
          found
        }
      }
    }
  )

  /** Parses a treemap.
    *
    * @throws CorruptFileException if the bytes are not a treemap
    */
  def parseTreemap(bytes: Buffer): RowSet = parse(
    bytes,
    "treemap",
    new Parsing(bytes) {
      def count(): Long =
        if (in.remaining < 8) throw new java.nio.BufferUnderflowException else in.getLong
      def rows(): RoaringBitmap = bitmap()
    }
  )

  /** All rows of a fragment. Sets share it, because it takes 4 MB, and 8 bytes of a file in
    * storage.
    */
  private lazy val allRows: RoaringBitmap = RoaringBitmap.bitmapOfRange(0L, 1L << 32)

  private def parse(bytes: Buffer, what: String, in: Parsing): RowSet = {
    def corrupt(cause: Throwable): Nothing =
      throw new CorruptFileException(s"${bytes.length} bytes that are not a $what", cause = cause)
    try {
      val count = in.count()
      if (count < 0 || count > bytes.length / 4) corrupt(null)
      val parts = IndexedSeq.fill(count.toInt)(in.u32() -> in.rows())
      if (parts.iterator.map(_._1).toSet.size != parts.length) corrupt(null)
      of(parts.iterator)
    } catch {
      case e @ (_: IOException | _: java.nio.BufferUnderflowException | _: IllegalArgumentException |
          _: IndexOutOfBoundsException | _: NegativeArraySizeException) =>
        corrupt(e)
    }
  }

  abstract private class Parsing(bytes: Buffer) {
    val in: ByteBuffer = bytes.toByteBuffer
    def count(): Long
    def rows(): RoaringBitmap
    def u32(): Long = in.getInt & 0xffffffffL

    final def bitmap(): RoaringBitmap = {
      val rows = new RoaringBitmap
      rows.deserialize(in.slice().order(ByteOrder.LITTLE_ENDIAN))
      in.position(in.position() + rows.serializedSizeInBytes)
      rows
    }
  }
}
