// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.util.quoteNameParts
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier}

/** A procedure. Hides `UnboundProcedure`, which Spark has since 4.0: here our parser reads CALL. */
abstract class ProcedureShim(
    val name: String,
    val description: String,
    val arguments: Seq[ProcedureArgument]
) {

  /** The command that a call runs.
    *
    * @param values by name, as Scala's types; null where none was given
    */
  protected def command(values: Map[String, Any]): DriverCommand

  /** The same, for the statement. */
  final private[spark] def called(values: Map[String, Any]): DriverCommand = command(values)
}

/** A catalog with procedures in its namespace `system`. */
trait ProcedureCatalogShim extends CatalogPlugin {

  /** All of them. */
  protected def procedures: Seq[ProcedureShim]

  /** Those of a namespace. */
  def listProcedures(namespace: Array[String]): Array[Identifier] =
    if (isSystem(namespace.toSeq))
      procedures.map(p => Identifier.of(namespace, p.name)).toArray
    else Array.empty

  /** The procedure of a name with its namespaces.
    *
    * @throws org.apache.spark.sql.AnalysisException if there is none
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
