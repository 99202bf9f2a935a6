// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Strategy
import org.apache.spark.sql.execution.{CommandExecutionMode, QueryExecution, SparkPlan}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession, classic}

/** A statement that runs on the driver and answers with a few rows.
  *
  * @param columns of the answer
  */
abstract class DriverCommand(columns: StructType) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = DataTypeUtils.toAttributes(columns)

  /** Does what the statement says. */
  def execute(session: SparkSession): Seq[Row]

  final override def run(session: SparkSession): Seq[Row] = execute(session)
}

/** What only the session on the driver has: this side is Spark 4. */
object SessionShim {
  private def classicOf(session: SparkSession): classic.SparkSession = session match {
    case s: classic.SparkSession => s
    case other => throw new IllegalStateException(s"a session of ${other.getClass.getName}")
  }

  /** A copy of its Hadoop configuration with its settings and `options` on top. */
  def hadoopConfiguration(session: SparkSession, options: Map[String, String]): Configuration =
    classicOf(session).sessionState.newHadoopConfWithOptions(options)

  /** What reads the session's SQL. */
  def parser(session: SparkSession): ParserInterface = classicOf(session).sessionState.sqlParser

  /** Whether a name without a catalog means Spark's own function of that name: neither a temporary function of the session
    * nor one of an extension stands in its place.
    */
  def isBuiltIn(function: String): Boolean = {
    val id = FunctionIdentifier(function)
    val own = FunctionRegistry.builtin.lookupFunction(id).map(_.getClassName)
    val found = SparkSession.getActiveSession.fold(own) { session =>
      classicOf(session).sessionState.functionRegistry.lookupFunction(id).map(_.getClassName)
    }
    own.isDefined && own == found
  }

  /** The catalog of a name, if the session has one. */
  def catalog(session: SparkSession, name: String): Option[CatalogPlugin] = {
    val catalogs = classicOf(session).sessionState.catalogManager
    if (catalogs.isCatalogRegistered(name)) Some(catalogs.catalog(name)) else None
  }

  /** The namespace that names without one are looked up in.
    *
    * @param catalog its name; none unless it is the current one
    */
  def currentNamespace(catalog: String): Option[Array[String]] = {
    val catalogs = classicOf(SparkSession.active).sessionState.catalogManager
    Some(catalogs.currentNamespace).filter(_ => catalogs.currentCatalog.name() == catalog)
  }

  /** A plan on its way through the session, from analysis to execution. */
  def execution(session: SparkSession, plan: LogicalPlan): QueryExecution =
    classicOf(session).sessionState.executePlan(plan)

  /** What Spark itself makes of a command on a table of a catalog. */
  def planned(session: SparkSession, command: LogicalPlan): Seq[SparkPlan] =
    new DataSourceV2Strategy(classicOf(session))(command)

  /** The plan as the session understands it, checked as a query's. */
  def analyzed(session: SparkSession, plan: LogicalPlan): LogicalPlan =
    execution(session, plan).analyzed

  /** Runs a command that is analysed already, as part of the one that runs now. */
  def execute(session: SparkSession, command: LogicalPlan): Unit = {
    val query = classicOf(session).sessionState.executePlan(command, CommandExecutionMode.SKIP)
    query.executedPlan.executeCollect(): Unit
  }

  /** Forgets what is cached of a table and of what was made from it; it is read anew when it is asked for. */
  def refresh(session: SparkSession, name: Seq[String]): Unit = {
    val s = classicOf(session)
    s.sharedState.cacheManager.recacheTableOrView(s, name)
  }
}
