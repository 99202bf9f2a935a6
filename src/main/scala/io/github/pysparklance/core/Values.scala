// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** The shape of leaf values as the format stores them: what a page can hold, without its meaning.
  * An `int32`, a `float` and a `date32` are all [[FixedWidth]](32).
  */
sealed trait ValueType

/** `bitsPerValue` 1 (boolean) or a multiple of 8. */
final case class FixedWidth(bitsPerValue: Int) extends ValueType

/** Bytes of any length; `offsetBits` is 32 or 64, the width of the offsets on disk. */
final case class VariableWidth(offsetBits: Int) extends ValueType

/** `dimension` items a value; lists of structs are no leaf and so not here. */
final case class FixedSizeListType(dimension: Int, items: ValueType) extends ValueType

/** A struct stored as one column, its children side by side in each value. */
final case class PackedStructType(children: IndexedSeq[ValueType]) extends ValueType

/** Leaf values in memory: primitive arrays that grow by appending and are reused by [[clear]]. A
  * value under a null is there too and means nothing. Not thread-safe. Hot code: imperative, arrays
  * are public to their readers and valid until the next append.
  */
sealed abstract class Values extends Serializable {
  protected var count: Int = 0

  /** Values so far. */
  final def numItems: Int = count

  def clear(): Unit = count = 0

  /** Makes room for `more` values, so that appending them does not copy. */
  def reserve(more: Int): Unit

  /** Appends `numItems` values without meaning, for nulls: zeros, empty bytes. */
  def appendFiller(numItems: Int): Unit

  /** Appends `other(from until from + numItems)`; `other` is of the same class and shape. */
  def appendFrom(other: Values, from: Int, numItems: Int): Unit

  /** Appends `numItems` copies of `other(from)`. */
  def appendRepeated(other: Values, from: Int, numItems: Int): Unit = {
    var i = 0
    while (i < numItems) {
      appendFrom(other, from, 1)
      i += 1
    }
  }

  /** Bytes these values take in memory, about. */
  def sizeInBytes: Long
}

object Values {

  /** Most elements that an array can have on all virtual machines, about. */
  val maxArrayLength: Int = Int.MaxValue - 16

  /** Empty values of that shape. */
  def allocate(valueType: ValueType): Values = valueType match {
    case FixedWidth(1) | FixedWidth(8) => new ByteValues
    case FixedWidth(16) => new ShortValues
    case FixedWidth(32) => new IntValues
    case FixedWidth(64) => new LongValues
    case FixedWidth(bits) =>
      CorruptFileException.check(bits > 0 && bits % 8 == 0, s"values of $bits bits")
      new WideValues(bits / 8)
    case VariableWidth(_) => new BinaryValues
    case FixedSizeListType(dimension, items) => new FixedSizeListValues(dimension, allocate(items))
    case PackedStructType(children) => new PackedStructValues(children.map(allocate))
  }

  /** Arrays grow by half again, at least to `wanted`; the JVM's array limit is an error that says
    * so.
    */
  def grownCapacity(current: Int, wanted: Long): Int = {
    if (wanted > maxArrayLength)
      throw new UnsupportedFeatureException(
        s"a batch that needs an array of $wanted elements; read fewer rows at a time"
      )
    math.max(wanted, math.min(current + (current.toLong >> 1) + 16, maxArrayLength.toLong)).toInt
  }
}

/** Booleans (one byte each, 0 or 1) and 8-bit integers. */
final class ByteValues extends Values {
  var array: Array[Byte] = Array.emptyByteArray

  def reserve(more: Int): Unit =
    if (count.toLong + more > array.length)
      array =
        java.util.Arrays.copyOf(array, Values.grownCapacity(array.length, count.toLong + more))

  def append(v: Byte): Unit = { reserve(1); array(count) = v; count += 1 }

  /** Claims `numItems` slots that the caller fills; answers the index of the first. */
  def extend(numItems: Int): Int = { reserve(numItems); val at = count; count += numItems; at }

