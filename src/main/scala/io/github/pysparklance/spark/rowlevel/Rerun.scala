// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, WriteDelta}

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.table.transaction.Retry

/** Runs a DELETE, UPDATE or MERGE again, on the newest version, when others changed or moved its rows before it was
  * committed.
  *
  * @param command as it was analysed; its scan and its write are planned by `operation` in every run
  * @param runs at most, at least one
  */
final private[rowlevel] class Rerun(
    operation: LanceRowLevelOperation,
    command: LogicalPlan,
    runs: Int
) {

  /** Runs the command until it is committed.
    *
    * @param conflict that the last run ended with
    * @throws CommitConflictException when the columns of the table changed, or others go on coming first
    */
  def apply(conflict: CommitConflictException): Unit =
    Rerun.retrying(Retry(maxRetries = runs - 1), operation.moveToNewest(), Some(conflict)) {
      SessionShim.execute(SparkSession.active, command)
    }
}

private[spark] object Rerun {

  /** Runs a command until it is committed, after a conflict on the latest version.
    *
    * @param moveToNewest returns false if the command does not fit the latest version
    * @param conflict that ended a run before, if there was one
    * @throws CommitConflictException the last conflict, at once if the command does not fit the latest version
    */
  def retrying(
      retry: Retry,
      moveToNewest: => Boolean,
      conflict: Option[CommitConflictException] = None
  )(run: => Unit): Unit = {
    var last = conflict
    val isCommitted = retry(()) { _ =>
      val fits = last.isEmpty || moveToNewest
      if (fits)
        try run
        catch {
          case NonFatal(e) =>
            last = LanceErrors.find[CommitConflictException](e)
            throw last.getOrElse(e)
        }
      fits
    }
    // Thrown in the loop, a retryable conflict would be retried.
    if (!isCommitted) last.foreach(e => throw e)
  }

  /** Lets the row-level commands on our tables in an analysed plan be run again. */
  def remember(plan: LogicalPlan): Unit = plan.foreach {
    case write: WriteDelta =>
      write.operation match {
        case ours: LanceRowLevelOperation => ours.remember(write)
        case _ => ()
      }
    case _ => ()
  }
}
