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

/** New values for rows of a table, held against the CHECK constraints that they may break. */
private[jobs] object CheckedValues {
  private val address = MetadataColumn.RowAddr.name

  /** @param values addresses of rows and new values, in the types of the columns
    * @param rows the table's own rows, for columns that constraints name beside those that change
    * @return the same rows; who reads them fails at one that breaks a constraint, as Spark's writes do
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
        // Rows that the table does not have stay: the job refuses them by name.
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
