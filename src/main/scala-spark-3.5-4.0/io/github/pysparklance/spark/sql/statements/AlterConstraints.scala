// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.expressions.{Cast, Coalesce, Literal, Not}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.types.{BooleanType, StructType}
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.shim.{
  AddConstraint,
  Constraints,
  DropConstraint,
  Frames,
  TableConstraint
}
import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, Statement, TableTarget}
import io.github.pysparklance.spark.types.StoredRules

/** `ALTER TABLE … ADD CONSTRAINT`. */
private[statements] object AddConstraintTo extends Statement {
  override val usage: String = s"ALTER TABLE t ADD ${ConstraintClause.usage}"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("ALTER", "TABLE") && cursor.takeName() && cursor.take("ADD") &&
      ConstraintClause.follows(cursor, isOwn = true)

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("ALTER", "TABLE")
    val target = TableTarget(cursor.name())
    cursor.expect("ADD")
    AddConstraintCommand(target, ConstraintClause.parse(cursor, target.name.last.split('/').last))
  }
}

/** Runs [[AddConstraintTo]]. */
final private[statements] case class AddConstraintCommand(
    target: TableTarget,
    constraint: TableConstraint
) extends CommittingCommand(new StructType) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "ADD CONSTRAINT")
    loaded.checkWritable()
    constraint match {
      case check: TableConstraint.Check =>
        StoredRules.checkNew(Seq(check), loaded.spark.schema())
        val holds = Coalesce(Seq(Cast(Constraints.condition(check), BooleanType), Literal(true)))
        val broken = Frames.of(session, Filter(Not(holds), Frames.plan(loaded.rows)))
        if (!broken.isEmpty)
          throw Constraints.error(
            "NEW_CHECK_CONSTRAINT_VIOLATION",
            Map("expression" -> check.sql, "tableName" -> loaded.spark.name)
          )
      case _ => ()
    }
    val version = java.lang.Long.toUnsignedString(loaded.table.version)
    loaded.catalog.alterTable(loaded.ident, AddConstraint(constraint, Some(version)))
    Nil
  }
}

/** `ALTER TABLE … DROP CONSTRAINT`. */
private[statements] object DropConstraintFrom extends Statement {
  override val usage: String =
    "ALTER TABLE t DROP CONSTRAINT [IF EXISTS] name [RESTRICT | CASCADE]"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("ALTER", "TABLE") && cursor.takeName() && cursor.take("DROP", "CONSTRAINT")

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("ALTER", "TABLE")
    val target = TableTarget(cursor.name())
    cursor.expect("DROP", "CONSTRAINT")
    val ifExists = cursor.take("IF", "EXISTS")
    val name = cursor.identifier()
    if (!cursor.take("RESTRICT")) cursor.take("CASCADE"): Unit
    DropConstraintCommand(target, DropConstraint(name, ifExists))
  }
}

/** Runs [[DropConstraintFrom]]. */
final private[statements] case class DropConstraintCommand(
    target: TableTarget,
    change: DropConstraint
) extends CommittingCommand(new StructType) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "DROP CONSTRAINT")
    loaded.catalog.alterTable(loaded.ident, change)
    Nil
  }
}
