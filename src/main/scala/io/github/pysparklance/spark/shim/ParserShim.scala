// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.types.{DataType, StructType}

/** A parser that parses Lance statements, and delegates all others to Spark's parser. */
abstract class ParserShim(protected val delegate: ParserInterface)
    extends ParserDelegate
    with ParameterParsing {

  /** Returns the plan of a Lance statement, or `None` for other statements.
    *
    * @throws ParseException if it is a Lance statement with a syntax error
    */
  protected def own(text: String, parameters: SqlParameters): Option[LogicalPlan]

  /** Called before Spark parses a text. */
  protected def prepare(): Unit

  final override protected def prepared: ParserInterface = {
    prepare()
    delegate
  }

  override def parsePlan(text: String): LogicalPlan = {
    prepare()
    own(text, SqlParameters.none).getOrElse(delegate.parsePlan(text))
  }

  override def parseExpression(text: String): Expression = prepared.parseExpression(text)

  override def parseTableIdentifier(text: String): TableIdentifier =
    prepared.parseTableIdentifier(text)

  override def parseFunctionIdentifier(text: String): FunctionIdentifier =
    prepared.parseFunctionIdentifier(text)

  override def parseMultipartIdentifier(text: String): Seq[String] =
    if (text.isEmpty && ParserShim.isRootOfCatalog) Nil
    else {
      val name = prepared.parseMultipartIdentifier(text)
      named(name)
      name
    }

  override def parseQuery(text: String): LogicalPlan = prepared.parseQuery(text)

  override def parseTableSchema(text: String): StructType = prepared.parseTableSchema(text)

  override def parseDataType(text: String): DataType = prepared.parseDataType(text)
}

/** Finds callers, and creates errors. */
object ParserShim {

  /** Whether an empty text is the namespace of a table in the root of a catalog.
    * `spark.catalog.listTables` parses the current namespace, and the namespace of each table. It
    * would fail for all catalogs with tables in their root.
    */
  private def isRootOfCatalog: Boolean = StackWalker.getInstance().walk { frames =>
    frames.limit(callers).anyMatch { f =>
      catalogs(f.getClassName) && lookUps.exists(f.getMethodName.contains)
    }
  }

  /** Spark's catalog, since 4.0 and before. */
  private val catalogs =
    Set("org.apache.spark.sql.classic.Catalog", "org.apache.spark.sql.internal.CatalogImpl")

  /** Methods that parse the namespace of a table. */
  private val lookUps = Seq("resolveTable", "resolveNamespace", "makeTablesDataset")

  /** Maximum calls between Spark's catalog and the parser. */
  private val callers = 10L

  /** Returns a syntax error with Spark's message.
    *
    * @param found the unexpected text, quoted
    * @param hint continuation of the message, starting with punctuation
    */
  def syntaxError(text: String, at: Origin, found: String, hint: String): ParseException =
    SyntaxErrors(text, at, Map("error" -> found, "hint" -> hint))
}
