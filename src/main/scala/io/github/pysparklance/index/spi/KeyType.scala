// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import scala.annotation.unused

import io.github.pysparklance.core._

/** Converts the values of a type to keys, and keys to values and to the bytes that are hashed.
  *
  * {{{
  *   signed integers, dates, times, timestamps, durations   the number
  *   unsigned integers of up to 32 bits, booleans            the number
  *   unsigned integers of 64 bits                            the number, sign bit flipped
  *   floats                                                  the bits; all others flipped behind a sign bit
  *   decimals                                                big-endian bytes, sign bit flipped
  *   strings, binaries, fixed-size binaries                  the bytes
  * }}}
  */
sealed abstract class KeyType extends Serializable {

  /** Returns the values of a column as keys; null values have no key.
    *
    * @throws CorruptFileException if the column has another type
    */
  final def keys(column: Column): Keys = column match {
    case NullColumn(numRows) => new KeyType.NullKeys(numRows)
    case other => keysOf(LeafRows.of(other))
  }

  protected def keysOf(rows: LeafRows): Keys

  /** Returns the bytes of a value in the storage format, little-endian. */
  def storedBytes(key: Key): Array[Byte]

  /** Writes the value of a numeric key in the storage format.
    *
    * @return number of bytes, at most eight
    */
  def store(@unused number: Long, @unused into: Array[Byte]): Int =
    throw new UnsupportedOperationException("keys of bytes are not numbers")

  /** Appends the value of a key to values of the type. */
  def append(key: Key, to: Values): Unit

  /** Appends the value of a key in a slot. */
  def append(key: KeySlot, to: Values): Unit

  /** Whether keys are numbers; otherwise they are bytes. */
  def isNumber: Boolean = false

  /** The keys of NaN and of the zeros; `None` for types other than floats. */
  def floats: Option[FloatKeys] = None
}

/** Special keys of floats.
  *
  * @param bits width of a value
  */
final class FloatKeys private[spi] (bits: Int) extends Serializable {
  private val infinity = bits match {
    case 16 => 0x7c00L
    case 32 => 0x7f800000L
    case _ => 0x7ff0000000000000L
  }

  /** The bits of -0.0, sign-extended. */
  private val sign = -1L << (bits - 1)
  private val negativeZero = KeyType.floating(sign)
  private val zero = KeyType.floating(0L)

  /** The key of -infinity as a number. Lower keys are NaNs with a sign. */
  val lowest: Long = KeyType.orderedFloat(sign | infinity)

  /** The key of infinity as a number. Higher keys are NaNs. */
  val highest: Long = KeyType.orderedFloat(infinity)

  /** The key of NaN, which is the greatest value. */
  val nan: Key = KeyType.floating(infinity | infinity >> 1 & ~infinity)

  /** Whether a key is a NaN, with or without a sign. */
  def isNaN(key: Key): Boolean =
    key.compare(NumberKey(highest)) > 0 || key.compare(NumberKey(lowest)) < 0

  /** Returns the least key with an equal value: -0.0 for both zeros. */
  def least(key: Key): Key = if (isZero(key)) negativeZero else key

  /** Returns the greatest key with an equal value: 0.0 for both zeros. */
  def greatest(key: Key): Key = if (isZero(key)) zero else key

  private def isZero(key: Key): Boolean = key == zero || key == negativeZero
}

/** The keys of a column. They are valid as long as the column, whose arrays they use. */
trait Keys {
  def numRows: Int
  def isNull(row: Int): Boolean

  /** Returns the key of a non-null row. */
  def apply(row: Int): Key

  /** Returns the key of a row, or `None` for null. */
  final def find(row: Int): Option[Key] = Optional.unless(isNull(row))(apply(row))

  /** Compares the key of a non-null row with another key. */
  def compare(row: Int, key: Key): Int = apply(row).compare(key)

  /** Compares the keys of two non-null rows. */
  def compareRows(row: Int, other: Int): Int = compare(row, apply(other))

  /** Returns the numeric key of a non-null row, see [[KeyType.isNumber]]. Does not allocate. */
  def number(row: Int): Long =
    throw new UnsupportedOperationException(s"keys of bytes are not numbers: row $row")

  /** Reads the key of a non-null row into a slot. Its bytes are valid until the next call. */
  def read(row: Int, into: KeySlot): Unit
}

/** Selects the key type of a column, and converts single values. */
object KeyType {

  /** Returns the key of a float.
    *
    * @param bits bits of the value, sign-extended
    */
  def floating(bits: Long): Key = NumberKey(orderedFloat(bits))

  /** Returns the key of an unsigned 64-bit number. */
  def unsigned64(bits: Long): Key = NumberKey(bits ^ Long.MinValue)

