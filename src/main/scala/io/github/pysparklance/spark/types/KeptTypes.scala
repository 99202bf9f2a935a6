// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import scala.util.Try

import org.apache.spark.sql.types._

import io.github.pysparklance.core.{Field, LogicalType}
import io.github.pysparklance.spark.shim.SparkShim

/** Spark types without a Lance type. They are stored as another type, and field metadata has the
  * Spark type, so that they are read as written. Other readers see the storage type.
  *
  * {{{
  *   interval year to month   int32          months
  *   interval day to second   duration:us
  *   time(n)                  time64:us, time64:ns for seven or more digits of a second
  *   char(n), varchar(n)      string         also for strings with a collation
  *   variant                  struct<value: binary, metadata: binary>
  *   udt(class)               its SQL type; only for classes registered with Spark
  * }}}
  */
private[spark] object KeptTypes {

  /** The key in field metadata. */
  val Key: String = "spark.type"

  private val udt = "udt"

  /** Returns the text that the metadata stores for a type, or `None` if the storage type is
    * sufficient.
    */
  def text(t: DataType): Option[String] = t match {
    case u: UserDefinedType[_] =>
      Option(u.userClass).map(c => s"$udt(${c.getName})").filter(isKnown)
    case _: YearMonthIntervalType | _: DayTimeIntervalType => Some(t.typeName)
    case _: CharType | _: VarcharType => Some(t.typeName)
    case s: StringType if s != StringType => Some(s.typeName)
    case _ if SparkShim.timePrecision(t).isDefined || SparkShim.isVariant(t) => Some(t.typeName)
    case _ => None
  }

  /** Returns the metadata for a type. */
  def metadata(t: DataType): Map[String, String] = text(t).map(Key -> _).toMap

  /** Returns the Spark type in the metadata of a field if its storage type can hold it.
    *
    * @param storage type of the field, or of the items of its fixed-size list
    */
  def read(field: Field, storage: LogicalType): Option[DataType] =
    field.metadata.get(Key).flatMap(parse).filter(fits(_, field, storage))

  private def parse(text: String): Option[DataType] =
    if (text.startsWith(s"$udt(") && text.endsWith(")"))
      userDefined(text.substring(udt.length + 1, text.length - 1))
    // All supported types have short names. Parsing longer text could take a long time.
    else if (text.length > longest) None
    else Try(DataType.fromDDL(text)).toOption

  private val longest = 100

  private def isKnown(text: String): Boolean = parse(text).isDefined

  /** Only returns classes that are registered in the session, because a table must not load
    * arbitrary classes.
    */
  private def userDefined(name: String): Option[DataType] =
    UDTRegistration.getUDTFor(name).flatMap { c =>
      Try(c.getConstructor().newInstance()).toOption.collect { case u: UserDefinedType[_] => u }
    }

  private def fits(t: DataType, field: Field, storage: LogicalType): Boolean = {
    import LogicalType._
    (t, storage) match {
      case (_: YearMonthIntervalType, Integer(32, true)) => true
      case (_: DayTimeIntervalType, Duration(_)) => true
      case (_: StringType | _: CharType | _: VarcharType, Utf8(_)) => true
      case (u: UserDefinedType[_], _) =>
        val plain = field.copy(metadata = field.metadata - Key)
        Try(SparkTypes.dataType(plain)).toOption.exists(PhysicalTypes.same(_, u.sqlType))
      case (_, Time(_, _)) => SparkShim.timePrecision(t).isDefined
      case (_, Struct) =>
        SparkShim.isVariant(t) && shape(field.children) == shape(variantMembers)
      case _ => false
    }
  }

  /** The storage of a variant, in the order that Spark requires. */
  val variantMembers: IndexedSeq[Field] = IndexedSeq("value", "metadata").map(name =>
    Field(Field.Unassigned, name, LogicalType.Binary(large = false), nullable = false)
  )

  private def shape(fields: IndexedSeq[Field]): IndexedSeq[(String, LogicalType)] =
    fields.map(f => f.name -> f.logicalType)
}
