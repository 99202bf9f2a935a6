// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeReference,
  AttributeSet,
  Expression,
  MetadataAttribute,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{
  LogicalPlan,
  MergeIntoTable,
  Project,
  UpdateTable,
  WriteDelta
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.connector.write.RowLevelOperation.Command
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.rowlevel.DeltaOperation
import io.github.pysparklance.spark.shim.{InsertOnlyWrite, RowLevelTables}

/** Restores what the target of a DELETE, UPDATE, or MERGE loses when Spark plans the statement:
  *
  *   - the length of CHAR columns, without which Spark does not pad their values. Only aligned
  *     assignments lose it;
  *   - metadata columns. If Spark adds them to an UPDATE or MERGE first, it treats all of them as
  *     columns of the table that an INSERT must assign. So their references get new ids, and the
  *     scan returns them under these ids after Spark has planned the statement. Since 4.1, Spark
  *     plans a DELETE in the pass that resolves its condition. Conditions with functions or
  *     subqueries are resolved too late in this pass for Spark to add their columns.
  */
private[spark] object TargetColumns extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case m: MergeIntoTable if isOurs(m.targetTable) => detached(m, m.targetTable)
    case u: UpdateTable if isOurs(u.table) => detached(u, u.table)
    case delta @ DeltaOperation(operation) =>
      val target = new Target(r => RowLevelTables.isTarget(r.table, operation))
      if (operation.command == Command.DELETE)
        delta.copy(query = target.withMissingColumns(delta.query))
      else
        delta.copy(query = target.restored(delta.query), condition = condition(delta))
    case InsertOnlyWrite(write) if MergedAppends.isMarked(write) =>
      write.table match {
        case target: DataSourceV2Relation if isOurs(target) =>
          // The source can be the same table, under other ids.
          val ids = target.outputSet
          def isTarget(r: DataSourceV2Relation) =
            (r.table eq target.table) && r.output.exists(ids.contains)
          write.withNewQuery(new Target(isTarget).restored(write.query))
        case _ => write
      }
  }

  /** Whether the target of a statement is a Lance table. */
  private[sql] def isOurs(table: LogicalPlan): Boolean = EliminateSubqueryAliases(table) match {
    case r: DataSourceV2Relation => r.table.isInstanceOf[LanceSparkTable]
    case _ => false
  }

  /** Gives the references to metadata columns of the target new ids, so that Spark does not find
    * them. Statements with subqueries are unchanged.
    */
  private def detached(statement: LogicalPlan, target: LogicalPlan): LogicalPlan =
    if (!target.resolved || statement.expressions.exists(SubqueryExpression.hasSubquery)) statement
    else {
      val renewed = target.metadataOutput.map(a => a.exprId -> a.newInstance().exprId).toMap
      statement.transformExpressions {
        case a: AttributeReference if renewed.contains(a.exprId) => a.withExprId(renewed(a.exprId))
      }
    }

  /** The condition of a planned statement is only a description. Spark would add its metadata
    * columns to the query, in each pass again.
    */
  private def condition(delta: WriteDelta): Expression = {
    val used = AttributeSet(delta.query.collect { case p => p.output }.flatten)
    delta.condition.transform {
      case a: AttributeReference if isMetadata(a) && used.contains(a) => a.newInstance()
    }
  }

  private def isMetadata(a: Attribute): Boolean = MetadataAttribute.isValid(a.metadata)

  /** The target in the query of a statement. */
  final private class Target(isTarget: DataSourceV2Relation => Boolean) {

    /** Returns the query with the lengths of CHAR columns and the missing metadata columns. */
    def restored(query: LogicalPlan): LogicalPlan =
      withMissingColumns(query.transformUp { case Relation(r) => withLengths(r) })

    /** Returns the query with the metadata columns that it uses and the target does not return. */
    def withMissingColumns(query: LogicalPlan): LogicalPlan = query.transformUp { case node =>
      // Columns of constraints are not resolved yet. They have no ids, which toSeq sorts by.
      val missing = node.missingInput
        .filter(a => a.resolved && isMetadata(a) && !isProvided(node, a)).toSeq
      if (missing.isEmpty) node else node.mapChildren(returning(_, missing))
    }

    private object Relation {
      def unapply(plan: LogicalPlan): Option[DataSourceV2Relation] = plan match {
        case r: DataSourceV2Relation if isTarget(r) => Some(r)
        case _ => None
      }
    }

    /** Whether Spark adds the column, because it belongs to the source. */
    private def isProvided(node: LogicalPlan, column: Attribute): Boolean =
      node.children.exists(_.metadataOutput.exists(_.exprId == column.exprId))

    private def withLengths(relation: DataSourceV2Relation): DataSourceV2Relation = {
      val declared = DataSourceV2Relation.create(relation.table, None, None).output
      relation.copy(output = relation.output.map { column =>
        declared.find(_.name == column.name) match {
          case Some(d)
              if !isMetadata(column) && CharVarcharUtils.getRawType(d.metadata).isDefined =>
            column.withMetadata(d.metadata).asInstanceOf[AttributeReference]
          case _ => column
        }
      })
    }

    /** Adds metadata columns to the output of a plan that reads the target. */
    private def returning(plan: LogicalPlan, columns: Seq[Attribute]): LogicalPlan = plan match {
      case Relation(r) => withMetadata(r, columns)
      case p: Project if readsTarget(p) =>
        p.copy(projectList = p.projectList ++ columns, child = returning(p.child, columns))
      case other if readsTarget(other) => other.mapChildren(returning(_, columns))
      case other => other
    }

    private def readsTarget(plan: LogicalPlan): Boolean =
      plan.exists { case Relation(_) => true; case _ => false }

    /** The relation returns a column once, and a projection copies it for further ids. */
    private def withMetadata(r: DataSourceV2Relation, columns: Seq[Attribute]): LogicalPlan = {
      def named(column: Attribute)(a: Attribute) = conf.resolver(a.name, column.name)
      // The table of the operation does not list them.
      val metadata =
        DataSourceV2Relation.create(RowLevelTables.read(r.table), None, None).metadataOutput
      val wide = columns.foldLeft(r) { (relation, column) =>
        if (relation.output.exists(named(column))) relation
        else {
          val found = metadata.find(named(column)).map(_.withExprId(column.exprId))
          relation.copy(output = relation.output ++ found)
        }
      }
      val copies = for {
        column <- columns if !wide.outputSet.contains(column)
        original <- wide.output.find(named(column))
      } yield Alias(original, column.name)(column.exprId, explicitMetadata = Some(column.metadata))
      if (copies.isEmpty) wide else Project(wide.output ++ copies, wide)
    }
  }
}
