// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.sql.{Cursor, Statement, TableCommand, TableTarget}

/** `SHOW TAGS`, which lists the tags of a table. */
private[spark] object ShowTags extends Statement {
  override val usage: String = "SHOW TAGS {IN | FROM} t"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("SHOW", "TAGS") && (cursor.sees("IN") || cursor.sees("FROM"))

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("SHOW", "TAGS")
    if (!cursor.take("IN")) cursor.expect("FROM")
    ShowTagsCommand(TableTarget(cursor.name()))
  }
}

/** Runs [[ShowTags]]. */
final private[spark] case class ShowTagsCommand(target: TableTarget)
    extends TableCommand(ShowTagsCommand.columns) {

  override protected def rows(session: SparkSession): Seq[Row] =
    target.load(session, "SHOW TAGS").tags.list().map { t =>
      Row(
        t.name,
        t.branch.getOrElse("main"),
        t.version,
        t.createdAt.orNull,
        t.updatedAt.orNull,
        t.metadata
      )
    }
}

/** The columns of the result. */
private[spark] object ShowTagsCommand {
  private val columns = new StructType()
    .add("name", StringType, nullable = false)
    .add("branch", StringType, nullable = false)
    .add("version", LongType, nullable = false)
    .add("created_at", TimestampType)
    .add("updated_at", TimestampType)
    .add("metadata", MapType(StringType, StringType, valueContainsNull = false), nullable = false)
}
