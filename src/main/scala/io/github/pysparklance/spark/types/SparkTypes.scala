// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._

import io.github.pysparklance.core.{
  BlobField,
  Field,
  LogicalType,
  Place,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.spark.shim.SparkShim

/** Converts the schema of a table to Spark types. Unsigned integers are widened to the next type
  * that holds all values. Timestamps of all units become microseconds. Times and durations become
  * integers in their unit. Dictionaries become the type of their values.
  *
  * Source: format page of the table, "Logical types", column "Spark".
  */
object SparkTypes {

  /** Returns the columns for display. Unsupported columns have the type `VOID`, and their comment
    * has the reason. Reading them fails.
    */
  def shownColumns(fields: IndexedSeq[Field], options: TypeOptions): StructType =
    StructType(fields.map(new Mapping(options, strict = false).structField(_, "")))

  /** Returns the fields that [[shownColumns]] shows as `VOID`: fields of structs, or complete
    * columns.
    *
    * @return fields with their dotted paths
    */
  def unreadable(fields: IndexedSeq[Field]): IndexedSeq[(String, Field)] =
    unreadable(fields, "")

  private def unreadable(fields: IndexedSeq[Field], parent: String): IndexedSeq[(String, Field)] =
    fields.flatMap { f =>
      val path = parent + f.name
      if (isReadable(f)) IndexedSeq.empty
      else if (f.logicalType == LogicalType.Struct && !f.isBlob) unreadable(f.children, s"$path.")
      else IndexedSeq(path -> f)
    }

  private def isReadable(field: Field): Boolean =
    try {
      dataType(field): Unit
      true
    } catch { case _: UnsupportedFeatureException => false }

  /** Returns the columns of a table.
    *
    * @throws UnsupportedFeatureException that names the first unsupported column
    */
  def structType(schema: Schema): StructType = structType(schema.fields)

  /** Returns the columns of these fields, in order.
    *
    * @throws UnsupportedFeatureException that names the first unsupported column
    */
  def structType(
      fields: IndexedSeq[Field],
      options: TypeOptions = TypeOptions.default
  ): StructType =
    StructType(fields.map(new Mapping(options, strict = true).structField(_, "")))

  /** Returns columns as attributes of a plan. CHAR and VARCHAR at any depth become strings with
    * their length in the metadata.
    */
  private[spark] def attributes(columns: StructType): Seq[AttributeReference] =
    DataTypeUtils.toAttributes(CharVarcharUtils.replaceCharVarcharWithStringInSchema(columns))

  /** Returns the type of a field's values.
    *
    * @throws UnsupportedFeatureException if the type is not supported
    */
  def dataType(field: Field, options: TypeOptions = TypeOptions.default): DataType =
    new Mapping(options, strict = true).dataType(field, field.name)

  /** @param strict whether an unsupported type is an error */
  final private class Mapping(options: TypeOptions, strict: Boolean) {

    def structField(field: Field, parent: String): StructField = {
      val path = if (parent.isEmpty) field.name else s"$parent.${field.name}"
      try
        StructField(
          field.name,
          dataType(field, path),
          field.nullable,
          ShownMetadata(field)
        )
      catch {
        case e: UnsupportedFeatureException if !strict =>
          StructField(field.name, NullType, field.nullable).withComment(e.getMessage)
      }
    }

    def dataType(field: Field, path: String): DataType =
      Place.in(Place(column = Some(path))) {
        if (field.isBlob) blob(BlobField.in(BlobField.mode(field))(field), path)
        else if (isJson(field)) StringType
        else KeptTypes.read(field, field.logicalType).getOrElse {
          field.logicalType match {
            case LogicalType.Struct => struct(field, path)
            case LogicalType.List(_, _) | LogicalType.FixedSizeList(LogicalType.Struct, _) =>
              val item = child(field, 0)
              ArrayType(dataType(item, s"$path.${item.name}"), item.nullable)
            case LogicalType.Map =>
              val entries = child(field, 0)
              val (key, value) = (child(entries, 0), child(entries, 1))
              MapType(
                dataType(key, s"$path.key"),
                dataType(value, s"$path.value"),
                value.nullable
              )
            case _ if isBFloat16(field) => FloatType
            case LogicalType.FixedSizeList(item, _) =>
              ArrayType(items(field, item), containsNull = true)
            case other => leafType(other, options)
          }
        }
      }

    /** Items without a field. The metadata of their type is stored in the list field. */
    private def items(list: Field, item: LogicalType): DataType = item match {
      case LogicalType.FixedSizeList(inner, _) =>
        ArrayType(items(list, inner), containsNull = true)
      case leaf => KeptTypes.read(list, leaf).getOrElse(leafType(leaf, options))
    }

    private def struct(field: Field, path: String): StructType =
      StructType(field.children.map(structField(_, path)))

    private def blob(field: Field, path: String): DataType =
      if (field.logicalType == LogicalType.Struct) struct(field, path)
      else leafType(field.logicalType, options)
  }

  /** Whether the field is a single `lance.bfloat16`, which is stored as a fixed-size binary. */
  def isBFloat16(field: Field): Boolean =
    field.logicalType == LogicalType.FixedSizeBinary(2) && field.extensionName.contains(
      "lance.bfloat16"
    )

  /** Whether the field contains JSON in binary format. */
  def isJson(field: Field): Boolean = field.isJson

  private def child(field: Field, at: Int): Field =
    field.children.lift(
      at
    ).getOrElse(reject(s"${LogicalType.text(field.logicalType)} without its child"))

  /** Returns the Spark type of a flat type. */
  private[types] def leafType(t: LogicalType, options: TypeOptions): DataType = t match {
    case LogicalType.Null => NullType
    case LogicalType.Bool => BooleanType
    case LogicalType.Integer(8, true) => ByteType
    case LogicalType.Integer(16, true) | LogicalType.Integer(8, false) => ShortType
    case LogicalType.Integer(32, true) | LogicalType.Integer(16, false) => IntegerType
    case LogicalType.Integer(64, true) | LogicalType.Integer(32, false) => LongType
    case LogicalType.Integer(64, false) => DecimalType(20, 0)
    case LogicalType.HalfFloat | LogicalType.BFloat16 | LogicalType.Float => FloatType
    case LogicalType.Double => DoubleType
    case LogicalType.Utf8(_) => StringType
    case LogicalType.Binary(_) | LogicalType.FixedSizeBinary(_) => BinaryType
    case LogicalType.Decimal(_, p, s)
        if p >= 1 && p <= DecimalType.MAX_PRECISION && s >= 0 && s <= p =>
      DecimalType(p, s)
    case LogicalType.Decimal(_, p, s) =>
      reject(
        s"type ${LogicalType.text(t)}, a decimal of $p digits and scale $s, which has at most " +
          s"${DecimalType.MAX_PRECISION} digits"
      )
    case LogicalType.Date32 | LogicalType.Date64 => DateType
    case LogicalType.Time(_, unit) if options.nativeTimeTypes =>
      SparkShim
        .timeType(timePrecision(unit))
        .getOrElse(reject("times of the day, before its version 4.1,"))
    case LogicalType.Duration(_) if options.nativeTimeTypes => DayTimeIntervalType()
    case LogicalType.Time(_, _) | LogicalType.Duration(_) => LongType
    case LogicalType.Timestamp(LogicalType.Nanosecond, _) if options.rawNanoseconds => LongType
    case LogicalType.Timestamp(_, None) => TimestampNTZType
    case LogicalType.Timestamp(_, Some(_)) => TimestampType
    case LogicalType.FixedSizeList(item, _) =>
      ArrayType(leafType(item, options), containsNull = true)
    case LogicalType.Dictionary(value, _, _) => leafType(value, options)
    case other => reject(s"type ${LogicalType.text(other)}")
  }

  /** Fractional digits of a second. */
  private def timePrecision(unit: LogicalType.TimeUnit): Int = unit match {
    case LogicalType.Second => 0
    case LogicalType.Millisecond => 3
    case LogicalType.Microsecond | LogicalType.Nanosecond => 6
  }

  private def reject(what: String): Nothing =
    throw new UnsupportedFeatureException(s"$what in Spark")
}
