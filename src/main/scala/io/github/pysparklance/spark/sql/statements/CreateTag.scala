// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, Statement, TableTarget}

/** `ALTER TABLE … CREATE TAG`. */
private[spark] object CreateTag extends Statement {
  override val usage: String = "ALTER TABLE t CREATE [OR REPLACE] TAG [IF NOT EXISTS] name " +
    "[AS OF VERSION v | AS OF BRANCH b [VERSION v] | AS OF TAG other]"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("ALTER", "TABLE") && IfThere.follows(cursor, "TAG")

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("ALTER", "TABLE")
    val target = TableTarget(cursor.name())
    val ifThere = IfThere.parse(cursor, "TAG")
    val tag = cursor.label()
    CreateTagCommand(target, tag, RefSource.parse(cursor), ifThere)
  }
}

/** Runs [[CreateTag]].
  *
  * @param source version to tag
  */
final private[spark] case class CreateTagCommand(
    target: TableTarget,
    tag: String,
    source: RefSource,
    ifThere: IfThere
) extends CommittingCommand(new StructType) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "CREATE TAG")
    val tags = loaded.tags
    (ifThere, tags.get(tag).isDefined) match {
      case (IfThere.Keep, true) => ()
      case (IfThere.Replace, true) => tags.update(tag, source.in(loaded)): Unit
      case _ => tags.create(tag, source.in(loaded)): Unit
    }
    loaded.changed()
    Nil
  }
}
