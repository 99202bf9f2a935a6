// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.lang.{Boolean => JBoolean}
import java.util.{Collections, WeakHashMap}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Strategy
import org.apache.spark.sql.execution.{
  CommandExecutionMode,
  ExplainMode,
  LogicalRDD,
  QueryExecution,
  SQLExecution,
  SparkPlan,
  SparkStrategy
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

/** A statement that runs on the driver and returns a few rows.
  *
  * @param resultSchema columns of these rows
  */
abstract class DriverCommand(val resultSchema: StructType) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = DataTypeUtils.toAttributes(resultSchema)

  /** Runs the statement. */
  def execute(session: SparkSession): Seq[Row]

  /** Runs the statement outside of a plan, as in a procedure. */
  def executeUnplanned(session: SparkSession): Seq[Row] = execute(session)

  final override def run(session: SparkSession): Seq[Row] = execute(session)
}

/** Accesses internals of the session on the driver. */
object SessionShim {

  /** Returns a copy of the Hadoop configuration, with the configuration of the session and
    * `options` added.
    */
  def hadoopConfiguration(session: SparkSession, options: Map[String, String]): Configuration =
    Classic.session(session).sessionState.newHadoopConfWithOptions(options)

  /** Returns the strategy that plans scans of data sources. */
  def sourceStrategy(session: SparkSession): SparkStrategy =
    new DataSourceV2Strategy(Classic.session(session))

  /** Returns the SQL parser of the session. */
  def parser(session: SparkSession): ParserInterface =
    Classic.session(session).sessionState.sqlParser

  /** Whether an unqualified name resolves to Spark's built-in function, and not to a temporary
    * function or a function of an extension.
    */
  def isBuiltIn(function: String): Boolean = {
    val own = FunctionRegistry.expressions.get(function).map(_._1.getClassName)
    val found = SparkSession.getActiveSession.fold(own) { session =>
      val functions = Classic.session(session).sessionState.catalog
      functions.lookupBuiltinOrTempFunction(function).map(_.getClassName)
    }
    own.isDefined && own == found
  }

  /** Returns the catalog with a name, if the session has one. */
  def catalog(session: SparkSession, name: String): Option[CatalogPlugin] = {
    val catalogs = Classic.session(session).sessionState.catalogManager
    if (catalogs.isCatalogRegistered(name)) Some(catalogs.catalog(name)) else None
  }

  /** Returns the plan with resolved tables and views. Unknown names stay unresolved. */
  def withRelations(session: SparkSession, plan: LogicalPlan): LogicalPlan = {
    val analyzer = Classic.session(session).sessionState.analyzer
    analyzer.ResolveRelations(plan.clone())
  }

  /** Returns the current namespace, in which unqualified names are resolved.
    *
    * @param catalog name of a catalog; returns `None` unless it is the current one
    */
  def currentNamespace(catalog: String): Option[Array[String]] = {
    val catalogs = Classic.session(SparkSession.active).sessionState.catalogManager
    Some(catalogs.currentNamespace).filter(_ => catalogs.currentCatalog.name() == catalog)
  }

  /** Returns a data frame of rows that no plan creates.
    *
    * @param rows rows; the iterator may reuse a row object
    */
  def frame(session: SparkSession, rows: RDD[InternalRow], columns: StructType): DataFrame =
    Frames.of(
      session,
      LogicalRDD(DataTypeUtils.toAttributes(columns), rows)(Classic.session(session))
    )

  /** Returns the query execution of a plan, from analysis to execution. */
  def execution(session: SparkSession, plan: LogicalPlan): QueryExecution =
    Classic.session(session).sessionState.executePlan(plan)

  /** Returns Spark's physical plan of a command on a table of a catalog. */
  def planned(session: SparkSession, command: LogicalPlan): Seq[SparkPlan] =
    new DataSourceV2Strategy(Classic.session(session))(command)

  /** Returns the analyzed plan, after the checks for queries. */
  def analyzed(session: SparkSession, plan: LogicalPlan): LogicalPlan =
    execution(session, plan).analyzed

  /** Runs an analyzed command as part of the running command.
    *
    * @param show returns the plan to show in Spark's UI for the physical plan of the command;
    *   `None` keeps the current plan
    */
  def execute(
      session: SparkSession,
      command: LogicalPlan,
      show: SparkPlan => Option[SparkPlan] = _ => None
  ): Unit = {
    val state = Classic.session(session).sessionState
    val query = state.executePlan(command, CommandExecutionMode.SKIP)
    val context = session.sparkContext
    for {
      id <- Option(context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY))
      shown <- show(query.executedPlan)
    } {
      val text = query.explainString(ExplainMode.fromString(state.conf.uiExplainMode))
      QueryPage.show(context, id.toLong, text, shown)
    }
    query.executedPlan.executeCollect(): Unit
  }

  /** Loads the catalog with a name, if it is configured in the session. */
  def loadCatalog(session: SparkSession, name: String): Unit =
    inSession(session)(catalog(session, name)): Unit

  /** Adds rules to the end of the session's optimizer, unless they are already present. */
  def addOptimizations(session: SparkSession, rules: Seq[Rule[LogicalPlan]]): Unit = {
    val methods = Classic.session(session).sessionState.experimentalMethods
    if (!rules.forall(methods.extraOptimizations.contains)) methods.synchronized {
      val missing = rules.filterNot(methods.extraOptimizations.contains)
      methods.extraOptimizations = methods.extraOptimizations ++ missing
    }
  }

  /** Returns a session of the application for shared state: the session of the thread, otherwise
    * the default session.
    */
  def anySession: Option[SparkSession] =
    SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession)
      .filterNot(_.sparkContext.isStopped)

  private val sessions = Collections.newSetFromMap(new WeakHashMap[SparkSession, JBoolean])

  /** Registers a session, so that its catalogs find it. Called for every session with the SQL
    * extension.
    */
  def remember(session: SparkSession): Unit = sessions.synchronized(sessions.add(session)): Unit

  /** Whether the session of the thread has the SQL extension. */
  private[spark] def hasExtension: Boolean =
    SparkSession.getActiveSession.exists(s => sessions.synchronized(sessions.contains(s)))

  /** Runs `body` in the session that owns a catalog. Spark's readers and writers call catalogs from
    * any thread, which may have no session or another one. The configuration and storage of the
    * catalog's session must be used.
    */
  def inSessionOf[A](catalog: CatalogPlugin)(body: => A): A = {
    val active = SparkSession.getActiveSession
    def others = sessions.synchronized(sessions.asScala.toSeq) ++ SparkSession.getDefaultSession
    active.filter(owns(_, catalog)).orElse(others.find(owns(_, catalog))) match {
      case Some(owner) if !active.contains(owner) => inSession(owner)(body)
      case None if active.isEmpty => inSession(SparkSession.active)(body)
      case _ => body
    }
  }

  /** Whether a session has loaded this catalog. Does not load catalogs, because their configuration
    * may change until a session uses them.
    */
  private def owns(session: SparkSession, of: CatalogPlugin): Boolean =
    !session.sparkContext.isStopped && {
      val catalogs = Classic.session(session).sessionState.catalogManager
      catalogs.listCatalogs(None).contains(of.name()) &&
      Try(catalogs.catalog(of.name())).toOption.contains(of)
    }

  private def inSession[A](session: SparkSession)(body: => A): A = {
    val before = SparkSession.getActiveSession
    SparkSession.setActiveSession(session)
    try body
    finally before.fold(SparkSession.clearActiveSession())(SparkSession.setActiveSession)
  }
}
