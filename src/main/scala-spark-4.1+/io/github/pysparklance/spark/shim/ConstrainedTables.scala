// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{CheckInvariant, Expression, Literal}
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.connector.catalog.TableChange.{AddConstraint, DropConstraint}
import org.apache.spark.sql.connector.catalog.constraints.{Check, Constraint, PrimaryKey}
import org.apache.spark.sql.connector.catalog.{
  Column,
  Identifier,
  StagedTable,
  Table,
  TableCatalog,
  TableCatalogCapability,
  TableChange,
  TableInfo
}
import org.apache.spark.sql.connector.expressions.filter.AlwaysTrue
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference, Transform}

import io.github.pysparklance.core.{InvalidRequestException, Printable}

/** A table whose constraints are visible in Spark, which supports them since 4.1. */
trait ConstrainedTable extends StatementTable {

  /** The properties that show the constraints: none, because Spark shows them. */
  protected def constraintProperties: Map[String, String] = Map.empty

  override def constraints(): Array[Constraint] = declared.map {
    case check: TableConstraint.Check if !isTrusted(check) => Constraints.shown(check)
    case other => Constraints.toSpark(other)
  }.toArray
}

/** A catalog that receives the constraints of new tables as properties, see [[TableConstraint]],
  * with the methods that all Spark lines have.
  */
@nowarn("cat=deprecation")
trait ConstrainedCatalog extends StatementCatalog {
  override def createTable(ident: Identifier, info: TableInfo): Table =
    createTable(ident, info.columns(), info.partitions(), Constraints.properties(info))

  override def stageCreate(ident: Identifier, info: TableInfo): StagedTable =
    stageCreate(ident, info.columns(), info.partitions(), Constraints.properties(info))

  override def stageReplace(ident: Identifier, info: TableInfo): StagedTable =
    stageReplace(ident, info.columns(), info.partitions(), Constraints.properties(info))

  override def stageCreateOrReplace(ident: Identifier, info: TableInfo): StagedTable =
    stageCreateOrReplace(ident, info.columns(), info.partitions(), Constraints.properties(info))
}

/** Converts between Spark's constraints and [[TableConstraint]]. */
object Constraints {

  /** Whether Spark checks the rows of writes against the constraints of tables. */
  val areEnforcedBySpark: Boolean = true

  /** Capabilities of a catalog whose tables have constraints. */
  val capabilities: Seq[TableCatalogCapability] =
    Seq(TableCatalogCapability.SUPPORT_TABLE_CONSTRAINT)

  /** Returns the constraint that a change adds. */
  def added(change: TableChange): Option[TableConstraint] = change match {
    case c: AddConstraint => Some(fromSpark(c.constraint()))
    case _ => None
  }

  /** Returns the version of the table whose rows are known to satisfy the constraint that a change
    * adds.
    */
  def validatedVersion(change: TableChange): Option[String] = change match {
    case c: AddConstraint => Option(c.validatedTableVersion())
    case _ => None
  }

  /** Returns the name of the constraint that a change drops, and whether it may be missing. */
  def dropped(change: TableChange): Option[(String, Boolean)] = change match {
    case c: DropConstraint => Some(c.name() -> c.ifExists())
    case _ => None
  }

  /** Creates a table in any catalog. */
  def createTable(
      catalog: TableCatalog,
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): Unit = {
    val info = new TableInfo.Builder()
      .withColumns(columns)
      .withPartitions(partitions)
      .withProperties(properties)
      .build()
    catalog.createTable(ident, info): Unit
  }

  private[shim] def properties(info: TableInfo): util.Map[String, String] = {
    val made = info.constraints().toSeq.map(fromSpark)
    (info.properties().asScala.toMap ++ made.flatMap(_.properties)).asJava
  }

  private[shim] def toSpark(c: TableConstraint): Constraint = c match {
    case check: TableConstraint.Check =>
      // Spark rejects a bare NULL because of its type. The constraint holds, because a null
      // condition is satisfied.
      if (isNull(check)) unevaluated(check) else builder(check).build()
    case TableConstraint.PrimaryKey(name, columns, rely) =>
      val references = columns.map(c => Expressions.column(quoteIdentifier(c)): NamedReference)
      Constraint
        .primaryKey(name, references.toArray)
        .enforced(false)
        .rely(rely)
        .validationStatus(Constraint.ValidationStatus.UNVALIDATED)
        .build()
  }

  /** Returns a constraint whose condition Spark prints but does not evaluate. */
  private[shim] def shown(check: TableConstraint.Check): Constraint = unevaluated(
    check.copy(name = Printable.line(check.name), sql = Printable.line(check.sql))
  )

  private def unevaluated(check: TableConstraint.Check): Constraint =
    builder(check).predicate(new AlwaysTrue).build()

  private def builder(check: TableConstraint.Check): Check.Builder = Constraint
    .check(check.name)
    .predicateSql(check.sql)
    .enforced(true)
    .rely(check.rely)
    .validationStatus(Constraint.ValidationStatus.VALID)

  /** Returns the condition as an expression that is true, or throws Spark's error if it is
    * violated.
    *
    * @throws InvalidRequestException if the condition is rejected
    */
  def invariant(check: TableConstraint.Check): Expression = {
    val named = check.columns.distinct.map(UnresolvedAttribute(_))
    val condition = check.condition.fold(
      why =>
        throw new InvalidRequestException(s"the constraint ${check.name} cannot be checked: $why"),
      _.expression
    )
    CheckInvariant(condition, named.map(c => c.name -> c), check.name, check.sql)
  }

  /** Formats a constraint as in the statement, for messages. */
  def ddl(c: TableConstraint): String = c match {
    case check: TableConstraint.Check => shown(check).toDDL
    case other => toSpark(other).toDDL
  }

  /** Returns one of Spark's errors about constraints. */
  def error(condition: String, parameters: Map[String, String]): AnalysisException =
    SparkShim.analysisException(condition, parameters, null)

  private def isNull(check: TableConstraint.Check): Boolean =
    check.condition.exists(_.expression == Literal(null))

  private def fromSpark(c: Constraint): TableConstraint = c match {
    case check: Check => TableConstraint.Check(check.name(), check.predicateSql(), check.rely())
    case key: PrimaryKey =>
      val columns = key.columns().toSeq.map(_.fieldNames().head)
      TableConstraint.PrimaryKey(key.name(), columns, key.rely())
    case other =>
      throw SparkShim.analysisException(
        s"the constraint ${other.toDDL}: Lance tables have PRIMARY KEY and CHECK constraints",
        "LANCE_UNSUPPORTED_FEATURE",
        Map("feature" -> s"the constraint ${other.toDDL}"),
        null
      )
  }
}
