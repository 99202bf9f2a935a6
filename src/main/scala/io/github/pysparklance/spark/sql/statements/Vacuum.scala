// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.jobs.{
  CleanupJob,
  CleanupListing,
  CleanupOutcome,
  CleanupRequest
}
import io.github.pysparklance.spark.sql.{
  CommittingCommand,
  Cursor,
  Statement,
  TableCommand,
  TableTarget
}

/** `VACUUM`, which removes old versions and unreferenced files. */
private[spark] object Vacuum extends Statement {
  override val usage: String =
    "VACUUM t [RETAIN n {HOURS | DAYS}] [DRY RUN] [WITH (option = value, ...)]"

  private val hourSeconds = 3600L
  private val daySeconds = 24 * hourSeconds

  override def begins(cursor: Cursor): Boolean = cursor.take("VACUUM") && cursor.seesName

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("VACUUM")
    val target = TableTarget(cursor.name())
    val retained = if (cursor.take("RETAIN")) Map("older_than" -> age(cursor).toString) else Map()
    val dryRun = cursor.take("DRY", "RUN")
    val options = cursor.withOptions()
    retained.keys.find(k => options.keys.exists(_.equalsIgnoreCase(k))).foreach { k =>
      cursor.fail(s"either RETAIN or the option $k")
    }
    if (dryRun) DryVacuumCommand(target, options ++ retained)
    else VacuumCommand(target, options ++ retained)
  }

  private def age(cursor: Cursor): Long = {
    val n = cursor.number()
    val unit =
      if (cursor.take("HOURS") || cursor.take("HOUR")) hourSeconds
      else if (cursor.take("DAYS") || cursor.take("DAY")) daySeconds
      else cursor.fail("HOURS or DAYS")
    if (n < 0 || n > Long.MaxValue / unit) cursor.fail("fewer HOURS or DAYS")
    n * unit
  }
}

/** Runs [[Vacuum]].
  *
  * @param options see [[CleanupRequest]]
  */
final private[spark] case class VacuumCommand(target: TableTarget, options: Map[String, String])
    extends CommittingCommand(CleanupOutcome.schema) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "VACUUM")
    loaded.checkWritable()
    val done = CleanupJob.run(loaded.job, CleanupRequest(options, loaded.job))
    loaded.changed()
    Seq(done.row)
  }
}

/** Lists the files that [[VacuumCommand]] would remove. */
final private[spark] case class DryVacuumCommand(target: TableTarget, options: Map[String, String])
    extends TableCommand(CleanupListing.schema) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val job = target.load(session, "VACUUM").job
    CleanupJob.dryRun(job, CleanupRequest(options, job)).rows
  }
}
