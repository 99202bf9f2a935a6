// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types._

import io.github.pysparklance.core.{Field, LogicalType, Place, Schema, UnsupportedFeatureException}

/** What Spark sees of a table's schema. Unsigned integers widen to the next type that holds them, timestamps of every
  * unit are microseconds, times and durations are integers in their own unit, a dictionary is its values.
  *
  * Source: format page of the table, "Logical types", column "Spark".
  */
object SparkTypes {

  /** Metadata key of a column, and ending of a table property, that holds the dimension of a fixed-size list. */
  val FixedSizeListSize: String = "arrow.fixed-size-list.size"

  /** Field metadata that keeps a column's comment. */
  private val comment = "comment"

  /** The table's columns.
    *
    * @throws UnsupportedFeatureException naming the first column that Spark cannot read
    */
  def structType(schema: Schema): StructType = structType(schema.fields)

  /** The columns of these fields, in their order. */
  def structType(fields: IndexedSeq[Field]): StructType = StructType(fields.map(structField(_, "")))

  /** The type of a field's values.
    *
    * @throws UnsupportedFeatureException when Spark has no type for them or reading them is not built
    */
  def dataType(field: Field): DataType = dataType(field, field.name)

  private def structField(field: Field, parent: String): StructField = {
    val path = if (parent.isEmpty) field.name else s"$parent.${field.name}"
    StructField(field.name, dataType(field, path), field.nullable, metadata(field))
  }

  private def metadata(field: Field): Metadata = {
    val builder = new MetadataBuilder
    field.logicalType match {
      case LogicalType.FixedSizeList(_, dimension) =>
        builder.putLong(FixedSizeListSize, dimension.toLong): Unit
      case _ => ()
    }
    field.metadata.get(comment).foreach(builder.putString(comment, _))
    builder.build()
  }

  private def dataType(field: Field, path: String): DataType =
    Place.in(Place(column = Some(path))) {
      if (field.isBlob) refuse("blob columns")
      if (extension(field).exists(jsonExtensions)) refuse("JSON columns")
      field.logicalType match {
        case LogicalType.Struct =>
          StructType(field.children.map(structField(_, path)))
        case LogicalType.List(_, _) | LogicalType.FixedSizeList(LogicalType.Struct, _) =>
          val item = child(field, 0)
          ArrayType(dataType(item, s"$path.${item.name}"), item.nullable)
        case LogicalType.Map =>
          val entries = child(field, 0)
          val (key, value) = (child(entries, 0), child(entries, 1))
          MapType(dataType(key, s"$path.key"), dataType(value, s"$path.value"), value.nullable)
        case _ if isBFloat16(field) => FloatType
        case other => leafType(other)
      }
    }

  /** Whether the field is a single `lance.bfloat16`, which is stored as a fixed-size binary. */
  def isBFloat16(field: Field): Boolean =
    field.logicalType == LogicalType.FixedSizeBinary(2) && extension(
      field
    ).contains("lance.bfloat16")

  private val jsonExtensions = Set("lance.json", "arrow.json")

  private def extension(field: Field): Option[String] = field.metadata.get("ARROW:extension:name")

  private def child(field: Field, at: Int): Field =
    field.children.lift(
      at
    ).getOrElse(refuse(s"${LogicalType.text(field.logicalType)} without its child"))

  /** The type of values without child fields. */
  private[types] def leafType(t: LogicalType): DataType = t match {
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
    case LogicalType.Date32 | LogicalType.Date64 => DateType
    case LogicalType.Time(_, _) | LogicalType.Duration(_) => LongType
    case LogicalType.Timestamp(_, None) => TimestampNTZType
    case LogicalType.Timestamp(_, Some(_)) => TimestampType
    case LogicalType.FixedSizeList(item, _) => ArrayType(leafType(item), containsNull = true)
    case LogicalType.Dictionary(value, _, _) => leafType(value)
    case other => refuse(s"type ${LogicalType.text(other)}")
  }

  private def refuse(what: String): Nothing =
    throw new UnsupportedFeatureException(s"$what in Spark")
}
