// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.jobs.IndexReport
import io.github.pysparklance.spark.sql.{Cursor, Statement, TableCommand, TableTarget}

/** `SHOW INDEXES`, which lists the indices of a table. */
private[spark] object ShowIndexes extends Statement {
  override val usage: String = "SHOW {INDEXES | INDEX} {IN | FROM} t"

  override def begins(cursor: Cursor): Boolean =
    (cursor.take("SHOW", "INDEXES") || cursor.take("SHOW", "INDEX")) &&
      (cursor.sees("IN") || cursor.sees("FROM"))

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("SHOW")
    if (!cursor.take("INDEX")) cursor.expect("INDEXES")
    if (!cursor.take("IN")) cursor.expect("FROM")
    ShowIndexesCommand(TableTarget(cursor.name()))
  }
}

/** Runs [[ShowIndexes]]. */
final private[spark] case class ShowIndexesCommand(target: TableTarget)
    extends TableCommand(ShowIndexesCommand.columns) {

  override protected def rows(session: SparkSession): Seq[Row] =
    new IndexReport(target.load(session, "SHOW INDEXES").table).indices.map { i =>
      Row(
        i.name,
        i.fields,
        i.kind.orNull,
        i.indexed.map(_.fragments).orNull,
        i.indexed.map(_.rows).orNull,
        i.unindexed.map(_.fragments).orNull,
        i.unindexed.map(_.rows).orNull,
        i.segments.length.toLong,
        i.sizeBytes.orNull
      )
    }
}

/** The columns of the result. */
private[spark] object ShowIndexesCommand {
  private val columns = new StructType()
    .add("name", StringType, nullable = false)
    .add("fields", ArrayType(StringType, containsNull = false), nullable = false)
    .add("index_type", StringType)
    .add("num_indexed_fragments", LongType)
    .add("num_indexed_rows", LongType)
    .add("num_unindexed_fragments", LongType)
    .add("num_unindexed_rows", LongType)
    .add("num_segments", LongType, nullable = false)
    .add("size_bytes", LongType)
}
