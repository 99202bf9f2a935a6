// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.datasources.v2.V2CommandExec
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import io.github.pysparklance.spark.commit.StatementRetry
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.SessionShim

/** Runs a statement. After a conflict, runs it again on the latest version until it is committed.
  */
final private[rowlevel] case class RetriedStatementExec(
    statement: RetriableStatement,
    child: SparkPlan
) extends V2CommandExec
    with UnaryExecNode {
  override def output: Seq[Attribute] = child.output

  override protected def stringArgs: Iterator[Any] = Iterator.empty

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  override protected def run(): Seq[InternalRow] = LanceErrors.translated {
    new StatementRetry(statement.retry).from(statement)(_.onLatest) { current =>
      if (current eq statement) child.executeCollect().toIndexedSeq
      else {
        RetriedStatement.runOnce(current.plan)
        // Replaces the metrics of the failed run.
        SessionShim.execute(SparkSession.active, current.plan, plan => Some(copy(child = plan)))
        Nil
      }
    }
  }
}