  def appendFiller(numItems: Int): Unit = {
    val at = extend(numItems)
    java.util.Arrays.fill(array, at, at + numItems, 0.toByte)
  }

  def appendFrom(other: Values, from: Int, numItems: Int): Unit = {
    val at = extend(numItems)
    System.arraycopy(other.asInstanceOf[ByteValues].array, from, array, at, numItems)
  }

  override def appendRepeated(other: Values, from: Int, numItems: Int): Unit = {
    val at = extend(numItems)
    java.util.Arrays.fill(array, at, at + numItems, other.asInstanceOf[ByteValues].array(from))
  }

  def sizeInBytes: Long = count.toLong
}

/** 16-bit values. */
final class ShortValues extends Values {
  var array: Array[Short] = Array.emptyShortArray

  def reserve(more: Int): Unit =
    if (count.toLong + more > array.length)
      array =
        java.util.Arrays.copyOf(array, Values.grownCapacity(array.length, count.toLong + more))

  def append(v: Short): Unit = { reserve(1); array(count) = v; count += 1 }

  /** Claims `numItems` slots that the caller fills; answers the index of the first. */
  def extend(numItems: Int): Int = { reserve(numItems); val at = count; count += numItems; at }

  def appendFiller(numItems: Int): Unit = {
    val at = extend(numItems)
    java.util.Arrays.fill(array, at, at + numItems, 0.toShort)
  }

  def appendFrom(other: Values, from: Int, numItems: Int): Unit = {
    val at = extend(numItems)
    System.arraycopy(other.asInstanceOf[ShortValues].array, from, array, at, numItems)
  }

  override def appendRepeated(other: Values, from: Int, numItems: Int): Unit = {
    val at = extend(numItems)
    java.util.Arrays.fill(array, at, at + numItems, other.asInstanceOf[ShortValues].array(from))
  }

  def sizeInBytes: Long = count * 2L
}

object ShortValues {

  /** The first `numItems` of `array` as values, without copying them. */
  def wrap(array: Array[Short], numItems: Int): ShortValues = {
    val v = new ShortValues
    v.array = array
    v.count = numItems
    v
  }
}

/** 32-bit values: integers, the bits of floats, days. */
final class IntValues extends Values {
  var array: Array[Int] = Array.emptyIntArray

  def reserve(more: Int): Unit =
    if (count.toLong + more > array.length)
      array =
        java.util.Arrays.copyOf(array, Values.grownCapacity(array.length, count.toLong + more))

  def append(v: Int): Unit = { reserve(1); array(count) = v; count += 1 }

  /** Claims `numItems` slots that the caller fills; answers the index of the first. */
  def extend(numItems: Int): Int = { reserve(numItems); val at = count; count += numItems; at }

  def appendFiller(numItems: Int): Unit = {
    val at = extend(numItems)
    java.util.Arrays.fill(array, at, at + numItems, 0)
  }

  def appendFrom(other: Values, from: Int, numItems: Int): Unit = {
    val at = extend(numItems)
    System.arraycopy(other.asInstanceOf[IntValues].array, from, array, at, numItems)
  }

  override def appendRepeated(other: Values, from: Int, numItems: Int): Unit = {
    val at = extend(numItems)
    java.util.Arrays.fill(array, at, at + numItems, other.asInstanceOf[IntValues].array(from))
  }

  def sizeInBytes: Long = count * 4L
}

/** 64-bit values: integers, the bits of doubles, timestamps. */
final class LongValues extends Values {
  var array: Array[Long] = Array.emptyLongArray

  def reserve(more: Int): Unit =
    if (count.toLong + more > array.length)
      array =
        java.util.Arrays.copyOf(array, Values.grownCapacity(array.length, count.toLong + more))

  def append(v: Long): Unit = { reserve(1); array(count) = v; count += 1 }

  /** Claims `numItems` slots that the caller fills; answers the index of the first. */
  def extend(numItems: Int): Int = { reserve(numItems); val at = count; count += numItems; at }

