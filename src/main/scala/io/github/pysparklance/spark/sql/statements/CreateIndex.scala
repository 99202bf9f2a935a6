// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.Optional
import io.github.pysparklance.spark.jobs.{IndexJob, IndexOutcome, IndexRequest}
import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, Statement, TableTarget}
import io.github.pysparklance.table.schema.FieldPath

/** `ALTER TABLE … CREATE INDEX`. Spark itself supports `CREATE INDEX i ON t`. */
private[spark] object CreateIndex extends Statement {
  override val usage: String = "ALTER TABLE t CREATE [OR REPLACE] INDEX [IF NOT EXISTS] name " +
    "USING kind (column) [WITH (option = value, ...)]"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("ALTER", "TABLE") && IfThere.follows(cursor, "INDEX")

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("ALTER", "TABLE")
    val target = TableTarget(cursor.name())
    val ifThere = IfThere.parse(cursor, "INDEX")
    val name = cursor.identifier()
    cursor.expect("USING")
    val kind = cursor.identifier()
    cursor.expect("(")
    val column = FieldPath.of(cursor.name(): _*)
    cursor.expect(")")
    CreateIndexCommand(target, name, kind, column, cursor.withOptions(), ifThere)
  }
}

/** Runs [[CreateIndex]].
  *
  * @param kind name of the kind; case-insensitive
  * @param options see [[IndexRequest]]
  */
final private[spark] case class CreateIndexCommand(
    target: TableTarget,
    index: String,
    kind: String,
    column: FieldPath,
    options: Map[String, String],
    ifThere: IfThere
) extends CommittingCommand(IndexOutcome.schema) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "CREATE INDEX").toChange
    val request = IndexRequest.of(index, kind, column, options)
    val isThere = IndexJob.named(loaded.table, index).nonEmpty
    val done = Optional.unless(isThere && ifThere == IfThere.Keep) {
      IndexJob.create(loaded.job, request, replace = ifThere == IfThere.Replace)
    }
    loaded.changed()
    done.map(_.row).toSeq
  }
}
