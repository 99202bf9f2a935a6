// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{Field, InvalidRequestException, Place, Printable}
import io.github.pysparklance.spark.shim.{SparkShim, StoredExpression, TableConstraint}
import io.github.pysparklance.table.LanceTable

/** SQL that a table keeps for those who write rows: conditions of CHECK constraints, and defaults of columns. Whoever can
  * write the table's manifest chose it, so [[StoredExpression]] decides what of it is evaluated. Reads never evaluate any.
  */
private[spark] object StoredRules {

  /** Fails where writing rows would take an expression that is not evaluated.
    *
    * @param columns as Spark sees them
    * @param name of the table, for messages
    * @throws InvalidRequestException that names the table, the constraint or column, and the reason
    */
  def checkTrusted(table: LanceTable, columns: StructType, name: String): Unit = {
    def refuse(what: String, why: String, wayOut: String, column: Option[String] = None) =
      throw new InvalidRequestException(
        s"rows cannot be written to ${Printable.line(name)}: $what is not evaluated, as $why; reads go on; " +
          s"ALTER TABLE … $wayOut removes it",
        Place(path = Some(table.path), column = column)
      )
    for (check <- TableConstraint.checks(table.manifest.config); why <- check.problem(columns)) {
      val shown = Printable.line(check.name)
      refuse(s"its constraint $shown, CHECK (${brief(check.sql)}),", why, s"DROP CONSTRAINT $shown")
    }
    for (way <- table.schema.ways; (sql, why) <- refusedDefault(way.last)) {
      val column = Printable.line(way.map(_.name).mkString("."))
      refuse(s"the default ${brief(sql)}", why, s"ALTER COLUMN $column DROP DEFAULT", Some(column))
    }
  }

  /** Checks the constraints and defaults of a table that is made or changed.
    *
    * @param constraints those that are new
    * @throws InvalidRequestException that names the first that no writer would evaluate
    */
  def checkNew(constraints: Seq[TableConstraint], columns: StructType): Unit =
    constraints.foreach {
      case check: TableConstraint.Check =>
        check.problem(columns).foreach { why =>
          throw new InvalidRequestException(
            s"the constraint ${Printable.line(check.name)}, CHECK (${brief(check.sql)}), is refused, as $why; a " +
              "constraint is a condition on the columns of one row, see docs/sql.md for the functions it may call"
          )
        }
      case _ => ()
    }

  /** Checks the SQL of a default that a statement gives a column.
    *
    * @throws InvalidRequestException when no writer would evaluate it
    */
  def checkDefault(sql: String): Unit = StoredExpression.default(sql).left.foreach { why =>
    throw new InvalidRequestException(
      s"the default ${brief(sql)} is refused, as $why; a default is made of literals, see docs/sql.md"
    )
  }

  /** The default of a field as metadata of its column, if it may be evaluated.
    *
    * Spark evaluates the value for rows that lack the column whenever it loads a table, and fails if that fails. No row
    * of a Lance table lacks a column, so that value is always `NULL`, whatever the manifest contains.
    */
  private[types] def trustedDefaults(field: Field): Map[String, String] =
    field.metadata
      .get(SparkShim.currentDefault)
      .filter(StoredExpression.default(_).isRight)
      .fold(Map.empty[String, String]) { sql =>
        Map(SparkShim.currentDefault -> sql, SparkShim.existsDefault -> "NULL")
      }

  private def refusedDefault(field: Field): Option[(String, String)] = for {
    sql <- field.metadata.get(SparkShim.currentDefault)
    why <- StoredExpression.default(sql).left.toOption
  } yield (sql, why)

  private def brief(sql: String): String = {
    val line = Printable.line(sql.take(longest))
    if (sql.length > longest) s"$line…" else line
  }

  private val longest = 200
}
