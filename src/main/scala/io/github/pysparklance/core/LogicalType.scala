// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** The type of a field, as stored in the format's `logical_type` string.
  *
  * Source: format page of the table, "Logical types". [[LogicalType.parse]] and
  * [[LogicalType.text]] are inverses.
  */
sealed trait LogicalType

object LogicalType {
  case object Null extends LogicalType
  case object Bool extends LogicalType
  final case class Integer(bits: Int, signed: Boolean) extends LogicalType
  case object HalfFloat extends LogicalType
  case object Float extends LogicalType
  case object Double extends LogicalType
  final case class Utf8(large: Boolean) extends LogicalType
  final case class Binary(large: Boolean) extends LogicalType
  final case class FixedSizeBinary(numBytes: Int) extends LogicalType

  /** `bits` is 128 or 256. */
  final case class Decimal(bits: Int, precision: Int, scale: Int) extends LogicalType
  case object Date32 extends LogicalType

  /** Milliseconds since the epoch. */
  case object Date64 extends LogicalType

  /** `unit` is seconds or milliseconds for 32 bits, microseconds or nanoseconds for 64 bits. */
  final case class Time(bits: Int, unit: TimeUnit) extends LogicalType
  final case class Timestamp(unit: TimeUnit, zone: Option[String]) extends LogicalType
  final case class Duration(unit: TimeUnit) extends LogicalType
  case object Struct extends LogicalType

  /** `ofStruct` is true for items that are structs, which the type's string repeats. */
  final case class List(large: Boolean, ofStruct: Boolean) extends LogicalType

  /** The type's string contains the item type. Only struct items have a child field. */
  final case class FixedSizeList(item: LogicalType, dimension: Int) extends LogicalType

  /** `lance.bfloat16`, only valid as the item of a fixed-size list. */
  case object BFloat16 extends LogicalType
  case object Map extends LogicalType

  /** A dictionary-encoded value. Its string contains the strings of both types. */
  final case class Dictionary(value: LogicalType, index: LogicalType, ordered: Boolean)
      extends LogicalType

  /** JSON stored as a binary in JSONB encoding. */
  case object Json extends LogicalType

  /** The type that marks a legacy blob. */
  case object Blob extends LogicalType

  sealed abstract class TimeUnit(val text: String, val perSecond: Long) extends Serializable
  case object Second extends TimeUnit("s", 1L)
  case object Millisecond extends TimeUnit("ms", 1000L)
  case object Microsecond extends TimeUnit("us", 1000000L)
  case object Nanosecond extends TimeUnit("ns", 1000000000L)

  private val units: Predef.Map[String, TimeUnit] =
    Seq(Second, Millisecond, Microsecond, Nanosecond).map(u => u.text -> u).toMap

  private val plain: Predef.Map[String, LogicalType] = Predef.Map(
    "null" -> Null,
    "bool" -> Bool,
    "int8" -> Integer(8, signed = true),
    "int16" -> Integer(16, signed = true),
    "int32" -> Integer(32, signed = true),
    "int64" -> Integer(64, signed = true),
    "uint8" -> Integer(8, signed = false),
    "uint16" -> Integer(16, signed = false),
    "uint32" -> Integer(32, signed = false),
    "uint64" -> Integer(64, signed = false),
    "halffloat" -> HalfFloat,
    "float" -> Float,
    "double" -> Double,
    "string" -> Utf8(large = false),
    "large_string" -> Utf8(large = true),
    "binary" -> Binary(large = false),
    "large_binary" -> Binary(large = true),
    "date32:day" -> Date32,
    "date64:ms" -> Date64,
    "time32:s" -> Time(32, Second),
    "time32:ms" -> Time(32, Millisecond),
    "time64:us" -> Time(64, Microsecond),
    "time64:ns" -> Time(64, Nanosecond),
    "struct" -> Struct,
    "list" -> List(large = false, ofStruct = false),
    "list.struct" -> List(large = false, ofStruct = true),
    "large_list" -> List(large = true, ofStruct = false),
    "large_list.struct" -> List(large = true, ofStruct = true),
    "map" -> Map,
    "json" -> Json,
    "blob" -> Blob,
    "lance.bfloat16" -> BFloat16
  )
  private val plainText: Predef.Map[LogicalType, String] = plain.map(_.swap)

  /** Parses a `logical_type` string.
    *
    * @throws UnsupportedFeatureException if the format does not define the string
    */
  def parse(text: String): LogicalType =
    plain.getOrElse(text, compound(text).getOrElse(unknown(text)))

  /** Limits the recursion on nested fixed-size lists, in characters of the string. */
  private val maxNested = 4096

  private def compound(text: String): Option[LogicalType] = text.split(":", 3).toList match {
    case "fixed_size_binary" :: Count(n) :: Nil => Some(FixedSizeBinary(n))
    case "fixed_size_list" :: _ :: _ if text.length <= maxNested =>
      val last = text.lastIndexOf(':')
      for {
        rest <- Option(text.substring("fixed_size_list:".length.min(last), last)).filter(_.nonEmpty)
        dimension <- Count.unapply(text.substring(last + 1))
      } yield FixedSizeList(parse(rest), dimension)
    case "decimal" :: Count(bits) :: rest :: Nil if bits == 128 || bits == 256 =>
      rest.split(":", -1) match {
        case Array(Count(p), scale) => Parse.int(scale).map(Decimal(bits, p, _))
        case _ => None
      }
    case "timestamp" :: unit :: zone :: Nil =>
      units.get(unit).map(Timestamp(_, Option(zone).filter(_ != "-")))
    case "duration" :: unit :: Nil => units.get(unit).map(Duration)
    case "dict" :: _ =>
      text.split(":", -1) match {
        case Array(_, v, i, ordered) => Some(Dictionary(parse(v), parse(i), ordered == "true"))
        case _ => None
      }
    case _ => None
  }

  private def unknown(text: String): Nothing =
    throw new UnsupportedFeatureException(s"logical type '${text.take(100)}'")

  private object Count {
    def unapply(s: String): Option[Int] = Parse.int(s).filter(_ >= 0)
  }

  /** Returns the `logical_type` string of a type. */
  def text(t: LogicalType): String = t match {
    case FixedSizeBinary(n) => s"fixed_size_binary:$n"
    case Decimal(bits, p, s) => s"decimal:$bits:$p:$s"
    case Timestamp(unit, zone) => s"timestamp:${unit.text}:${zone.getOrElse("-")}"
    case Duration(unit) => s"duration:${unit.text}"
    case FixedSizeList(item, dimension) => s"fixed_size_list:${text(item)}:$dimension"
    case Dictionary(value, index, ordered) => s"dict:${text(value)}:${text(index)}:$ordered"
    case other => plainText(other)
  }
}
