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
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.rules.Rule
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

/** A statement that runs on the driver and answers with a few rows.
  *
  * @param answer columns of these rows
  */
abstract class DriverCommand(val answer: StructType) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = DataTypeUtils.toAttributes(answer)

  /** Runs the statement. */
  def execute(session: SparkSession): Seq[Row]

  /** Runs the statement where no plan runs it, as a procedure. */
  def executeUnplanned(session: SparkSession): Seq[Row] = execute(session)

  final override def run(session: SparkSession): Seq[Row] = execute(session)
}

/** What only the session on the driver has. */
object SessionShim {

  /** A copy of its Hadoop configuration with its settings and `options` on top. */
  def hadoopConfiguration(session: SparkSession, options: Map[String, String]): Configuration =
    Classic.session(session).sessionState.newHadoopConfWithOptions(options)

  /** The strategy that plans scans of data sources. */
  def sourceStrategy(session: SparkSession): SparkStrategy =
    new DataSourceV2Strategy(Classic.session(session))

  /** What reads the session's SQL. */
  def parser(session: SparkSession): ParserInterface =
    Classic.session(session).sessionState.sqlParser

  /** Whether a name without a catalog means Spark's own function of that name: neither a temporary function of the session
    * nor one of an extension stands in its place.
    */
  def isBuiltIn(function: String): Boolean = {
    val own = FunctionRegistry.expressions.get(function).map(_._1.getClassName)
    val found = SparkSession.getActiveSession.fold(own) { session =>
      val functions = Classic.session(session).sessionState.catalog
      functions.lookupBuiltinOrTempFunction(function).map(_.getClassName)
    }
    own.isDefined && own == found
  }

  /** The catalog of a name, if the session has one. */
  def catalog(session: SparkSession, name: String): Option[CatalogPlugin] = {
    val catalogs = Classic.session(session).sessionState.catalogManager
    if (catalogs.isCatalogRegistered(name)) Some(catalogs.catalog(name)) else None
  }

  /** The plan with the tables and views that its names stand for. Names that are not found stay. */
  def withRelations(session: SparkSession, plan: LogicalPlan): LogicalPlan = {
    val analyzer = Classic.session(session).sessionState.analyzer
    analyzer.ResolveRelations(plan.clone())
  }

  /** The namespace that names without one are looked up in.
    *
    * @param catalog its name; none unless it is the current one
    */
  def currentNamespace(catalog: String): Option[Array[String]] = {
    val catalogs = Classic.session(SparkSession.active).sessionState.catalogManager
    Some(catalogs.currentNamespace).filter(_ => catalogs.currentCatalog.name() == catalog)
  }

  /** The frame of rows that are not made by a plan.
    *
    * @param rows one object may stand for one row after the other
    */
  def frame(session: SparkSession, rows: RDD[InternalRow], columns: StructType): DataFrame =
    Frames.of(
      session,
      LogicalRDD(DataTypeUtils.toAttributes(columns), rows)(Classic.session(session))
    )

  /** A plan on its way through the session, from analysis to execution. */
  def execution(session: SparkSession, plan: LogicalPlan): QueryExecution =
    Classic.session(session).sessionState.executePlan(plan)

  /** What Spark itself makes of a command on a table of a catalog. */
  def planned(session: SparkSession, command: LogicalPlan): Seq[SparkPlan] =
    new DataSourceV2Strategy(Classic.session(session))(command)

  /** The plan as the session understands it, checked as a query's. */
  def analyzed(session: SparkSession, plan: LogicalPlan): LogicalPlan =
    execution(session, plan).analyzed

  /** Runs an analyzed command as part of the running one.
    *
    * @param show returns the plan that Spark's UI shows from now on, for the plan of the command. `None`: the one that it
    *   shows already
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

  /** Loads the catalog of a name, if the session's settings have one. */
  def loadCatalog(session: SparkSession, name: String): Unit =
    inSession(session)(catalog(session, name)): Unit

  /** Adds rules to those that run at the end of the session's optimizer, unless they are there. */
  def addOptimizations(session: SparkSession, rules: Seq[Rule[LogicalPlan]]): Unit = {
    val methods = Classic.session(session).sessionState.experimentalMethods
    if (!rules.forall(methods.extraOptimizations.contains)) methods.synchronized {
      val missing = rules.filterNot(methods.extraOptimizations.contains)
      methods.extraOptimizations = methods.extraOptimizations ++ missing
    }
  }

  /** A session of the application, for what all of them share: the thread's, else the default one. */
  def anySession: Option[SparkSession] =
    SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession)
      .filterNot(_.sparkContext.isStopped)

  private val sessions = Collections.newSetFromMap(new WeakHashMap[SparkSession, JBoolean])

  /** Registers a session, so that its catalogs find it. Called for every session that has the SQL extension. */
  def remember(session: SparkSession): Unit = sessions.synchronized(sessions.add(session)): Unit

  /** Whether the thread's session has the SQL extension. */
  private[shim] def hasExtension: Boolean =
    SparkSession.getActiveSession.exists(s => sessions.synchronized(sessions.contains(s)))

  /** Runs something in the session that a catalog belongs to. Spark's readers and writers call catalogs on whatever thread
    * they are used on, which may have no session or another one; settings and storage are those of the catalog's.
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

  /** Whether a session has loaded this catalog. Loads no catalog itself: until a session uses one,
    * the configuration of the catalog may change.
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
