// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import scala.util.control.NonFatal

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.table.transaction.Retry

/** Retries statements whose commit conflicts with another writer's. The plan node
  * [[io.github.pysparklance.spark.rowlevel.RetriedStatement]] uses it, and so does what has no plan to run again: a
  * procedure, and an overwrite that selects the rows it replaces.
  *
  * The first retry is independent of the time that the first run took.
  *
  * @param retry how often a statement is retried
  */
final private[spark] class StatementRetry(retry: Retry) {

  /** Runs a statement until it is committed.
    *
    * @param first the statement on the version that it was planned for
    * @param onLatest returns the statement on the latest version, or `None` if it does not fit that version
    * @param run the statement, from the search for its rows to the commit
    * @throws CommitConflictException the last conflict, at once if the statement does not fit the latest version. If
    *   the first run is not retried, its exception is thrown as it is
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
    // Thrown in the loop, a retryable conflict would be retried.
    result.getOrElse(throw last)
  }
}

private[spark] object StatementRetry {

  /** Runs a statement that looks its table up in each run. */
  def apply[A](retry: Retry)(run: => A): A =
    new StatementRetry(retry).from(())(Some(_))(_ => run)
}
