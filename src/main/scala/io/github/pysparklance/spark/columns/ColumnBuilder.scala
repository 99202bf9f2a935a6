// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.columns

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{
  ArrayType,
  DataType,
  DayTimeIntervalType,
  LongType,
  MapType,
  NullType,
  StructType
}

import io.github.pysparklance.core._
import io.github.pysparklance.spark.shim.SparkShim
import io.github.pysparklance.spark.types.{PhysicalTypes, SparkTypes}

/** Collects a field of many rows into a column. Appends primitive values, and reuses its arrays for
  * each batch. Hot code.
  *
  * The Lance field determines how a Spark value is stored, such as `uint8` or `timestamp:ns`.
  */
abstract private[spark] class ColumnBuilder {
  private var numRows = 0
  private val nulls = new Validity
  private var anyNull = false

  /** Number of rows. */
  final def rows: Int = numRows

  /** Appends the value at a position of a row, struct, or array. */
  final def append(from: SpecializedGetters, at: Int): Unit =
    if (from.isNullAt(at)) appendNull()
    else {
      appendValue(from, at)
      countValid(1)
    }

  /** Appends all items of an array. */
  def appendAll(items: ArrayData): Unit = {
    val n = items.numElements()
    var i = 0
    while (i < n) {
      append(items, i)
      i += 1
    }
  }

  /** Appends a null. If the field is not nullable (below a null struct), appends a filler value. */
  final def appendNull(): Unit = appendNulls(1)

  final def appendNulls(n: Int): Unit = {
    appendFiller(n)
    if (nullable) {
      if (!anyNull) {
        anyNull = true
        nulls.appendValid(numRows)
      }
      nulls.appendNulls(n)
      numRows += n
    } else countValid(n)
  }

  protected def countValid(n: Int): Unit = {
    if (anyNull) {
      if (n == 1) nulls.append(true) else nulls.appendValid(n)
    }
    numRows += n
  }

  protected def validity: Validity = if (anyNull) nulls else null

  protected def nullable: Boolean

  /** Appends a non-null value. */
  protected def appendValue(from: SpecializedGetters, at: Int): Unit

  protected def appendFiller(n: Int): Unit

  /** The rows so far. Shares the arrays of the builder; valid until [[clear]]. */
  def column: Column

  /** Starts the next batch. */
  def clear(): Unit = {
    numRows = 0
    anyNull = false
    nulls.clear()
  }

  /** Approximate size of the values in bytes. */
  def sizeInBytes: Long
}