  /** Returns the key of a decimal, or `None` if it does not fit.
    *
    * @param numBytes width of the type
    */
  def decimal(unscaled: java.math.BigInteger, numBytes: Int): Option[Key] = {
    val big = unscaled.toByteArray
    Optional.when(big.length <= numBytes) {
      val sign: Byte = if (unscaled.signum < 0) -1 else 0
      new BytesKey(signFlipped(Array.fill(numBytes - big.length)(sign) ++ big))
    }
  }

  private[spi] def orderedFloat(bits: Long): Long = bits ^ ((bits >> 63) & Long.MaxValue)

  /** Returns a copy of big-endian bytes with the first bit flipped. */
  private def signFlipped(big: Array[Byte]): Array[Byte] = {
    val copy = big.clone()
    copy(0) = (copy(0) ^ 0x80).toByte
    copy
  }

  /** Returns the key type of a type, or `None` for types without an order, such as lists. */
  def of(t: LogicalType): Option[KeyType] = {
    import LogicalType._
    t match {
      case Bool => Some(Numbers(8, Unsigned))
      case Integer(bits, signed) => Some(Numbers(bits, if (signed) Signed else Unsigned))
      case HalfFloat => Some(Numbers(16, Floating))
      case Float => Some(Numbers(32, Floating))
      case Double => Some(Numbers(64, Floating))
      case Date32 => Some(Numbers(32, Signed))
      case Date64 | Timestamp(_, _) | Duration(_) => Some(Numbers(64, Signed))
      case Time(bits, _) => Some(Numbers(bits, Signed))
      case Utf8(_) | Binary(_) => Some(ByteStrings)
      case FixedSizeBinary(n) => Some(WideBytes(n, isSigned = false))
      case Decimal(bits, _, _) => Some(WideBytes(bits / 8, isSigned = true))
      case _ => None
    }
  }

  sealed private trait Order
  private case object Signed extends Order
  private case object Unsigned extends Order
  private case object Floating extends Order

  /** Values of 8 to 64 bits. */
  final private case class Numbers(bits: Int, order: Order) extends KeyType {
    protected def keysOf(rows: LeafRows): Keys = new LeafKeys(rows) {
      private val value = stored(rows.values)
      def apply(row: Int): Key = NumberKey(number(row))
      override def compare(row: Int, key: Key): Int = key match {
        case NumberKey(other) => java.lang.Long.compare(number(row), other)
        case _: BytesKey => -1
      }
      override def compareRows(row: Int, other: Int): Int =
        java.lang.Long.compare(number(row), number(other))
      override def number(row: Int): Long = ordered(value(rows.at(row)))
      def read(row: Int, into: KeySlot): Unit = into.number = number(row)
    }

    /** Returns the bits of a value, sign-extended. */
    private def stored(values: Values): Int => Long = values match {
      case v: ByteValues => i => v.array(i).toLong
      case v: ShortValues => i => v.array(i).toLong
      case v: IntValues => i => v.array(i).toLong
      case v: LongValues => i => v.array(i)
      case other => mismatch(other)
    }

    private def ordered(stored: Long): Long = order match {
      case Signed => stored
      case Unsigned if bits == 64 => stored ^ Long.MinValue
      case Unsigned => stored & (-1L >>> (64 - bits))
      case Floating => orderedFloat(stored)
    }

    def storedBytes(key: Key): Array[Byte] = key match {
      case NumberKey(value) =>
        val raw = unordered(value)
        Array.tabulate(bits / 8)(i => (raw >>> (8 * i)).toByte)
      case _: BytesKey => throw new IllegalArgumentException(s"a key of bytes for $bits bits")
    }

    override def store(number: Long, into: Array[Byte]): Int = {
      Buffer.putLong(into, 0, unordered(number))
      bits / 8
    }

    def append(key: KeySlot, to: Values): Unit = append(key.number, to)

    private def append(number: Long, to: Values): Unit = {
      val raw = unordered(number)
      to match {
        case v: LongValues => v.append(raw)
        case v: IntValues => v.append(raw.toInt)
        case v: ShortValues => v.append(raw.toShort)
        case v: ByteValues => v.append(raw.toByte)
        case other => mismatch(other)
      }
    }

    def append(key: Key, to: Values): Unit = key match {
      case NumberKey(value) => append(value, to)
      case _: BytesKey => throw new IllegalArgumentException(s"a key of bytes for $bits bits")
    }

    override def isNumber: Boolean = true

    override def floats: Option[FloatKeys] = Optional.when(order == Floating)(new FloatKeys(bits))

    /** The inverse of [[ordered]]. Bits above the width of the value are undefined. */
    private def unordered(value: Long): Long = order match {
      case Unsigned if bits < 64 => value
      case _ => ordered(value)
    }
  }

