// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** The physical type of leaf values, independent of their meaning. For example, `int32`, `float`,
  * and `date32` are all [[FixedWidth]](32).
  */
sealed trait ValueType

/** Values of a fixed number of bits: 1 for booleans, else a multiple of 8. */
final case class FixedWidth(bitsPerValue: Int) extends ValueType

/** Byte strings of any length. `offsetBits` is the width of offsets on disk, 32 or 64. */
final case class VariableWidth(offsetBits: Int) extends ValueType

/** Lists with `dimension` items per value. Fixed-size lists of structs are not leaves and have no
  * value type.
  */
final case class FixedSizeListType(dimension: Int, items: ValueType) extends ValueType

/** A struct that is stored as one column, with its children interleaved per value. */
final case class PackedStructType(children: IndexedSeq[ValueType]) extends ValueType

/** Leaf values in memory: primitive arrays that grow by appending and are reused after [[clear]].
  * Nulls take a slot with an undefined value. Not thread-safe. Hot code: imperative; arrays are
  * public and valid until the next append.
  */
sealed abstract class Values extends Serializable {
  protected var count: Int = 0

  /** Number of values appended since the last [[clear]]. */
  final def numItems: Int = count

  def clear(): Unit = count = 0

  /** Ensures capacity for `more` values. */
  def reserve(more: Int): Unit

  /** Appends `numItems` placeholder values for nulls: zeros or empty bytes. */
  def appendFiller(numItems: Int): Unit

  /** Appends `other(from until from + numItems)`. `other` must have the same class and shape. */
  def appendFrom(other: Values, from: Int, numItems: Int): Unit

  /** Appends `numItems` copies of `other(from)`. */
  def appendRepeated(other: Values, from: Int, numItems: Int): Unit = {
    var i = 0
    while (i < numItems) {
      appendFrom(other, from, 1)
      i += 1
    }
  }

  /** Approximate bytes in memory. */
  def sizeInBytes: Long
}

object Values {

  /** Maximum array length that all JVMs support. */
  val maxArrayLength: Int = Int.MaxValue - 16

  /** Creates empty values of a type. */
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

  /** Creates empty plain values of the class and shape of others. */
  def emptyLike(values: Values): Values = values match {
    case _: ByteValues => new ByteValues
    case _: ShortValues => new ShortValues
    case _: IntValues => new IntValues
    case _: LongValues => new LongValues
    case v: WideValues => new WideValues(v.bytesPerValue)
    case _: BinaryValues => new BinaryValues
    case v: FixedSizeListValues => new FixedSizeListValues(v.dimension, emptyLike(v.items))
    case v: PackedStructValues => new PackedStructValues(v.children.map(emptyLike))
    case v: DictionaryValues => emptyLike(v.items)
  }

  /** Returns the next capacity of an array: 1.5 times the current one, and at least `wanted`.
    *
    * @throws UnsupportedFeatureException if `wanted` exceeds the array limit of the JVM
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

  /** Appends `numItems` slots for the caller to fill. Returns the index of the first. */
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

  /** Appends `numItems` slots for the caller to fill. Returns the index of the first. */
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

  /** Wraps the first `numItems` of `array` without copying. */
  def wrap(array: Array[Short], numItems: Int): ShortValues = {
    val v = new ShortValues
    v.array = array
    v.count = numItems
    v
  }
}

/** 32-bit values: integers, float bits, and days. */
final class IntValues extends Values {
  var array: Array[Int] = Array.emptyIntArray

  def reserve(more: Int): Unit =
    if (count.toLong + more > array.length)
      array =
        java.util.Arrays.copyOf(array, Values.grownCapacity(array.length, count.toLong + more))

  def append(v: Int): Unit = { reserve(1); array(count) = v; count += 1 }

  /** Appends `numItems` slots for the caller to fill. Returns the index of the first. */
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

/** 64-bit values: integers, double bits, and timestamps. */
final class LongValues extends Values {
  var array: Array[Long] = Array.emptyLongArray

  def reserve(more: Int): Unit =
    if (count.toLong + more > array.length)
      array =
        java.util.Arrays.copyOf(array, Values.grownCapacity(array.length, count.toLong + more))

  def append(v: Long): Unit = { reserve(1); array(count) = v; count += 1 }

  /** Appends `numItems` slots for the caller to fill. Returns the index of the first. */
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

/** Values of any other fixed width, contiguous as on disk: decimals, fixed-size binaries, and
  * packed rows.
  */
final class WideValues(val bytesPerValue: Int) extends Values {
  var bytes: Array[Byte] = Array.emptyByteArray

