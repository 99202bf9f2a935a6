// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.connector.catalog.functions.{BoundFunction, ScalarFunction}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.{InvalidRequestException, LogicalType}
import io.github.pysparklance.index.json.{JsonKey, JsonScalar, JsonText}
import io.github.pysparklance.spark.common.LanceErrors

/** A SQL function of a JSON document and a key, which is the name of a member of an object, or the
  * position of an element of an array. Returns null if the document has no such value, or if it is
  * a JSON null. Has the results of pylance's function with the same name.
  *
  * @param functionName name of the function in SQL
  * @param resultType type of the result
  * @param valueType type of the keys of indices of these results
  */
sealed abstract class JsonFunction(
    val functionName: String,
    val resultType: DataType,
    val valueType: LogicalType
) extends LanceFunction {
  final override def arguments: String = "document, key"

  final override def meaning: String =
    s"returns the value of a key of a JSON document as ${resultType.sql}, or null if there is none"

  /** Returns a value of a document, or null.
    *
    * @throws org.apache.spark.sql.AnalysisException if the value cannot be converted, or the
    *   document is not valid JSON
    */
  final private[spark] def evaluate(document: UTF8String, key: JsonKey): Any =
    LanceErrors.translated {
      val text = document.getBytes
      val value = JsonText.get(text, key)
      if (value == JsonText.missing) null
      else
        convert(text, value).getOrElse {
          val kind = text(JsonText.from(value)) match {
            case '{' => "an object"
            case '[' => "an array"
            case '"' => "a string without such a value"
            case _ => "a number or a truth value that does not fit"
          }
          throw new InvalidRequestException(
            s"$functionName cannot convert the value of '${key.name}' to ${resultType.sql}: it is $kind"
          )
        }
    }

  /** Converts the bytes of a value. */
  protected def convert(text: Array[Byte], value: Long): Option[Any]

  /** @throws UnsupportedOperationException for arguments that are not strings, which Spark reports
    */
  final override def bind(arguments: StructType): BoundFunction = {
    check(arguments.map(_.dataType))
    new BoundJsonFunction(this, arguments.map(_.dataType).toIndexedSeq)
  }

  final override private[spark] def of(arguments: Seq[Expression]): Expression = {
    val typed = arguments.map(a => if (a.dataType == NullType) Cast(a, StringType) else a)
    check(typed.map(_.dataType))
    JsonCall(this, typed.head, typed(1))
  }

  private def check(types: Seq[DataType]): Unit =
    if (types.length != 2 || !types.forall(_.isInstanceOf[StringType]))
      throw new UnsupportedOperationException(
        s"$functionName takes a JSON document and a key, which are strings, not (${types.map(_.sql).mkString(", ")})"
      )
}

object JsonFunction {

  /** Returns the text of a value, for nested calls. */
  case object Get extends JsonFunction("json_get", StringType, LogicalType.Json) {
    protected def convert(text: Array[Byte], value: Long): Option[Any] = {
      val from = JsonText.from(value)
      Some(UTF8String.fromBytes(text, from, JsonText.until(value) - from))
    }
  }

  case object GetString
      extends JsonFunction("json_get_string", StringType, LogicalType.Utf8(large = false)) {
    protected def convert(text: Array[Byte], value: Long): Option[Any] =
      JsonScalar.Text(text, value).map(bytes => UTF8String.fromBytes(bytes))
  }

  case object GetInt
      extends JsonFunction("json_get_int", LongType, LogicalType.Integer(64, signed = true)) {
    protected def convert(text: Array[Byte], value: Long): Option[Any] =
      JsonScalar.Integer(text, value)
  }

  case object GetFloat extends JsonFunction("json_get_float", DoubleType, LogicalType.Double) {
    protected def convert(text: Array[Byte], value: Long): Option[Any] =
      JsonScalar.Float(text, value)
  }

  case object GetBool extends JsonFunction("json_get_bool", BooleanType, LogicalType.Bool) {
    protected def convert(text: Array[Byte], value: Long): Option[Any] =
      JsonScalar.Bool(text, value)
  }

  val all: Seq[JsonFunction] = Seq(Get, GetString, GetInt, GetFloat, GetBool)
}

/** A function of arguments with known types, for catalogs.
  *
  * @param types types of the arguments
  */
final private[spark] case class BoundJsonFunction(
    function: JsonFunction,
    types: IndexedSeq[DataType]
) extends ScalarFunction[Any] {
  override def inputTypes(): Array[DataType] = types.toArray

  override def resultType(): DataType = function.resultType

  override def name(): String = function.functionName

  override def canonicalName(): String = function.canonicalName

  override def produceResult(row: InternalRow): Any =
    if (row.isNullAt(0) || row.isNullAt(1)) null
    else function.evaluate(row.getUTF8String(0), new JsonKey(row.getUTF8String(1).toString))

  override def toString: String = name()
}
