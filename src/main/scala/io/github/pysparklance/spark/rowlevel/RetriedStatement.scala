// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions.{Attribute, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  DeleteFromTable,
  LogicalPlan,
  TruncateTable,
  UnaryCommand,
  WriteDelta
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import io.github.pysparklance.table.transaction.Retry

/** A statement that is retried on the latest version after a conflict: a DELETE, UPDATE, or MERGE,
  * an append of rows that a query selected from the same table, or a maintenance command.
  *
  * {{{
  *   analysis        WriteDelta, or another command, on the version that is the latest then
  *   normalization   RetriedStatement(statement, child), both the analyzed command
  *   optimization    child is optimized, statement stays as it was analyzed
  *   planning        RetriedStatementExec(statement, child), which runs child, and after a conflict
  *                   the statement on the latest version
  * }}}
  * Maintenance commands load their table in each run, so a retry runs `child`, too.
  *
  * @param statement the analyzed statement
  * @param child the statement for the first run
  */
final private[spark] case class RetriedStatement(
    statement: RetriableStatement,
    child: LogicalPlan
) extends UnaryCommand {
  override def output: Seq[Attribute] = child.output

  override protected def stringArgs: Iterator[Any] = Iterator.empty

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan =
    copy(child = newChild)
}

/** Inserts and plans the node. */
private[spark] object RetriedStatement {
  private val once = TreeNodeTag[Unit]("lance.statement.once")

  /** Marks a command that runs as part of a retried statement, and must not be retried itself. */
  def runOnce(command: LogicalPlan): Unit = command.setTagValue(once, ())

  /** Wraps analyzed commands. Runs before Spark optimizes a plan, and therefore before it plans
    * scan and write.
    */
  object Insert extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan match {
      case delta @ DeltaOperation(operation) =>
        val described = DeltaOperation.replaced(delta, operation.describing(delta.condition))
        if (delta.getTagValue(once).isDefined) described
        else RetriedStatement(RetriableDelta(described), described)
      case command: RetriableCommand if command.getTagValue(once).isEmpty =>
        RetriedStatement(command, command)
      case append: AppendData if append.getTagValue(once).isEmpty =>
        SelfReadingAppend.of(append).fold[LogicalPlan](append)(s => RetriedStatement(s, s.plan))
      case WholeTable(target) if plan.getTagValue(once).isEmpty =>
        RetriedStatement(RetriableTruncation(plan, target), plan)
      case other => other
    }
  }

  /** Plans the node. */
  object Strategy extends SparkStrategy {
    override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
      case RetriedStatement(statement, child) =>
        RetriedStatementExec(statement, planLater(child)) :: Nil
      case _ => Nil
    }
  }
}

/** An analyzed statement on a version of a table. */
private[spark] trait RetriableStatement {

  /** The command. */
  def plan: LogicalPlan

  /** Returns the statement on the latest version.
    *
    * @return `None` if it must be analyzed again, because the table has other columns or
    *   constraints
    */
  def onLatest: Option[RetriableStatement]

  /** The number of retries. */
  def retry: Retry
}

/** A statement that Spark runs as a delta of rows, or as a DELETE by metadata. */
final private[rowlevel] case class RetriableDelta(plan: WriteDelta) extends RetriableStatement {
  override def onLatest: Option[RetriableStatement] =
    DeltaOperation.onLatest(plan).map(RetriableDelta(_))

  override def retry: Retry = DeltaOperation.retry(plan)
}

/** A DELETE or TRUNCATE of all rows, which Spark runs without a row-level operation. */
final private[rowlevel] case class RetriableTruncation(plan: LogicalPlan, target: RowLevelTarget)
    extends RetriableStatement {
  override def onLatest: Option[RetriableStatement] = {
    val latest = target.onLatest
    Some(RetriableTruncation(WholeTable.moved(plan, latest), latest))
  }

  override def retry: Retry = target.retry()
}

/** Extracts the table of a command that deletes all of its rows. */
private object WholeTable {
  def unapply(command: LogicalPlan): Option[RowLevelTarget] = command match {
    case DeleteFromTable(relation, Literal.TrueLiteral) =>
      relation.collectFirst { case r: DataSourceV2Relation => RowLevelTarget.of(r) }.flatten
    case TruncateTable(ResolvedTable(_, _, target: RowLevelTarget, _)) => Some(target)
    case _ => None
  }

  /** Returns the command on another version of its table. */
  def moved(command: LogicalPlan, to: RowLevelTarget): LogicalPlan = command.transformUp {
    case r: DataSourceV2Relation if RowLevelTarget.of(r).isDefined => r.copy(table = to)
    case r: ResolvedTable => r.copy(table = to)
  }
}

/** A command that is a statement. */
private[spark] trait RetriableCommand extends LogicalPlan with RetriableStatement {
  final override def plan: LogicalPlan = this
}
