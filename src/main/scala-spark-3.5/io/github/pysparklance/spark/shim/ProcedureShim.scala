// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.util.quoteNameParts
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier}

/** A procedure. Hides `UnboundProcedure`, which Spark has since 4.0. Here, the connector's parser
  * parses CALL.
  */
abstract class ProcedureShim(
    val name: String,
    val description: String,
    val arguments: Seq[ProcedureArgument]
) {

  /** Returns the command of a call.
    *
    * @param values arguments by name, as Scala types; null for missing arguments
    */
  protected def command(values: Map[String, Any]): DriverCommand

  /** Returns the command, for the CALL statement. */
  final private[spark] def called(values: Map[String, Any]): DriverCommand = command(values)
}

/** A catalog with procedures in its namespace `system`. */
trait ProcedureCatalogShim extends CatalogPlugin {

  /** All procedures. */
  protected def procedures: Seq[ProcedureShim]

  /** Returns the procedures of a namespace. */
  def listProcedures(namespace: Array[String]): Array[Identifier] =
    if (isSystem(namespace.toSeq))
      procedures.map(p => Identifier.of(namespace, p.name)).toArray
    else Array.empty

  /** Returns the procedure with a qualified name.
    *
    * @throws org.apache.spark.sql.AnalysisException if it does not exist
    */
  final private[spark] def procedure(path: Seq[String]): ProcedureShim =
    procedures
      .find(p => isSystem(path.init) && p.name.equalsIgnoreCase(path.last))
      .getOrElse {
        throw SparkShim.analysisException(
          "ROUTINE_NOT_FOUND",
          Map("routineName" -> quoteNameParts(name() +: path)),
          null
        )
      }

  private def isSystem(namespace: Seq[String]): Boolean =
    namespace.length == 1 && namespace.head.equalsIgnoreCase("system")
}
