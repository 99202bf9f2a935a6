// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types._

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.{DriverCommand, ProcedureArgument, ProcedureShim}
import io.github.pysparklance.spark.sql.TableCommand

/** A procedure of ours: what it is called with, and the command it stands for. */
abstract private[spark] class LanceProcedure(
    val name: String,
    val description: String,
    val arguments: ProcedureArgument*
) {

  /** What is done. Nothing happens before it runs.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException when the arguments contradict each other
    */
  def command(call: Arguments): TableCommand

  /** The procedure as a catalog has it.
    *
    * @param catalog its name
    */
  final def in(catalog: String): ProcedureShim =
    new ProcedureShim(name, description, arguments) {
      override protected def command(values: Map[String, Any]): DriverCommand =
        LanceErrors.translated(
          LanceProcedure.this.command(new Arguments(SparkSession.active, catalog, values))
        )
    }
}

private[spark] object LanceProcedure {

  /** An argument that must be given. */
  def required(name: String, dataType: DataType, meaning: String): ProcedureArgument =
    ProcedureArgument(name, dataType, meaning, None)

  /** An argument that need not be given. */
  def optional(name: String, dataType: DataType, meaning: String): ProcedureArgument =
    ProcedureArgument(name, dataType, meaning, Some("NULL"))

  /** `true` or `false`, the latter if it is not given. */
  def flag(name: String, meaning: String): ProcedureArgument =
    ProcedureArgument(name, BooleanType, meaning, Some("false"))

  /** The table that nearly all of them are about. */
  val table: ProcedureArgument =
    required(
      "table",
      StringType,
      "name or path of the table; names are resolved in this catalog first"
    )

  /** A map of texts. */
  val textMap: DataType = MapType(StringType, StringType)

  /** A list of texts. */
  val texts: DataType = ArrayType(StringType)
}
