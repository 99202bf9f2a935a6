// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import scala.util.Try

import org.apache.spark.sql.types.DataType

import io.github.pysparklance.core.{
  InvalidRequestException,
  LogicalType,
  Parse,
  UnsupportedFeatureException
}

/** The type that column options request.
  *
  * @param dimension dimension of a fixed-size list
  * @param types requested types with their property keys; for a fixed-size list, the types of its
  *   items
  */
final private[types] case class TypeRequest(
    dimension: Option[Int],
    types: IndexedSeq[(String, TypeRequest.Wanted)]
) {
  import TypeRequest._

  /** Returns the request for the items of a fixed-size list. */
  def ofItems: TypeRequest = copy(dimension = None).flattened

  /** Handles a fixed-size list as the type of another one's items. */
  private def flattened: TypeRequest = types match {
    case IndexedSeq((key, Exactly(LogicalType.FixedSizeList(item, n)))) =>
      TypeRequest(Some(n), IndexedSeq(key -> Exactly(item)))
    case _ => this
  }

  def orElse(other: TypeRequest): TypeRequest =
    TypeRequest(other.dimension.orElse(dimension), if (other.types.isEmpty) types else other.types)

  /** @throws InvalidRequestException if a type is requested */
  def checkNone(t: DataType): Unit = {
    dimension.foreach(_ => misplaced(ColumnOptionKeys.FixedSizeListSize, t))
    types.headOption.foreach { case (key, _) => misplaced(key, t) }
  }

  /** Returns the type of a flat column.
    *
    * @throws InvalidRequestException if the requested type contradicts Spark's type
    * @throws UnsupportedFeatureException if Spark's type is not supported
    */
  def leaf(t: DataType): LogicalType = {
    dimension.foreach(_ => misplaced(ColumnOptionKeys.FixedSizeListSize, t))
    val usual = LeafTypes.default(t).getOrElse(
      throw new UnsupportedFeatureException(s"writing columns of type ${t.sql}")
    )
    val wanted = types.map { case (key, w) => key -> w.of(usual) }
    wanted.find { case (_, w) => !LeafTypes.goesWith(t, w) }.foreach { case (key, w) =>
      val expected =
        LeafTypes.shown(w).fold("no column of its kind")(s => s"a column of type ${s.sql}")
      throw new InvalidRequestException(
        s"$key requests ${LogicalType.text(w)}, which needs $expected, not of type ${t.sql}"
      )
    }
    wanted.map(_._2).distinct match {
      case IndexedSeq() => usual
      case IndexedSeq(one) => one
      case _ =>
        throw new InvalidRequestException(
          s"${wanted.map(_._1).mkString(", ")} request different types"
        )
    }
  }

  /** Returns the type of a variable-size list. */
  def listOf(item: LogicalType, t: DataType): LogicalType = {
    val large = types match {
      case IndexedSeq() => false
      case IndexedSeq((_, Exactly(LogicalType.List(large, _)))) => large
      case other => misplaced(other.head._1, t)
    }
    LogicalType.List(large, ofStruct = item == LogicalType.Struct)
  }

  private def misplaced(key: String, t: DataType): Nothing =
    throw new InvalidRequestException(s"$key is set for a column of type ${t.sql}")
}

/** Parses requests. */
private[types] object TypeRequest {

  /** A type that may depend on the default type of the column. */
  sealed trait Wanted {
    def of(usual: LogicalType): LogicalType
  }

  /** A fixed type. */
  final case class Exactly(t: LogicalType) extends Wanted {
    def of(usual: LogicalType): LogicalType = t
  }

  /** A dictionary of the default type. */
  case object DictionaryOfUsual extends Wanted {
    def of(usual: LogicalType): LogicalType =
      LogicalType.Dictionary(usual, LogicalType.Integer(32, signed = true), ordered = false)
  }

  /** @param columnOptions column options by key
    * @throws InvalidRequestException if a value is invalid
    */
  def apply(columnOptions: Map[String, String]): TypeRequest = {
    import ColumnOptionKeys._
    def flag(key: String, t: LogicalType): Option[(String, Wanted)] =
      columnOptions.get(key).filter(isTrue(key, _)).map(_ => key -> Exactly(t))
    val named = IndexedSeq(
      columnOptions.get(LanceType).map(LanceType -> parse(_)),
      flag(Float16, LogicalType.HalfFloat),
      flag(LargeString, LogicalType.Utf8(large = true)),
      flag(LargeBinary, LogicalType.Binary(large = true)),
      columnOptions.get(FixedSizeBinaryWidth).map { text =>
        FixedSizeBinaryWidth -> Exactly(LogicalType.FixedSizeBinary(
          count(FixedSizeBinaryWidth, text)
        ))
      },
      columnOptions.get(ExtensionName).flatMap(extension).map(ExtensionName -> Exactly(_))
    ).flatten
    val size = columnOptions.get(FixedSizeListSize).map(count(FixedSizeListSize, _))
    if (size.isDefined) TypeRequest(size, named) else TypeRequest(None, named).flattened
  }

  /** Returns the type of a known extension type. Other extension types keep their storage type. */
  private def extension(name: String): Option[LogicalType] = name match {
    case "arrow.json" | "lance.json" => Some(LogicalType.Json)
    case "lance.bfloat16" => Some(LogicalType.BFloat16)
    case _ => None
  }

  /** Arrow names for types that have another name in the format. */
  private val arrowNames: Map[String, LogicalType] = Map(
    "float16" -> LogicalType.HalfFloat,
    "float32" -> LogicalType.Float,
    "float64" -> LogicalType.Double,
    "bfloat16" -> LogicalType.BFloat16,
    "utf8" -> LogicalType.Utf8(large = false),
    "large_utf8" -> LogicalType.Utf8(large = true),
    "date32" -> LogicalType.Date32,
    "date64" -> LogicalType.Date64
  )

  private def parse(text: String): Wanted =
    if (text.equalsIgnoreCase("dictionary")) DictionaryOfUsual
    else
      Exactly(
        arrowNames.get(
          text
        ).orElse(Try(LogicalType.parse(text)).toOption.filter(isSound)).getOrElse(
          throw new InvalidRequestException(
            s"${ColumnOptionKeys.LanceType} is '$text', a type as Lance spells it is expected, such as uint32, " +
              "float16, fixed_size_binary:16, timestamp:ns:UTC, large_string, dictionary or json"
          )
        )
      )

  /** Rejects types that the syntax of the format allows, but that do not exist. */
  private def isSound(t: LogicalType): Boolean = t match {
    case LogicalType.FixedSizeBinary(numBytes) => numBytes > 0
    case LogicalType.FixedSizeList(item, dimension) => dimension > 0 && isSound(item)
    case LogicalType.Dictionary(_, index, _) => index.isInstanceOf[LogicalType.Integer]
    case _ => true
  }

  private def isTrue(key: String, text: String): Boolean =
    Parse.boolean(text.trim).getOrElse(
      throw new InvalidRequestException(s"$key is '$text', true or false is expected")
    )

  private def count(key: String, text: String): Int =
    Parse.int(text.trim).filter(_ > 0).getOrElse(
      throw new InvalidRequestException(s"$key is '$text', a number above 0 is expected")
    )
}
