// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.quoteNameParts
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.connector.catalog.procedures.{
  BoundProcedure,
  ProcedureParameter,
  UnboundProcedure
}
import org.apache.spark.sql.connector.catalog.{Identifier, ProcedureCatalog}
import org.apache.spark.sql.connector.read.{LocalScan, Scan}
import org.apache.spark.sql.types.StructType

/** A procedure. Hides `UnboundProcedure`, which Spark has since 4.0. */
abstract class ProcedureShim(
    override val name: String,
    override val description: String,
    arguments: Seq[ProcedureArgument]
) extends UnboundProcedure { procedure =>

  /** Returns the command of a call.
    *
    * @param values arguments by name, as Scala types; null for missing arguments
    */
  protected def command(values: Map[String, Any]): DriverCommand

  // Spark 4.0 treats a procedure that is already bound as one with complete arguments.
  override def bind(inputType: StructType): BoundProcedure = new BoundProcedure {
    override def name: String = procedure.name

    override def description: String = procedure.description

    override def isDeterministic: Boolean = false

    override def parameters(): Array[ProcedureParameter] = procedure.parameters

    override def call(input: InternalRow): JavaIterator[Scan] = procedure.call(input)
  }

  private def parameters: Array[ProcedureParameter] = arguments.map { a =>
    val parameter = ProcedureParameter.in(a.name, a.dataType).comment(a.meaning)
    a.default.fold(parameter)(parameter.defaultValue(_)).build()
  }.toArray

  private def call(input: InternalRow): JavaIterator[Scan] = {
    val values = arguments.zipWithIndex.map { case (a, i) =>
      a.name -> CatalystTypeConverters.convertToScala(input.get(i, a.dataType), a.dataType)
    }
    val called = command(values.toMap)
    val columns = called.resultSchema
    val found = called.executeUnplanned(SparkSession.active)
    val toInternal = CatalystTypeConverters.createToCatalystConverter(columns)
    val scan = new LocalScan {
      override def readSchema(): StructType = columns
      override def rows(): Array[InternalRow] =
        found.map(toInternal(_).asInstanceOf[InternalRow]).toArray
    }
    java.util.List.of[Scan](scan).iterator()
  }
}

/** A catalog with procedures in its namespace `system`. */
trait ProcedureCatalogShim extends ProcedureCatalog {

  /** All procedures. */
  protected def procedures: Seq[ProcedureShim]

  override def loadProcedure(ident: Identifier): UnboundProcedure =
    procedures
      .find(p => isSystem(ident.namespace()) && p.name.equalsIgnoreCase(ident.name()))
      .getOrElse {
        val routine = name() +: ident.namespace().toSeq :+ ident.name()
        throw SparkShim.analysisException(
          "ROUTINE_NOT_FOUND",
          Map("routineName" -> quoteNameParts(routine)),
          null
        )
      }

  def listProcedures(namespace: Array[String]): Array[Identifier] =
    if (isSystem(namespace)) procedures.map(p => Identifier.of(namespace, p.name)).toArray
    else Array.empty

  private def isSystem(namespace: Array[String]): Boolean =
    namespace.length == 1 && namespace(0).equalsIgnoreCase("system")
}
