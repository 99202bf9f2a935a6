// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.connector.catalog.{
  Column,
  Identifier,
  Table,
  TableCatalog,
  TableCatalogCapability,
  TableChange,
  TableWritePrivilege
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.{BooleanType, StringType}

import io.github.pysparklance.core.{InvalidRequestException, Printable}

/** Hides `Table.constraints`, which Spark has since 4.1: here it sees none of a table's constraints. */
trait ConstrainedTable extends Table {

  /** The same table for a statement that writes to it, whose `PARTITION` clause may name columns of the clustering key:
    * Spark looks for them among the partition columns.
    */
  private[spark] def forStatement(privileges: util.Set[TableWritePrivilege]): Table

  /** What the table declares. */
  protected def declared: Seq[TableConstraint]

  /** Whether the condition of a constraint may be evaluated. */
  protected def isTrusted(check: TableConstraint.Check): Boolean
}

/** Hides `TableInfo`, in which catalogs get the constraints of new tables since 4.1. */
trait ConstrainedCatalog extends SchemaCatalog {

  override def loadTable(ident: Identifier, privileges: util.Set[TableWritePrivilege]): Table =
    loadTable(ident) match {
      case ours: ConstrainedTable => ours.forStatement(privileges)
      case other => other
    }
}

/** Hides Spark's constraints, which there are since 4.1. */
object Constraints {

  /** Whether Spark holds the rows of writes against the constraints of tables. */
  val areEnforcedBySpark: Boolean = false

  /** What a catalog says whose tables have constraints. */
  val capabilities: Seq[TableCatalogCapability] = Nil

  /** The constraint that a change adds. */
  def added(change: TableChange): Option[TableConstraint] = None

  /** The version of the table whose rows were found to satisfy the constraint that a change adds. */
  def validatedVersion(change: TableChange): Option[String] = None

  /** Name of the constraint that a change removes, and whether it may be missing. */
  def dropped(change: TableChange): Option[(String, Boolean)] = None

  /** Makes a table in any catalog. */
  def createTable(
      catalog: TableCatalog,
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): Unit = catalog.createTable(ident, columns, partitions, properties): Unit

  /** The condition over the columns that it names: true, or an error where it is not fulfilled.
    *
    * @throws InvalidRequestException when the condition is refused
    */
  def invariant(check: TableConstraint.Check): Expression = {
    val condition = check.condition.fold(
      why => throw new InvalidRequestException(s"the constraint ${check.name} is refused: $why"),
      _.expression
    )
    val text =
      Printable.line(s"CHECK constraint ${check.name} ${check.sql} violated by row with values:")
    val values = check.columns.distinct.flatMap { c =>
      val column = UnresolvedAttribute(c)
      Seq(
        Literal(s"\n - ${column.name} : "),
        Coalesce(Seq(Cast(column, StringType), Literal("null")))
      )
    }
    val holds = Coalesce(Seq(Cast(condition, BooleanType), Literal.TrueLiteral))
    If(
      holds,
      Literal.TrueLiteral,
      Cast(new RaiseError(Concat(Literal(text) +: values)), BooleanType)
    )
  }

  /** A constraint as the statement has it, for messages. */
  def ddl(c: TableConstraint): String = c match {
    case TableConstraint.Check(name, sql, _) =>
      s"CONSTRAINT ${Printable.line(name)} CHECK (${Printable.line(sql)})"
    case TableConstraint.PrimaryKey(name, columns, _) =>
      s"CONSTRAINT $name PRIMARY KEY (${columns.map(quoteIdentifier).mkString(", ")})"
  }
}
