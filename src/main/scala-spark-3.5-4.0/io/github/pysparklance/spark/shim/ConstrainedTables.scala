// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.connector.catalog.{
  Column,
  Identifier,
  TableCatalog,
  TableCatalogCapability,
  TableChange
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.{BooleanType, DataType, StringType}

import io.github.pysparklance.core.{InvalidRequestException, Printable}

/** Hides `Table.constraints`, which Spark has since 4.1. Here, Spark does not see the constraints
  * of a table.
  */
trait ConstrainedTable extends StatementTable {

  /** The properties that show the constraints. CREATE TABLE can also declare constraints with them.
    */
  protected def constraintProperties: Map[String, String] =
    declared.flatMap(_.properties).map { case (name, value) =>
      Printable.line(name) -> Printable.line(value)
    }.toMap
}

/** Hides `TableInfo`, which passes the constraints of new tables to catalogs since 4.1. */
trait ConstrainedCatalog extends StatementCatalog

/** Adds a constraint. Hides Spark's change with this name, which exists since 4.1.
  *
  * @param validatedVersion the version of the table whose rows satisfy it
  */
final private[spark] case class AddConstraint(
    constraint: TableConstraint,
    validatedVersion: Option[String]
) extends TableChange

/** Drops a constraint. Hides Spark's change with this name, which exists since 4.1. */
final private[spark] case class DropConstraint(name: String, ifExists: Boolean) extends TableChange

/** Hides Spark's constraints, which exist since 4.1. */
object Constraints {

  /** Whether Spark checks the rows of writes against the constraints of tables. */
  val areEnforcedBySpark: Boolean = false

  /** Capabilities of a catalog whose tables have constraints. */
  val capabilities: Seq[TableCatalogCapability] = Nil

  /** Returns the constraint that a change adds. */
  def added(change: TableChange): Option[TableConstraint] = change match {
    case c: AddConstraint => Some(c.constraint)
    case _ => None
  }

  /** Returns the version of the table whose rows are known to satisfy the constraint that a change
    * adds.
    */
  def validatedVersion(change: TableChange): Option[String] = change match {
    case c: AddConstraint => c.validatedVersion
    case _ => None
  }

  /** Returns the name of the constraint that a change drops, and whether it may be missing. */
  def dropped(change: TableChange): Option[(String, Boolean)] = change match {
    case c: DropConstraint => Some(c.name -> c.ifExists)
    case _ => None
  }

  /** Creates a table in any catalog. */
  def createTable(
      catalog: TableCatalog,
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): Unit = catalog.createTable(ident, columns, partitions, properties): Unit

  /** Returns the condition as an expression that is true, or throws if it is violated.
    *
    * @throws InvalidRequestException if the condition is rejected
    */
  def invariant(check: TableConstraint.Check): Expression = {
    val columns = check.columns.distinct.map(UnresolvedAttribute(_))
    ConstraintInvariant(
      Cast(condition(check), BooleanType),
      columns.map(Cast(_, StringType)),
      columns.map(_.name),
      check.name,
      check.sql
    )
  }

  /** Returns the unresolved condition of a constraint.
    *
    * @throws InvalidRequestException if the condition is rejected
    */
  private[spark] def condition(check: TableConstraint.Check): Expression = check.condition.fold(
    why => throw new InvalidRequestException(s"the constraint ${check.name} cannot be checked: $why"),
    _.expression
  )

  /** Formats a constraint as in the statement, for messages. */
  def ddl(c: TableConstraint): String = c match {
    case TableConstraint.Check(name, sql, _) =>
      s"CONSTRAINT ${Printable.line(name)} CHECK (${Printable.line(sql)})"
    case TableConstraint.PrimaryKey(name, columns, _) =>
      s"CONSTRAINT $name PRIMARY KEY (${columns.map(quoteIdentifier).mkString(", ")})"
  }

  /** Returns an error that Spark defines since 4.1.
    *
    * @param condition error condition, such as `CONSTRAINT_DOES_NOT_EXIST`
    */
  def error(condition: String, parameters: Map[String, String]): AnalysisException = {
    val text = parameters.foldLeft(messages(condition)) { case (m, (name, value)) =>
      m.replace(s"<$name>", value)
    }
    SparkShim.analysisException(s"[$condition] $text", condition, parameters, null)
  }

  private val messages = Map(
    "CHECK_CONSTRAINT_VIOLATION" ->
      "CHECK constraint <constraintName> <expression> violated by row with values:\n<values>\n",
    "CONSTRAINT_ALREADY_EXISTS" ->
      ("Constraint '<constraintName>' already exists. Please delete the existing constraint first.\n" +
        "Existing constraint:\n<oldConstraint>"),
    "CONSTRAINT_DOES_NOT_EXIST" ->
      "Cannot drop nonexistent constraint <constraintName> from table <tableName>.",
    "NEW_CHECK_CONSTRAINT_VIOLATION" ->
      ("The new check constraint (<expression>) cannot be added because it would be violated by existing data in " +
        "table <tableName>. Please ensure all existing rows satisfy the constraint before adding it.")
  )
}

/** Evaluates to true, or throws if a CHECK constraint is violated. Hides `CheckInvariant`, which
  * Spark has since 4.1.
  *
  * @param values values of columns in the message
  * @param names names of these columns
  */
final private[shim] case class ConstraintInvariant(
    condition: Expression,
    values: Seq[Expression],
    names: Seq[String],
    constraint: String,
    text: String
) extends Expression
    with CodegenFallback {
  override def children: Seq[Expression] = condition +: values

  override def dataType: DataType = BooleanType

  override def nullable: Boolean = false

  override def foldable: Boolean = false

  override def eval(row: InternalRow): Any = {
    if (condition.eval(row) == false)
      throw Constraints.error(
        "CHECK_CONSTRAINT_VIOLATION",
        Map(
          "constraintName" -> Printable.line(constraint),
          "expression" -> Printable.line(text),
          "values" -> names.zip(values).map { case (n, v) => s" - $n : ${v.eval(row)}" }
            .mkString("\n")
        )
      )
    true
  }

  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): Expression =
    copy(condition = changed.head, values = changed.tail)
}
