// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types._

import io.github.pysparklance.core.{
  Field,
  InvalidRequestException,
  LogicalType,
  Place,
  Schema,
  UnsupportedFeatureException
}

/** The schema a new table gets for Spark's columns: what pylance makes of the same Arrow types.
  *
  * Timestamps are microseconds (`UTC` for those that mean an instant), decimals have 128 bits, list items are named
  * `item`. A column of numeric arrays becomes a fixed-size list when its metadata, or a table property
  * `<column>.arrow.fixed-size-list.size`, gives the dimension.
  *
  * Source: format page of the table, "Logical types".
  */
object LanceFields {

  /** A schema with ids as a new table has them.
    *
    * @param properties table properties, of which those about columns are used
    * @throws UnsupportedFeatureException naming the first column whose type has no counterpart
    * @throws InvalidRequestException when a dimension is given for what is no array of fixed-width values
    */
  def schema(columns: StructType, properties: Map[String, String] = Map.empty): Schema = {
    val dimensions = properties.collect {
      case (key, value) if key.endsWith(s".${SparkTypes.FixedSizeListSize}") =>
        key.stripSuffix(s".${SparkTypes.FixedSizeListSize}") -> value
    }
    columns.groupBy(_.name).find(_._2.length > 1).foreach { case (name, _) =>
      throw new InvalidRequestException(s"""two columns are named "$name"""")
    }
    dimensions.keys.find(name => !columns.fieldNames.contains(name)).foreach { name =>
      throw new InvalidRequestException(
        s"""the property $name.${SparkTypes.FixedSizeListSize} names no column of the table"""
      )
    }
    Schema(columns.fields.toIndexedSeq.map(c =>
      field(c, dimensions.get(c.name), c.name)
    )).withFreshIds
  }

  private def field(column: StructField, dimension: Option[String], path: String): Field =
    Place.in(Place(column = Some(path))) {
      val wanted = dimension.orElse(metadataValue(column.metadata, SparkTypes.FixedSizeListSize))
      val comment = column.getComment().map("comment" -> _)
      val made = wanted match {
        case Some(text) => fixedSizeList(column, text)
        case None => field(column.name, column.dataType, column.nullable, path)
      }
      made.copy(metadata = made.metadata ++ comment)
    }

  private def metadataValue(metadata: Metadata, key: String): Option[String] =
    if (!metadata.contains(key)) None
    else
      try Some(metadata.getLong(key).toString)
      catch { case _: ClassCastException => Some(metadata.getString(key)) }

  private def fixedSizeList(column: StructField, text: String): Field = {
    val dimension = text.toIntOption
      .filter(_ > 0)
      .getOrElse(
        throw new InvalidRequestException(
          s"${SparkTypes.FixedSizeListSize} is '$text', a number above 0 is expected"
        )
      )
    column.dataType match {
      case ArrayType(item, _) if leafType(item).exists(isFixedWidth) =>
        Field(
          Field.Unassigned,
          column.name,
          LogicalType.FixedSizeList(leafType(item).get, dimension),
          column.nullable
        )
      case other =>
        throw new InvalidRequestException(
          s"${SparkTypes.FixedSizeListSize} is set for a column of type ${other.sql}, an array of numbers is expected"
        )
    }
  }

  private def isFixedWidth(t: LogicalType): Boolean = t match {
    case LogicalType.Utf8(_) | LogicalType.Binary(_) | LogicalType.Null => false
    case _ => true
  }

  private def field(name: String, dataType: DataType, nullable: Boolean, path: String): Field =
    dataType match {
      case StructType(columns) =>
        if (columns.isEmpty) throw new UnsupportedFeatureException("struct without fields")
        val children = columns.toIndexedSeq.map(c => field(c, None, s"$path.${c.name}"))
        Field(Field.Unassigned, name, LogicalType.Struct, nullable, children)
      case ArrayType(item, containsNull) =>
        val child = field("item", item, containsNull, s"$path.item")
        val ofStruct = child.logicalType == LogicalType.Struct
        Field(
          Field.Unassigned,
          name,
          LogicalType.List(large = false, ofStruct),
          nullable,
          IndexedSeq(child)
        )
      case MapType(key, value, valueContainsNull) =>
        val entries = Field(
          Field.Unassigned,
          "entries",
          LogicalType.Struct,
          nullable = false,
          IndexedSeq(
            field("key", key, nullable = false, s"$path.key"),
            field("value", value, valueContainsNull, s"$path.value")
          )
        )
        Field(Field.Unassigned, name, LogicalType.Map, nullable, IndexedSeq(entries))
      case udt: UserDefinedType[_] => field(name, udt.sqlType, nullable, path)
      case other =>
        val t = leafType(other).getOrElse(
          throw new UnsupportedFeatureException(
            s"writing columns of type ${other.sql}",
            Place(column = Some(path))
          )
        )
        Field(Field.Unassigned, name, t, nullable)
    }

  private def leafType(t: DataType): Option[LogicalType] = t match {
    case BooleanType => Some(LogicalType.Bool)
    case ByteType => Some(LogicalType.Integer(8, signed = true))
    case ShortType => Some(LogicalType.Integer(16, signed = true))
    case IntegerType => Some(LogicalType.Integer(32, signed = true))
    case LongType => Some(LogicalType.Integer(64, signed = true))
    case FloatType => Some(LogicalType.Float)
    case DoubleType => Some(LogicalType.Double)
    case d: DecimalType => Some(LogicalType.Decimal(128, d.precision, d.scale))
    case _: StringType | _: CharType | _: VarcharType => Some(LogicalType.Utf8(large = false))
    case BinaryType => Some(LogicalType.Binary(large = false))
    case DateType => Some(LogicalType.Date32)
    case TimestampType => Some(LogicalType.Timestamp(LogicalType.Microsecond, Some("UTC")))
    case TimestampNTZType => Some(LogicalType.Timestamp(LogicalType.Microsecond, None))
    case NullType => Some(LogicalType.Null)
    case _ => None
  }
}