  def reserve(more: Int): Unit = {
    val wanted = (count.toLong + more) * bytesPerValue
    if (wanted > bytes.length)
      bytes = java.util.Arrays.copyOf(bytes, Values.grownCapacity(bytes.length, wanted))
  }

  /** Appends `numItems` slots for the caller to fill. Returns the index in [[bytes]] of their first
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

/** Contiguous byte strings: value i is `bytes[offsets(i), offsets(i + 1))`. */
final class BinaryValues extends Values {

  /** `numItems + 1` ascending offsets, starting with 0. */
  var offsets: Array[Int] = new Array[Int](1)
  var bytes: Array[Byte] = Array.emptyByteArray

  /** Bytes in use. */
  def numBytes: Int = offsets(count)

  def reserve(more: Int): Unit =
    if (count.toLong + more + 1 > offsets.length)
      offsets =
        java.util.Arrays.copyOf(
          offsets,
          Values.grownCapacity(offsets.length, count.toLong + more + 1)
        )

  /** Ensures capacity for `more` bytes after the present ones. */
  def reserveBytes(more: Long): Unit = reserveBytes(numBytes, more)

  /** Ensures capacity for `more` bytes after the first `used`. For callers that write bytes before
    * they call [[extend]].
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

  /** Appends `numItems` values. The caller has written their ascending end offsets and their bytes
    * after the present ones, using [[reserve]] and [[reserveBytes]].
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

/** Fixed-size lists of primitives, with `dimension` items per value and a validity bitmap for
  * items.
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

  /** Appends `numItems` lists. The caller has appended their items and, if used, the item validity.
    */
  def extend(numItems: Int): Unit = count += numItems

  /** Returns the item validity and creates it if it does not exist. */
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

  /** Appends `numItems` rows. The caller has appended their children. */
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

/** Values encoded as indices into a dictionary that a whole page shares. Page readers fill
  * [[indices]] only.
  *
  * The index of a null is undefined and can exceed the dictionary, so it must never be looked up.
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

/** Floats of 16 bits, as [[ShortValues]] hold them: halves have 5 bits of exponent and 10 of
  * mantissa, `bfloat16` is the upper half of a float.
  */
object Half {

  /** The float equal to a 16-bit one; a NaN keeps its payload. */
  def toFloat(bits: Short): Float = {
    val sign = (bits & 0x8000) << 16
    val exponent = (bits >> 10) & 0x1f
    val mantissa = bits & 0x3ff
    if (exponent == 0) {
      val magnitude = mantissa * 5.9604645e-8f // subnormal: units of 2^-24, exact
      java.lang.Float.intBitsToFloat(java.lang.Float.floatToRawIntBits(magnitude) | sign)
    } else {
      val widened = if (exponent == 0x1f) 0xff else exponent + 112
      java.lang.Float.intBitsToFloat(sign | (widened << 23) | (mantissa << 13))
    }
  }

  /** The 16-bit float nearest to a float, of two equally near ones the even one; a NaN stays one.
    */
  def fromFloat(v: Float): Short = {
    val bits = java.lang.Float.floatToRawIntBits(v)
    val sign = (bits >>> 16) & 0x8000
    val magnitude = bits & 0x7fffffff
    val half =
      if (magnitude > 0x7f800000) 0x7e00 | ((magnitude >> 13) & 0x3ff)
      else if (magnitude >= 0x47800000) 0x7c00 // 65536 and above
      else if (magnitude >= 0x38800000) {
        // Carries into the exponent as it should, up to infinity.
        val rebased = magnitude - (112 << 23)
        (rebased + 0xfff + ((rebased >> 13) & 1)) >> 13
      } else {
        // Subnormal: a multiple of 2^-24, rounded by the addition.
        val scaled = java.lang.Float.intBitsToFloat(magnitude) + 0.5f
        java.lang.Float.floatToRawIntBits(scaled) - 0x3f000000
      }
    (sign | half).toShort
  }

  def isInfinite(half: Short): Boolean = (half & 0x7fff) == 0x7c00

  /** The float equal to a bfloat16. */
  def ofBFloat16(bits: Short): Float = java.lang.Float.intBitsToFloat(bits << 16)

  /** The bfloat16 nearest to a float, of two equally near ones the even one; a NaN stays one. */
  def toBFloat16(v: Float): Short = {
    val bits = java.lang.Float.floatToRawIntBits(v)
    val rounded =
      if (v.isNaN) (bits >> 16) | 0x40 // stays a NaN whatever is cut off
      else (bits + 0x7fff + ((bits >> 16) & 1)) >> 16
    rounded.toShort
  }
}
