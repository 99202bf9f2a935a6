// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{
  ArrayType,
  BooleanType,
  ByteType,
  DataType,
  DateType,
  IntegerType,
  LongType,
  NullType,
  ShortType,
  StringType,
  TimestampNTZType,
  TimestampType
}
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.catalog.{ChangeOptions, TravelOptions}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.functions.SessionFunctions
import io.github.pysparklance.spark.scan.changes.ChangeRequest
import io.github.pysparklance.spark.shim.PinnedRelation
import io.github.pysparklance.table.changes.ChangeBound

/** The table function for changes:
  * {{{
  *   SELECT * FROM lance_changes('db.t', 5)
  *   SELECT * FROM lance_changes('/data/t.lance', 5, 9, net => true)
  *   SELECT * FROM lance_changes('db.t', TIMESTAMP '2026-01-31 09:00:00', identifier_columns => 'id')
  * }}}
  * A version is an integer; anything else is the time of a commit, written as for `TIMESTAMP AS
  * OF`.
  */
private[spark] object ChangesFunction {

  /** The name of the function. */
  val Name: String = "lance_changes"

  private val parameters = IndexedSeq("table", "start", "end", "net", "identifier_columns")

  def inject(extensions: SparkSessionExtensions): Unit = {
    val usage =
      "_FUNC_(table, start[, end][, net => true][, identifier_columns => 'id']) - returns the rows " +
        "that the commits of a range of versions inserted, deleted, and updated."
    val info = SessionFunctions.description(getClass, Name, usage)
    extensions.injectTableFunction((FunctionIdentifier(Name), info, plan))
  }

  private def plan(arguments: Seq[Expression]): LogicalPlan = {
    val session = SparkSession.active
    val values = byName(arguments)
    def value(name: String): Option[(Any, DataType)] = values.get(name).flatMap(evaluated(name, _))
    val table = value("table").getOrElse(missing("table")) match {
      case (text, StringType) => TableArgument.load(session, text.toString, Name)
      case (_, other) => wrong("table", "the name or the path of a table", other)
    }
    val request = ChangeRequest(
      value("start").map(bound("start", _)).getOrElse(missing("start")),
      value("end").map(bound("end", _)),
      value("net").exists {
        case (flag, BooleanType) => flag == true
        case (_, other) => wrong("net", "true or false", other)
      },
      value("identifier_columns").fold(Seq.empty[String])(columns)
    )
    val changes = table.spark.changes(request)
    PinnedRelation(changes, table.catalog, table.ident, table.table.version)
  }

  private def byName(arguments: Seq[Expression]): Map[String, Expression] = LanceErrors.translated {
    val named = new TableFunctionCall(Name, parameters, arguments).expressions
    named.map(_._1).find(!parameters.contains(_)).foreach { key =>
      reject(s"$Name has no argument $key; it takes ${parameters.mkString(", ")}")
    }
    named.toMap
  }

  /** The value of an argument; `None` for the literal `NULL`. Another expression without a value is
    * a mistake, such as a cast of text that is not a time.
    */
  private def evaluated(name: String, e: Expression): Option[(Any, DataType)] = {
    if (!e.resolved || !e.foldable)
      reject(s"the argument $name of $Name is ${e.sql}, which is not a constant")
    val value = Option(e.eval())
    if (value.isEmpty && e.dataType != NullType)
      reject(
        s"the argument $name of $Name is ${e.sql}, which is null: give a value, or leave the argument out"
      )
    value.map(_ -> e.dataType)
  }

  private def bound(name: String, value: (Any, DataType)): ChangeBound = value match {
    case (number: Number, ByteType | ShortType | IntegerType | LongType) =>
      ChangeBound.Version(number.longValue)
    case (micros: Long, TimestampType) => time(micros)
    case (local, t @ (DateType | TimestampNTZType)) =>
      val zone = Some(SQLConf.get.sessionLocalTimeZone)
      time(Cast(Literal(local, t), TimestampType, zone).eval().asInstanceOf[Long])
    case (text, StringType) if isNumber(text.toString) =>
      reject(
        s"the argument $name of $Name is the text '$text': write the number of a version without " +
          "quotes, and a time such as 2026-01-31 09:00:00"
      )
    case (text, StringType) =>
      LanceErrors.translated(
        ChangeBound.Time(TravelOptions.instant(s"the argument $name of $Name", text.toString))
      )
    case (_, t) => wrong(name, "the number of a version, or a time", t)
  }

  private def isNumber(text: String): Boolean = text.trim.matches("[+-]?[0-9]+")

  private def time(micros: Long): ChangeBound =
    ChangeBound.Time(java.time.Instant.EPOCH.plus(micros, java.time.temporal.ChronoUnit.MICROS))

  private def columns(value: (Any, DataType)): Seq[String] = value match {
    case (names: ArrayData, ArrayType(StringType, _)) =>
      names.toSeq[Any](StringType).map(_.toString)
    case (text, StringType) => ChangeOptions.columns(text.toString)
    case (_, t) => wrong("identifier_columns", "names of columns", t)
  }

  private def missing(name: String): Nothing = reject(s"$Name requires the argument $name")

  private def wrong(name: String, expected: String, found: DataType): Nothing =
    reject(s"the argument $name of $Name is $expected, not a ${found.sql}")

  private def reject(problem: String): Nothing =
    throw LanceErrors.translate(new InvalidRequestException(problem))
}
