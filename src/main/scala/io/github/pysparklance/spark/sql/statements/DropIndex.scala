// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.jobs.IndexJob
import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, Statement, TableTarget}

/** `ALTER TABLE … DROP INDEX`. Spark itself supports `DROP INDEX i ON t`. */
private[spark] object DropIndex extends Statement {
  override val usage: String = "ALTER TABLE t DROP INDEX [IF EXISTS] name"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("ALTER", "TABLE") && cursor.seesAfterName("DROP", "INDEX")

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("ALTER", "TABLE")
    val target = TableTarget(cursor.name())
    cursor.expect("DROP", "INDEX")
    val ifExists = cursor.take("IF", "EXISTS")
    DropIndexCommand(target, cursor.identifier(), ifExists)
  }
}

/** Runs [[DropIndex]].
  *
  * @param ifExists whether a missing index is ignored
  */
final private[spark] case class DropIndexCommand(
    target: TableTarget,
    index: String,
    ifExists: Boolean
) extends CommittingCommand(new StructType) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "DROP INDEX").toChange
    if (!ifExists || IndexJob.named(loaded.table, index).nonEmpty)
      IndexJob.drop(loaded.job, index): Unit
    loaded.changed()
    Nil
  }
}
