// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import java.util.Locale

import io.github.pysparklance.core.Optional
import io.github.pysparklance.spark.shim.{SparkShim, TableConstraint}
import io.github.pysparklance.spark.sql.Cursor

/** Parses a constraint with the syntax of Spark 4.1 and later. */
private[statements] object ConstraintClause {
  val usage: String =
    "[CONSTRAINT name] {CHECK (condition) [ENFORCED] | PRIMARY KEY (columns) [NOT ENFORCED]} [RELY | NORELY]"

  /** Whether a constraint comes next.
    *
    * @param isOwn whether the position allows a table constraint; otherwise a column constraint
    */
  def follows(cursor: Cursor, isOwn: Boolean): Boolean =
    isKind(cursor, isOwn) ||
      kinds.exists(kind => cursor.sees("CONSTRAINT") && cursor.seesSecondNext(kind))

  private val kinds = Seq("CHECK", "PRIMARY", "UNIQUE", "FOREIGN", "REFERENCES")

  private def isKind(cursor: Cursor, isOwn: Boolean): Boolean =
    cursor.sees("CHECK", "(") || cursor.sees("PRIMARY", "KEY") || cursor.sees("FOREIGN", "KEY") ||
      (if (isOwn) cursor.sees("UNIQUE", "(")
       else cursor.sees("UNIQUE") || cursor.sees("REFERENCES"))

  /** @param table name of the table, from which missing constraint names are derived
    * @param column column of a column constraint; `None` for a table constraint
    * @throws org.apache.spark.sql.AnalysisException if Lance tables do not support this kind of
    *   constraint
    */
  def parse(cursor: Cursor, table: String, column: Option[String] = None): TableConstraint = {
    val name = Optional.when(cursor.take("CONSTRAINT"))(cursor.identifier())
    if (cursor.take("CHECK")) {
      cursor.expect("(")
      val sql = cursor.expression()
      cursor.expect(")")
      val made = f"${table}_chk_${sql.hashCode}%08x"
      val rely = characteristics(cursor, isEnforced = true, "CHECK")
      TableConstraint.Check(name.getOrElse(made), sql, rely)
    } else if (cursor.take("PRIMARY", "KEY")) {
      val columns = column.fold {
        cursor.expect("(")
        val names = cursor.list(cursor.identifier())
        cursor.expect(")")
        names
      }(Seq(_))
      val rely = characteristics(cursor, isEnforced = false, "PRIMARY KEY")
      TableConstraint.PrimaryKey(name.getOrElse(s"${table}_pk"), columns, rely)
    } else if (isKind(cursor, column.isEmpty)) {
      val kind = if (cursor.sees("UNIQUE")) "UNIQUE" else "FOREIGN KEY"
      throw rejected(
        s"the constraint $kind: Lance tables have PRIMARY KEY and CHECK constraints",
        s"the constraint $kind"
      )
    } else cursor.fail("CHECK or PRIMARY KEY")
  }

  /** Returns whether the optimizer may rely on the constraint. */
  private def characteristics(cursor: Cursor, isEnforced: Boolean, kind: String): Boolean = {
    var rely = false
    var more = true
    def enforced(is: Boolean, text: String): Unit =
      if (is != isEnforced)
        throw rejected(s"a constraint $kind that is $text", s"$kind $text".toUpperCase(Locale.ROOT))
    while (more)
      if (cursor.take("NOT", "ENFORCED")) enforced(is = false, "NOT ENFORCED")
      else if (cursor.take("ENFORCED")) enforced(is = true, "ENFORCED")
      else if (cursor.take("RELY")) rely = true
      else if (cursor.take("NORELY")) rely = false
      else more = false
    rely
  }

  private def rejected(message: String, feature: String): Throwable =
    SparkShim.analysisException(
      message,
      "LANCE_UNSUPPORTED_FEATURE",
      Map("feature" -> feature),
      null
    )
}