/** Creates builders. */
private[spark] object ColumnBuilder {
  import LogicalType._

  /** Returns a builder for values of `field` with the type of [[SparkTypes.dataType]].
    *
    * @throws UnsupportedFeatureException if writing the type is not supported
    */
  def apply(field: Field): ColumnBuilder = apply(field, SparkTypes.dataType(field))

  /** Returns a builder for values of `field` with the type that Spark passes.
    *
    * @param from the type of the values. For times and durations it can also be a native type of
    *   Spark. `VOID` if all values are null
    * @throws UnsupportedFeatureException if writing the type is not supported
    */
  def apply(field: Field, from: DataType): ColumnBuilder = {
    val physical = PhysicalTypes(from)
    check(field, physical)
    of(field, physical)
  }

  /** Rejects a field without a Spark type, unless all its values are null. */
  private def check(field: Field, from: DataType): Unit = (field.logicalType, from) match {
    case (_, NullType) => ()
    case (Struct, StructType(columns)) if !field.isBlob =>
      field.children.zip(columns).foreach { case (f, c) => check(f, c.dataType) }
    case _ => SparkTypes.dataType(field): Unit
  }

  private def of(field: Field, from: DataType): ColumnBuilder = {
    (field.logicalType, from) match {
      case _ if field.isBlob => new BinaryBuilder(field)
      case (Struct, t) if SparkShim.isVariant(t) => new VariantBuilder(field)
      case (Struct, StructType(columns)) =>
        new StructBuilder(
          field,
          field.children.zip(columns).map { case (f, c) => of(f, c.dataType) }
        )
      case (Struct, NullType) =>
        new StructBuilder(field, field.children.map(of(_, NullType)))
      case (List(_, _), NullType) =>
        new ListBuilder(field, of(field.children.head, NullType))
      case (FixedSizeList(Struct, dimension), NullType) =>
        new StructListBuilder(field, dimension, of(field.children.head, NullType))
      case (Map, NullType) =>
        val entries = field.children.head.children
        new MapBuilder(field, of(entries(0), NullType), of(entries(1), NullType))
      case (List(_, _), ArrayType(item, _)) =>
        new ListBuilder(field, of(field.children.head, item))
      case (FixedSizeList(Struct, dimension), ArrayType(item, _)) =>
        new StructListBuilder(field, dimension, of(field.children.head, item))
      case (Map, MapType(key, value, _)) =>
        val entries = field.children.head
        new MapBuilder(field, of(entries.children(0), key), of(entries.children(1), value))
      case _ => leaf(field, from)
    }
  }

  private def leaf(field: Field, from: DataType): LeafBuilder = (field.logicalType, from) match {
    case (FixedSizeList(item, dimension), ArrayType(itemType, _)) =>
      val items = Field(Field.Unassigned, field.name, item, nullable = true)
      new FixedSizeListBuilder(field, dimension, leaf(items, itemType))
    case (FixedSizeList(item, dimension), NullType) =>
      val items = Field(Field.Unassigned, field.name, item, nullable = true)
      new FixedSizeListBuilder(field, dimension, leaf(items, NullType))
    case (Dictionary(value, _, _), _) => leaf(field.copy(logicalType = value), from)
    case (Time(_, unit), t) if SparkShim.timePrecision(t).isDefined => new TimeBuilder(field, unit)
    case (Timestamp(_, _), LongType) => new LongBuilder(field)
    case (Duration(unit), _: DayTimeIntervalType) => new TimestampBuilder(field, unit)
    case (t, _) => leaf(field, t)
  }

  private def leaf(field: Field, logicalType: LogicalType): LeafBuilder = logicalType match {
    case BFloat16 => new BFloat16Builder(field)
    case _ if SparkTypes.isBFloat16(field) => new BFloat16Builder(field)
    case _ if SparkTypes.isJson(field) => new JsonBuilder(field)
    case Null => new NullBuilder(field)
    case Bool => new BooleanBuilder(field)
    case Integer(8, true) => new ByteBuilder(field)
    case Integer(16, true) => new ShortBuilder(field)
    case Integer(32, true) | Date32 => new IntBuilder(field)
    case Integer(64, true) | Time(64, _) | Duration(_) => new LongBuilder(field)
    case Integer(8, false) => new UnsignedByteBuilder(field)
    case Integer(16, false) => new UnsignedShortBuilder(field)
    case Integer(32, false) => new UnsignedIntBuilder(field)
    case Integer(64, false) => new UnsignedLongBuilder(field)
    case Time(32, _) => new NarrowedIntBuilder(field)
    case HalfFloat => new HalfFloatBuilder(field)
    case Float => new FloatBuilder(field)
    case Double => new DoubleBuilder(field)
    case Date64 => new MillisecondDateBuilder(field)
    case Timestamp(unit, _) => new TimestampBuilder(field, unit)
    case Decimal(bits, precision, scale) => new DecimalBuilder(field, bits / 8, precision, scale)
    case Utf8(_) => new StringBuilder(field)
    case Binary(_) => new BinaryBuilder(field)
    case FixedSizeBinary(1) => new BinaryByteBuilder(field)
    case FixedSizeBinary(2) => new BinaryShortBuilder(field)
    case FixedSizeBinary(4) => new BinaryIntBuilder(field)
    case FixedSizeBinary(8) => new BinaryLongBuilder(field)
    case FixedSizeBinary(n) if n > 0 => new FixedSizeBinaryBuilder(field, n)
    case other => reject(field, s"columns of type ${LogicalType.text(other)}")
  }

  private def reject(field: Field, what: String): Nothing =
    throw new UnsupportedFeatureException(s"writing $what", Place(column = Some(field.name)))
}
