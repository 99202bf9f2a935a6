// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.connector.catalog.functions.{BoundFunction, ScalarFunction}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.{
  InvalidRequestException,
  LogicalType,
  Printable,
  UnsupportedFeatureException
}
import io.github.pysparklance.index.json.{JsonKey, JsonPath, JsonScalar, JsonSelector, JsonText}
import io.github.pysparklance.spark.common.LanceErrors

/** A SQL function of a JSON document and a selector. The selector is the name of a member of an
  * object, or the position of an element of an array, or a path. Returns null if the document has
  * no such value. Has the results of pylance's function with the same name.
  *
  * @param functionName name of the function in SQL
  * @param resultType type of the result
  * @param valueType type of the keys of indices of these results; `None` if no index has them
  */
sealed abstract class JsonFunction(
    val functionName: String,
    val resultType: DataType,
    val valueType: Option[LogicalType]
) extends LanceFunction {

  /** Name of the second argument. */
  protected def selectorKind: String = "key"

  /** Parses a selector. */
  protected def selector(text: String): JsonSelector = new JsonKey(text)

  final override def arguments: String = s"document, $selectorKind"

  final override def meaning: String =
    s"returns the value of a $selectorKind of a JSON document as ${resultType.sql}, or null if there is none"

  /** Parses the second argument.
    *
    * @throws org.apache.spark.sql.AnalysisException if it is not valid
    */
  final private[spark] def parse(text: String): JsonSelector =
    LanceErrors.translated(selector(text))

  /** Returns a value of a document, or null.
    *
    * @throws org.apache.spark.sql.AnalysisException if the value cannot be converted, or the
    *   document is not valid JSON
    */
  final private[spark] def evaluate(document: UTF8String, key: JsonSelector): Any =
    LanceErrors.translated {
      val text = document.getBytes
      val value = key.find(text)
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
        s"$functionName takes a JSON document and a $selectorKind, which are strings, not " +
          types.map(_.sql).mkString("(", ", ", ")")
      )
}

object JsonFunction {

  /** Returns the text of a value, for nested calls. */
  case object Get extends JsonFunction("json_get", StringType, None) {
    protected def convert(text: Array[Byte], value: Long): Option[Any] = Some(json(text, value))
  }

  /** Returns the text of the value at a path. */
  case object Extract extends JsonFunction("json_extract", StringType, None) {
    override protected def selectorKind: String = "path"

    override protected def selector(text: String): JsonSelector =
      JsonPath.member(text).getOrElse(throw new UnsupportedFeatureException(
        s"the path '${Printable.line(text)}' of $functionName: use a path of names, such as '$$.a.b'"
      ))

    protected def convert(text: Array[Byte], value: Long): Option[Any] = Some(json(text, value))
  }

  case object GetString
      extends JsonFunction("json_get_string", StringType, Some(LogicalType.Utf8(large = false))) {
    protected def convert(text: Array[Byte], value: Long): Option[Any] =
      JsonScalar.Text(text, value).map(bytes => UTF8String.fromBytes(bytes))
  }

  case object GetInt
      extends JsonFunction("json_get_int", LongType, Some(LogicalType.Integer(64, signed = true))) {
    protected def convert(text: Array[Byte], value: Long): Option[Any] =
      JsonScalar.Integer(text, value)
  }

  case object GetFloat
      extends JsonFunction("json_get_float", DoubleType, Some(LogicalType.Double)) {
    protected def convert(text: Array[Byte], value: Long): Option[Any] =
      JsonScalar.Float(text, value)
  }

  case object GetBool extends JsonFunction("json_get_bool", BooleanType, Some(LogicalType.Bool)) {
    protected def convert(text: Array[Byte], value: Long): Option[Any] =
      JsonScalar.Bool(text, value)
  }

  val all: Seq[JsonFunction] = Seq(Get, Extract, GetString, GetInt, GetFloat, GetBool)

  private def json(text: Array[Byte], value: Long): UTF8String = {
    val from = JsonText.from(value)
    UTF8String.fromBytes(text, from, JsonText.until(value) - from)
  }
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

  @transient private lazy val evaluation = new JsonEvaluation(function)

  override def produceResult(row: InternalRow): Any =
    if (row.isNullAt(0) || row.isNullAt(1)) null
    else evaluation(row.getUTF8String(0), row.getUTF8String(1))

  override def toString: String = name()
}
