// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{Field, InvalidRequestException, Place, Printable}
import io.github.pysparklance.spark.shim.{SparkShim, StoredExpression, TableConstraint}
import io.github.pysparklance.table.LanceTable

/** Checks SQL that is stored in a table and evaluated by writes: conditions of CHECK constraints
  * and defaults of columns.
  *
  * Anyone who can write the table's manifest can change it, so only expressions that
  * [[StoredExpression]] accepts are evaluated. Reads evaluate none.
  */
private[spark] object StoredRules {

  /** Rejects a write if it would need an expression that cannot be evaluated.
    *
    * @param columns schema of the table in Spark
    * @param name name of the table, for messages
    * @throws InvalidRequestException that names the table, the constraint or column, and the reason
    */
  def checkTrusted(table: LanceTable, columns: StructType, name: String): Unit = {
    def reject(what: String, why: String, wayOut: String, column: Option[String] = None) =
      throw new InvalidRequestException(
        s"rows cannot be written to ${Printable.line(name)}: $what cannot be evaluated because $why. " +
          s"The table can still be read. ALTER TABLE … $wayOut removes it",
        Place(path = Some(table.path), column = column)
      )
    for (check <- TableConstraint.checks(table.manifest.config); why <- check.problem(columns)) {
      val shown = Printable.line(check.name)
      reject(s"its constraint $shown, CHECK (${brief(check.sql)}),", why, s"DROP CONSTRAINT $shown")
    }
    for (way <- table.schema.ways; (sql, why) <- rejectedDefault(way.last)) {
      val column = Printable.line(way.map(_.name).mkString("."))
      reject(s"the default ${brief(sql)}", why, s"ALTER COLUMN $column DROP DEFAULT", Some(column))
    }
  }

  /** Checks the new constraints of a table that is created or altered.
    *
    * @throws InvalidRequestException that names the first constraint that cannot be evaluated
    */
  def checkNew(constraints: Seq[TableConstraint], columns: StructType): Unit =
    constraints.foreach {
      case check: TableConstraint.Check =>
        check.problem(columns).foreach { why =>
          throw new InvalidRequestException(
            s"the constraint ${Printable.line(check.name)}, CHECK (${brief(check.sql)}), is not supported: $why; a " +
              "constraint is a condition on the columns of one row, see docs/sql.md for the functions it may call"
          )
        }
      case _ => ()
    }

  /** Checks the SQL of a new default.
    *
    * @throws InvalidRequestException if it cannot be evaluated
    */
  def checkDefault(sql: String): Unit = StoredExpression.default(sql).left.foreach { why =>
    throw new InvalidRequestException(
      s"the default ${brief(sql)} is not supported: $why; a default consists of literals, see docs/sql.md"
    )
  }

  /** Returns the default of a field as column metadata, if it may be evaluated.
    *
    * When Spark loads a table, it evaluates the default for rows that lack the column, and fails if
    * this fails. All rows of a Lance table have all columns, so this default is always `NULL`,
    * regardless of the manifest.
    */
  private[types] def trustedDefaults(field: Field): Map[String, String] =
    field.metadata
      .get(SparkShim.currentDefault)
      .filter(StoredExpression.default(_).isRight)
      .fold(Map.empty[String, String]) { sql =>
        Map(SparkShim.currentDefault -> sql, SparkShim.existsDefault -> "NULL")
      }

  private def rejectedDefault(field: Field): Option[(String, String)] = for {
    sql <- field.metadata.get(SparkShim.currentDefault)
    why <- StoredExpression.default(sql).left.toOption
  } yield (sql, why)

  private def brief(sql: String): String = {
    val line = Printable.line(sql.take(longest))
    if (sql.length > longest) s"$line…" else line
  }

  private val longest = 200
}
