// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, Statement, TableTarget}

/** `ALTER TABLE … DROP TAG`. */
private[spark] object DropTag extends Statement {
  override val usage: String = "ALTER TABLE t DROP TAG [IF EXISTS] name"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("ALTER", "TABLE") && cursor.seesAfterName("DROP", "TAG")

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("ALTER", "TABLE")
    val target = TableTarget(cursor.name())
    cursor.expect("DROP", "TAG")
    val ifExists = cursor.take("IF", "EXISTS")
    DropTagCommand(target, cursor.label(), ifExists)
  }
}

/** Runs [[DropTag]].
  *
  * @param ifExists whether a missing tag is ignored
  */
final private[spark] case class DropTagCommand(target: TableTarget, tag: String, ifExists: Boolean)
    extends CommittingCommand(new StructType) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "DROP TAG")
    val tags = loaded.tags
    if (!ifExists || tags.get(tag).isDefined) tags.delete(tag)
    loaded.changed()
    Nil
  }
}
