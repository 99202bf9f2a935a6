// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.{AnsiTypeCoercion, TypeCoercion}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Cast,
  EvalMode,
  Expression,
  NamedArgumentExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{
  FunctionSignature,
  InputParameter,
  LocalRelation,
  LogicalPlan,
  NamedParametersSupport,
  Project
}
import org.apache.spark.sql.catalyst.util.quoteNameParts
import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.spark.shim.{
  Frames,
  ProcedureArgument,
  ProcedureCatalogShim,
  ProcedureShim,
  SessionShim,
  SparkShim
}
import io.github.pysparklance.spark.sql.{Cursor, Statement}

/** `CALL` of a procedure of a Lance catalog. Spark supports the statement since 4.0. */
private[sql] object Call extends Statement {
  override val usage: String = "CALL catalog.system.procedure(value, name => value, …)"

  /** Other extensions may parse procedures of other catalogs. */
  override def begins(cursor: Cursor): Boolean =
    cursor.take("CALL") && cursor.seesName && procedures(cursor.name()).isDefined

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("CALL")
    val name = cursor.name()
    val (catalog, path) = procedures(name).getOrElse(cursor.fail("a procedure"))
    val session = SparkSession.active
    val procedure = catalog.procedure(path)
    val parameters = procedure.arguments.map { p =>
      InputParameter(p.name, p.default.map(SessionShim.parser(session).parseExpression))
    }
    val ordered = NamedParametersSupport.defaultRearrange(
      FunctionSignature(parameters),
      arguments(cursor, session),
      quoteNameParts(name)
    )
    procedure.called(values(session, procedure, ordered))
  }

  /** Returns the catalog of a procedure name, and the rest of the name. */
  private def procedures(name: Seq[String]): Option[(ProcedureCatalogShim, Seq[String])] = {
    val session = SparkSession.active
    val named = if (name.length > 1) SessionShim.catalog(session, name.head) else None
    val (catalog, path) = named match {
      case Some(c) => (Some(c), name.tail)
      case None =>
        val current = session.catalog.currentCatalog()
        val namespace = SessionShim.currentNamespace(current).fold(Seq.empty[String])(_.toSeq)
        (
          SessionShim.catalog(session, current),
          if (name.length > 1) name else namespace ++ name
        )
    }
    catalog.collect { case c: ProcedureCatalogShim => (c, path) }
  }

  private def arguments(cursor: Cursor, session: SparkSession): Seq[Expression] = {
    cursor.expect("(")
    val found = if (cursor.sees(")")) Nil else cursor.list(argument(cursor, session))
    cursor.expect(")")
    found
  }

  private def argument(cursor: Cursor, session: SparkSession): Expression = {
    val name = if (cursor.seesAfterName("=", ">")) Some(cursor.identifier()) else None
    if (name.isDefined) cursor.expect("=", ">")
    val value = SessionShim.parser(session).parseExpression(cursor.expression(Seq(",")))
    name.fold(value)(NamedArgumentExpression(_, value))
  }

  /** Evaluates the arguments. Returns values by name. */
  private def values(
      session: SparkSession,
      procedure: ProcedureShim,
      ordered: Seq[Expression]
  ): Map[String, Any] = {
    val resolved = SessionShim.analyzed(session, row(ordered)).expressions.map {
      case Alias(value, _) => value
      case value => value
    }
    val cast = resolved.zip(procedure.arguments).zipWithIndex.map { case ((value, a), i) =>
      coerced(value, a, i)
    }
    val found = Frames.of(session, row(cast)).head()
    procedure.arguments.map(_.name).zip(found.toSeq).toMap
  }

  /** Returns a plan with the expressions as a row. The optimizer evaluates constants in it without
    * a job.
    */
  private def row(values: Seq[Expression]): LogicalPlan = Project(
    values.zipWithIndex.map { case (v, i) => Alias(v, s"_$i")() },
    LocalRelation(Nil, Seq(InternalRow.empty))
  )

  private def coerced(value: Expression, argument: ProcedureArgument, index: Int): Expression = {
    val coercion = if (SQLConf.get.ansiEnabled) AnsiTypeCoercion else TypeCoercion
    val cast = coercion.implicitCast(value, argument.dataType).map {
      // Invalid values must fail even without ANSI mode. NULL would mean that the argument is
      // missing.
      case c: Cast if c ne value => c.copy(evalMode = EvalMode.ANSI)
      case unchanged => unchanged
    }
    cast.getOrElse {
      throw SparkShim.analysisException(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        Map(
          "sqlExpr" -> value.sql,
          "paramIndex" -> (index + 1).toString,
          "requiredType" -> s""""${argument.dataType.sql}"""",
          "inputSql" -> s""""${value.sql}"""",
          "inputType" -> s""""${value.dataType.sql}""""
        ),
        null
      )
    }
  }
}
