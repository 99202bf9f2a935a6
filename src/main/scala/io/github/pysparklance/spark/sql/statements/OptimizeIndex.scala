// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.jobs.{IndexJob, IndexOutcome, IndexRefresh}
import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, Statement, TableTarget}

/** `OPTIMIZE INDEX`, which indexes new rows and merges segments. */
private[spark] object OptimizeIndex extends Statement {
  override val usage: String = "OPTIMIZE INDEX name ON t [WITH (option = value, ...)]"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("OPTIMIZE", "INDEX") && cursor.seesAfterName("ON")

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("OPTIMIZE", "INDEX")
    val name = cursor.identifier()
    cursor.expect("ON")
    val target = TableTarget(cursor.name())
    OptimizeIndexCommand(target, Some(Seq(name)), cursor.withOptions())
  }
}

/** `ALTER TABLE … OPTIMIZE INDEX`, the syntax of lance-spark. */
private[spark] object AlterOptimizeIndex extends Statement {
  override val usage: String = "ALTER TABLE t OPTIMIZE INDEX name [WITH (option = value, ...)]"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("ALTER", "TABLE") && cursor.seesAfterName("OPTIMIZE", "INDEX")

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("ALTER", "TABLE")
    val target = TableTarget(cursor.name())
    cursor.expect("OPTIMIZE", "INDEX")
    OptimizeIndexCommand(target, Some(Seq(cursor.identifier())), cursor.withOptions())
  }
}

/** Runs [[OptimizeIndex]].
  *
  * @param indices names of indices; `None` for all supported indices
  * @param options see [[IndexRefresh]]
  */
final private[spark] case class OptimizeIndexCommand(
    target: TableTarget,
    indices: Option[Seq[String]],
    options: Map[String, String]
) extends CommittingCommand(IndexOutcome.schema) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val refresh = IndexRefresh.of(options, isNamed = indices.isDefined)
    val loaded = target.load(session, "OPTIMIZE INDEX").toChange
    val names = indices.getOrElse(IndexJob.optimizable(loaded.table))
    val (_, done) = names.foldLeft((loaded.job, Vector.empty[IndexOutcome])) {
      case ((job, before), name) =>
        val outcome = IndexJob.optimize(job, name, refresh)
        (job.copy(table = outcome.table), before :+ outcome)
    }
    loaded.changed()
    done.map(_.row)
  }
}
