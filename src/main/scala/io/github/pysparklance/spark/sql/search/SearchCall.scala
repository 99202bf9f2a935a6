// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.search

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.functions.SessionFunctions
import io.github.pysparklance.spark.scan.search.{AddedColumns, SearchTable}
import io.github.pysparklance.spark.shim.{PinnedRelation, SessionShim}
import io.github.pysparklance.spark.sql.{TableArgument, TableFunctionCall}

/** A call of a table function that searches a table. Handles the arguments that all of these
  * functions have: `table`, `version`, `tag`, `branch`, and `columns`.
  *
  * @param function name of the function, for errors
  * @param positions names of the arguments that may be given by position
  */
final private[search] class SearchCall(
    function: String,
    positions: IndexedSeq[String],
    arguments: Seq[Expression]
) {
  import SearchCall._

  private val call = new TableFunctionCall(function, positions, arguments)

  /** Returns the first argument that satisfies a condition and is not constant.
    *
    * @param isWanted condition on the name and value of an argument
    */
  def find(isWanted: (String, Expression) => Boolean): Option[(String, Expression)] =
    call.expressions.find { case (name, value) => isWanted(name, value) }

  /** Returns the values of the arguments of the search itself.
    *
    * @param except name of an argument that may not be constant
    */
  def values(except: Option[String] = None): Seq[(String, Any)] =
    call.values(except).filterNot(v => ofTable.contains(v._1))

  private lazy val named = TableArgument.load(SparkSession.active, call.needed("table"), function)

  /** The table at the version that the arguments select. */
  lazy val table: LanceSparkTable = {
    val revision = travel.flatMap(n => call.text(n).map(n -> _)).toMap.asJava
    named.spark.requested(new CaseInsensitiveStringMap(revision))
  }

  /** Returns a relation with the name of the searched table, for authorization checks. */
  def relation(rows: Table): LogicalPlan =
    PinnedRelation(rows, named.catalog, named.ident, table.table.version)

  /** Returns the rows of a search, with the columns that the call selects. */
  def result(found: SearchTable): LogicalPlan = selected(relation(found), found.added)

  /** Selects the columns in the argument `columns`, or all columns, and the columns of the search.
    */
  def selected(rows: LogicalPlan, added: AddedColumns): LogicalPlan =
    call.texts("columns").fold(rows) { columns =>
      val parser = SessionShim.parser(SparkSession.active)
      def paths(fields: Seq[StructField]) = fields.map(f => Seq(f.name))
      val (first, last) = (paths(added.first), paths(added.last))
      val chosen = columns.map(parser.parseMultipartIdentifier)
        .filterNot(path => (first ++ last).contains(path))
      Project((first ++ chosen ++ last).map(UnresolvedAttribute(_)), rows)
    }
}

private[search] object SearchCall {

  /** Arguments that choose the version. */
  private val travel = Seq("version", "tag", "branch")

  private val ofTable = travel ++ Seq("table", "columns")

  /** Adds a table function to a session.
    *
    * @param usage usage text, with `_FUNC_` as the name
    */
  def inject(
      extensions: SparkSessionExtensions,
      owner: Class[_],
      function: String,
      positions: IndexedSeq[String],
      usage: String
  )(plan: SearchCall => LogicalPlan): Unit = {
    val info = SessionFunctions.description(owner, function, usage)
    val build = (arguments: Seq[Expression]) =>
      LanceErrors.translated(plan(new SearchCall(function, positions, arguments)))
    extensions.injectTableFunction((FunctionIdentifier(function), info, build))
  }
}
