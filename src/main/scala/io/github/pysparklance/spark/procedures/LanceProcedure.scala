// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types._

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.{DriverCommand, ProcedureArgument, ProcedureShim}
import io.github.pysparklance.spark.sql.TableCommand

/** A procedure of Lance catalogs. */
abstract private[spark] class LanceProcedure(
    val name: String,
    val description: String,
    val arguments: ProcedureArgument*
) {

  /** Returns the command of a call. The command does nothing before it runs.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException if the arguments contradict each
    *   other
    */
  def command(call: Arguments): TableCommand

  /** Returns the procedure of a catalog.
    *
    * @param catalog name of the catalog
    */
  final def in(catalog: String): ProcedureShim =
    new ProcedureShim(name, description, arguments) {
      override protected def command(values: Map[String, Any]): DriverCommand =
        LanceErrors.translated(
          LanceProcedure.this.command(new Arguments(SparkSession.active, catalog, values))
        )
    }
}

/** Defines arguments. */
private[spark] object LanceProcedure {

  /** Returns a required argument. */
  def required(name: String, dataType: DataType, meaning: String): ProcedureArgument =
    ProcedureArgument(name, dataType, meaning, None)

  /** Returns an optional argument. */
  def optional(name: String, dataType: DataType, meaning: String): ProcedureArgument =
    ProcedureArgument(name, dataType, meaning, Some("NULL"))

  /** Returns a boolean argument with the default `false`. */
  def flag(name: String, meaning: String): ProcedureArgument =
    ProcedureArgument(name, BooleanType, meaning, Some("false"))

  /** The table argument, which most procedures have. */
  val table: ProcedureArgument =
    required(
      "table",
      StringType,
      "name or path of the table; names are resolved in this catalog first"
    )

  /** A map of strings. */
  val textMap: DataType = MapType(StringType, StringType)

  /** A list of strings. */
  val texts: DataType = ArrayType(StringType)
}