  def appendFiller(numItems: Int): Unit = {
    val at = extend(numItems)
    java.util.Arrays.fill(array, at, at + numItems, 0L)
  }

  def appendFrom(other: Values, from: Int, numItems: Int): Unit = {
    val at = extend(numItems)
    System.arraycopy(other.asInstanceOf[LongValues].array, from, array, at, numItems)
  }

  override def appendRepeated(other: Values, from: Int, numItems: Int): Unit = {
    val at = extend(numItems)
    java.util.Arrays.fill(array, at, at + numItems, other.asInstanceOf[LongValues].array(from))
  }

  def sizeInBytes: Long = count * 8L
}

/** Values of any other fixed number of bytes, back to back as on disk: decimals, fixed-size
  * binaries, packed rows.
  */
final class WideValues(val bytesPerValue: Int) extends Values {
  var bytes: Array[Byte] = Array.emptyByteArray

  def reserve(more: Int): Unit = {
    val wanted = (count.toLong + more) * bytesPerValue
    if (wanted > bytes.length)
      bytes = java.util.Arrays.copyOf(bytes, Values.grownCapacity(bytes.length, wanted))
  }

  /** Claims `numItems` slots that the caller fills; answers the index in [[bytes]] of the first
    * byte.
    */
  def extend(numItems: Int): Int = {
    reserve(numItems)
    val at = count * bytesPerValue
    count += numItems
    at
  }

  def appendFiller(numItems: Int): Unit = {
    val at = extend(numItems)
    java.util.Arrays.fill(bytes, at, count * bytesPerValue, 0.toByte)
  }

  def appendFrom(other: Values, from: Int, numItems: Int): Unit = {
    val at = extend(numItems)
    System.arraycopy(
      other.asInstanceOf[WideValues].bytes,
      from * bytesPerValue,
      bytes,
      at,
      numItems * bytesPerValue
    )
  }

  def sizeInBytes: Long = count.toLong * bytesPerValue
}

/** Byte strings back to back: value i is `bytes[offsets(i), offsets(i + 1))`. */
final class BinaryValues extends Values {

  /** `numItems + 1` ascending offsets; the first is 0. */
  var offsets: Array[Int] = new Array[Int](1)
  var bytes: Array[Byte] = Array.emptyByteArray

  /** Bytes used in [[bytes]]. */
  def numBytes: Int = offsets(count)

  def reserve(more: Int): Unit =
    if (count.toLong + more + 1 > offsets.length)
      offsets =
        java.util.Arrays.copyOf(
          offsets,
          Values.grownCapacity(offsets.length, count.toLong + more + 1)
        )

  /** Makes room for `more` bytes behind the present ones. */
  def reserveBytes(more: Long): Unit = reserveBytes(numBytes, more)

  /** Makes room for `more` bytes behind the first `used`; for callers that write ahead of
    * [[extend]].
    */
  def reserveBytes(used: Int, more: Long): Unit = {
    val wanted = used + more
    if (wanted > bytes.length)
      bytes = java.util.Arrays.copyOf(bytes, Values.grownCapacity(bytes.length, wanted))
  }

  def append(source: Array[Byte], from: Int, numBytes: Int): Unit = {
    reserve(1)
    reserveBytes(numBytes)
    val at = offsets(count)
    System.arraycopy(source, from, bytes, at, numBytes)
    count += 1
    offsets(count) = at + numBytes
  }

  /** Claims `numItems` values whose ascending end offsets and bytes the caller has written behind
    * the present ones, after [[reserve]] and [[reserveBytes]].
    */
  def extend(numItems: Int): Unit = count += numItems

  def appendFiller(numItems: Int): Unit = {
    reserve(numItems)
    java.util.Arrays.fill(offsets, count + 1, count + 1 + numItems, offsets(count))
    count += numItems
  }

