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
    Retry(maxRetries = runs - 1)(()) { _ =>
      if (!operation.moveToNewest()) throw conflict
      try SessionShim.execute(SparkSession.active, command)
      catch { case NonFatal(e) => throw LanceErrors.find[CommitConflictException](e).getOrElse(e) }
    }
}

private[spark] object Rerun {

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
