// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.ExecutedCommandExec
import org.apache.spark.sql.execution.datasources.v2.{V2CommandExec, WriteDeltaExec}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.table.transaction.Retry

/** Runs a statement, and after a conflict the same statement on the latest version until it is committed. */
final private[rowlevel] case class RetriedStatementExec(
    statement: RetriableStatement,
    child: SparkPlan
) extends V2CommandExec
    with UnaryExecNode {
  override def output: Seq[Attribute] = child.output

  override protected def stringArgs: Iterator[Any] = Iterator.empty

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  override protected def run(): Seq[InternalRow] =
    try child.executeCollect().toIndexedSeq
    catch {
      case NonFatal(e) =>
        LanceErrors.find[CommitConflictException](e) match {
          case Some(conflict) if conflict.retryable && retries.maxRetries > 0 =>
            LanceErrors.translated(runAgain(conflict))
            Nil
          case _ => throw e
        }
    }

  private def runAgain(conflict: CommitConflictException): Unit = {
    val again = retries.copy(maxRetries = retries.maxRetries - 1)
    RetriedStatementExec.retrying(again, statement, conflict)(_.onLatest) { latest =>
      RetriedStatement.runOnce(latest.plan)
      // The metrics of the run that failed are not those of the statement.
      SessionShim.execute(SparkSession.active, latest.plan, plan => Some(copy(child = plan)))
    }
  }

  /** How often the statement is retried, by the options of its write. Without a delta of rows, Spark runs a DELETE by
    * metadata, which retries without a query, see [[MetadataDelete]].
    */
  private def retries: Retry = child match {
    case w: WriteDeltaExec =>
      w.write match {
        case ours: LanceDeltaWrite => ours.retry
        case _ => RetriedStatementExec.never
      }
    case ExecutedCommandExec(command: RetriableCommand) => command.retry
    case _ => RetriedStatementExec.never
  }
}

private[rowlevel] object RetriedStatementExec {
  private val never = Retry(maxRetries = 0)

  /** Runs a statement on the latest version until it is committed.
    *
    * @param conflict of the run before
    * @param onLatest returns the statement on the latest version, or `None` if it does not fit that version
    * @throws CommitConflictException the last conflict, at once if the statement does not fit the latest version
    */
  def retrying[S](retry: Retry, statement: S, conflict: CommitConflictException)(
      onLatest: S => Option[S]
  )(run: S => Unit): Unit = {
    var (current, last) = (statement, conflict)
    val isCommitted = retry(()) { _ =>
      onLatest(current).exists { latest =>
        current = latest
        try run(latest)
        catch {
          case NonFatal(e) =>
            throw LanceErrors.find[CommitConflictException](e).fold(e) { c =>
              last = c
              c
            }
        }
        true
      }
    }
    // Thrown in the loop, a retryable conflict would be retried.
    if (!isCommitted) throw last
  }
}
