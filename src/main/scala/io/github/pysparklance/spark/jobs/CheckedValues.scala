// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{And, CaseWhen, Expression, IsNotNull, Literal}
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{Column, DataFrame}

import io.github.pysparklance.spark.shim.{Constraints, Frames, TableConstraint}
import io.github.pysparklance.table.scan.MetadataColumn

/** Checks new values of rows against the CHECK constraints of the table. */
private[jobs] object CheckedValues {
  private val address = MetadataColumn.RowAddr.name

  /** @param values row addresses and new values, with the types of the columns
    * @param rows rows of the table, for unchanged columns in constraints
    * @return the same rows; evaluating a row that violates a constraint throws, as in Spark's
    *   writes
    */
  def apply(on: JobTable, values: DataFrame, rows: => DataFrame): DataFrame = {
    val isSame = SQLConf.get.resolver
    def isAmong(names: Seq[String])(name: String) = names.exists(isSame(_, name))
    val changed = values.columns.toSeq
    val checks = TableConstraint
      .checks(on.table.manifest.config)
      .filter(_.columns.exists(c => isAmong(changed)(c.head)))
    if (checks.isEmpty) values
    else {
      val used = checks.flatMap(_.columns.map(_.head))
      val others = on.table.schema.fields
        .map(_.name)
        .filter(name => isAmong(used)(name) && !isAmong(changed)(name))
      val holds = checks.map(Constraints.invariant).reduce(And)
      if (others.isEmpty) filtered(on, values, holds)
      else {
        val found = Iterator
          .from(0)
          .map(i => s"__lance_rowaddr_$i")
          .find(n => !isAmong(changed ++ others)(n))
          .get
        val rest = rows.select(col(address).as(found) +: named(others): _*)
        val whole = values.join(rest, col(address) === col(found), "left")
        // Rows that do not exist pass, because the job rejects them later.
        val guarded =
          CaseWhen(Seq(IsNotNull(UnresolvedAttribute(found)) -> holds), Literal.TrueLiteral)
        filtered(on, whole, guarded).select(named(changed): _*)
      }
    }
  }

  private def named(columns: Seq[String]): Seq[Column] =
    columns.map(c => col(quoteIdentifier(c)))

  private def filtered(on: JobTable, frame: DataFrame, holds: Expression): DataFrame =
    Frames.of(on.session, Filter(holds, Frames.plan(frame)))
}
