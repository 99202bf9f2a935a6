// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import scala.util.control.NonFatal

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.table.transaction.Retry

/** Retries statements after a conflict with another writer. Used by the plan node
  * [[io.github.pysparklance.spark.rowlevel.RetriedStatement]], and by statements without a plan:
  * procedures, and overwrites that select the rows they replace.
  *
  * The first retry does not depend on the duration of the first run.
  *
  * @param retry number of retries
  */
final private[spark] class StatementRetry(retry: Retry) {

  /** Runs a statement until it is committed.
    *
    * @param first the statement on the version for which it was planned
    * @param onLatest returns the statement on the latest version, or `None` if it does not fit that
    *   version
    * @param run runs the statement, including the search for its rows and the commit
    * @throws CommitConflictException the last conflict; thrown immediately if the statement does
    *   not fit the latest version. If the first run cannot be retried, its exception is thrown
    *   unchanged
    */
  def from[S, A](first: S)(onLatest: S => Option[S])(run: S => A): A =
    try run(first)
    catch {
      case NonFatal(e) =>
        LanceErrors.find[CommitConflictException](e) match {
          case Some(conflict) if conflict.retryable && retry.maxRetries > 0 =>
            again(first, conflict)(onLatest)(run)
          case _ => throw e
        }
    }

  private def again[S, A](first: S, conflict: CommitConflictException)(
      onLatest: S => Option[S]
  )(run: S => A): A = {
    var (current, last) = (first, conflict)
    val result = retry.copy(maxRetries = retry.maxRetries - 1)(()) { _ =>
      onLatest(current).map { latest =>
        current = latest
        try run(latest)
        catch {
          case NonFatal(e) =>
            throw LanceErrors.find[CommitConflictException](e).fold(e) { c =>
              last = c
              c
            }
        }
      }
    }
    // Thrown here, because a retryable conflict in the loop would be retried.
    result.getOrElse(throw last)
  }
}

/** Retries statements. */
private[spark] object StatementRetry {

  /** Retries a statement that loads its table in each run. */
  def apply[A](retry: Retry)(run: => A): A =
    new StatementRetry(retry).from(())(Some(_))(_ => run)
}