  def appendFrom(other: Values, from: Int, numItems: Int): Unit = {
    val o = other.asInstanceOf[BinaryValues]
    val first = o.offsets(from)
    val length = o.offsets(from + numItems) - first
    reserve(numItems)
    reserveBytes(length)
    val shift = offsets(count) - first
    System.arraycopy(o.bytes, first, bytes, offsets(count), length)
    var i = 1
    while (i <= numItems) {
      offsets(count + i) = o.offsets(from + i) + shift
      i += 1
    }
    count += numItems
  }

  def sizeInBytes: Long = numBytes + (count + 1) * 4L
}

/** Fixed-size lists of primitives as one value each: `dimension` items a value, item validity
  * beside them.
  */
final class FixedSizeListValues(val dimension: Int, val items: Values) extends Values {

  /** Validity of the items (not of the lists); null as long as every item is valid. */
  var itemValidity: Validity = null

  override def clear(): Unit = {
    super.clear()
    items.clear()
    itemValidity = null
  }

  def reserve(more: Int): Unit = items.reserve(Math.multiplyExact(more, dimension))

  /** Claims `numItems` lists whose items, and item validity if any, the caller has appended. */
  def extend(numItems: Int): Unit = count += numItems

  /** The item validity, made when it is not there yet. */
  def ensureItemValidity(): Validity = {
    if (itemValidity == null) itemValidity = Validity.allValid(count * dimension)
    itemValidity
  }

  def appendFiller(numItems: Int): Unit = {
    items.appendFiller(Math.multiplyExact(numItems, dimension))
    if (itemValidity != null) itemValidity.appendValid(numItems * dimension)
    count += numItems
  }

  def appendFrom(other: Values, from: Int, numItems: Int): Unit = {
    val o = other.asInstanceOf[FixedSizeListValues]
    if (o.itemValidity != null)
      ensureItemValidity().appendFrom(o.itemValidity, from * dimension, numItems * dimension)
    else if (itemValidity != null) itemValidity.appendValid(numItems * dimension)
    items.appendFrom(o.items, from * dimension, numItems * dimension)
    count += numItems
  }

  def sizeInBytes: Long = items.sizeInBytes
}

/** The children of a packed struct, one [[Values]] each of equal length. */
final class PackedStructValues(val children: IndexedSeq[Values]) extends Values {

  override def clear(): Unit = {
    super.clear()
    children.foreach(_.clear())
  }

  def reserve(more: Int): Unit = children.foreach(_.reserve(more))

  /** Claims `numItems` rows whose children the caller has appended. */
  def extend(numItems: Int): Unit = count += numItems

  def appendFiller(numItems: Int): Unit = {
    children.foreach(_.appendFiller(numItems))
    count += numItems
  }

  def appendFrom(other: Values, from: Int, numItems: Int): Unit = {
    val o = other.asInstanceOf[PackedStructValues]
    children.indices.foreach(i => children(i).appendFrom(o.children(i), from, numItems))
    count += numItems
  }

  def sizeInBytes: Long = children.map(_.sizeInBytes).sum
}

/** Values that are positions in a dictionary shared by a whole page. Read-only as values: a page
  * reader fills [[indices]] and the dictionary stays.
  *
  * An index under a null is arbitrary and may lie outside the dictionary: never look it up.
  */
final class DictionaryValues(val indices: IntValues, val items: Values) extends Values {
  def reserve(more: Int): Unit = indices.reserve(more)
  def extend(numItems: Int): Unit = count += numItems
  override def clear(): Unit = { super.clear(); indices.clear() }
  def appendFiller(numItems: Int): Unit = { indices.appendFiller(numItems); count += numItems }
  def appendFrom(other: Values, from: Int, numItems: Int): Unit = {
    indices.appendFrom(other.asInstanceOf[DictionaryValues].indices, from, numItems)
    count += numItems
  }
  def sizeInBytes: Long = indices.sizeInBytes
}

object DictionaryValues {
  def unapply(values: DictionaryValues): Some[(IntValues, Values)] =
    Some((values.indices, values.items))
}