  /** Strings and binaries. */
  private case object ByteStrings extends KeyType {
    protected def keysOf(rows: LeafRows): Keys = rows.values match {
      case values: BinaryValues =>
        new LeafKeys(rows) {
          def apply(row: Int): Key = {
            val i = rows.at(row)
            new BytesKey(
              java.util.Arrays.copyOfRange(values.bytes, values.offsets(i), values.offsets(i + 1))
            )
          }
          def read(row: Int, into: KeySlot): Unit = {
            val i = rows.at(row)
            into.setBytes(values.bytes, values.offsets(i), values.offsets(i + 1))
          }
          override def compare(row: Int, key: Key): Int = key match {
            case other: BytesKey => compare(rows.at(row), other.bytes, 0, other.bytes.length)
            case _: NumberKey => 1
          }
          override def compareRows(row: Int, other: Int): Int = {
            val i = rows.at(other)
            compare(rows.at(row), values.bytes, values.offsets(i), values.offsets(i + 1))
          }
          private def compare(i: Int, bytes: Array[Byte], from: Int, until: Int): Int =
            java.util.Arrays.compareUnsigned(
              values.bytes,
              values.offsets(i),
              values.offsets(i + 1),
              bytes,
              from,
              until
            )
        }
      case other => mismatch(other)
    }

    def storedBytes(key: Key): Array[Byte] = bytesOf(key)

    def append(key: KeySlot, to: Values): Unit = to match {
      case v: BinaryValues => v.append(key.bytes, key.from, key.numBytes)
      case other => mismatch(other)
    }

    def append(key: Key, to: Values): Unit = to match {
      case v: BinaryValues =>
        val bytes = bytesOf(key)
        v.append(bytes, 0, bytes.length)
      case other => mismatch(other)
    }
  }

  /** Decimals and fixed-size binaries. */
  final private case class WideBytes(numBytes: Int, isSigned: Boolean) extends KeyType {
    protected def keysOf(rows: LeafRows): Keys = new LeafKeys(rows) {
      def apply(row: Int): Key = new BytesKey(bytes(row))
      def read(row: Int, into: KeySlot): Unit = into.setBytes(bytes(row), 0, numBytes)
      private def bytes(row: Int): Array[Byte] = flipped(raw(rows.values, rows.at(row)))
    }

    private def raw(values: Values, row: Int): Array[Byte] = values match {
      case v: WideValues =>
        java.util.Arrays.copyOfRange(v.bytes, row * numBytes, (row + 1) * numBytes)
      // Fixed-size binaries with the width of a number are stored as numbers.
      case v: ByteValues => Array(v.array(row))
      case v: ShortValues => little(v.array(row).toLong)
      case v: IntValues => little(v.array(row).toLong)
      case v: LongValues => little(v.array(row))
      case other => mismatch(other)
    }

    private def little(bits: Long): Array[Byte] =
      Array.tabulate(numBytes)(i => (bits >>> (8 * i)).toByte)

    /** Converts stored bytes to the bytes of a key. */
    private def flipped(bytes: Array[Byte]): Array[Byte] =
      if (isSigned) signFlipped(bytes.reverse) else bytes

    def storedBytes(key: Key): Array[Byte] =
      if (isSigned) signFlipped(bytesOf(key)).reverse else bytesOf(key)

    def append(key: KeySlot, to: Values): Unit = append(key.toKey(isNumber = false), to)

    def append(key: Key, to: Values): Unit = {
      val bytes = storedBytes(key)
      to match {
        case v: WideValues =>
          val at = v.extend(1)
          System.arraycopy(bytes, 0, v.bytes, at, numBytes)
        case v: ByteValues => v.append(bytes(0))
        case v: ShortValues => v.append(number(bytes).toShort)
        case v: IntValues => v.append(number(bytes).toInt)
        case v: LongValues => v.append(number(bytes))
        case other => mismatch(other)
      }
    }

    /** Reads little-endian bytes as a number. */
    private def number(bytes: Array[Byte]): Long =
      bytes.indices.foldLeft(0L)((sum, i) => sum | (bytes(i) & 0xffL) << (8 * i))
  }

  abstract private class LeafKeys(rows: LeafRows) extends Keys {
    def numRows: Int = rows.numRows
    def isNull(row: Int): Boolean = rows.isNull(row)
  }

  final private class NullKeys(val numRows: Int) extends Keys {
    def isNull(row: Int): Boolean = true
    def apply(row: Int): Key = throw new NoSuchElementException("a null has no key")
    def read(row: Int, into: KeySlot): Unit = apply(row): Unit
  }

  private def bytesOf(key: Key): Array[Byte] = key match {
    case b: BytesKey => b.bytes
    case _: NumberKey => throw new IllegalArgumentException("a number for a type of bytes")
  }

  private def mismatch(found: Any): Nothing = throw new CorruptFileException(
    s"values of an index that are not of its column's type: ${found.getClass.getSimpleName}"
  )
}
