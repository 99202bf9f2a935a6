// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.evolution

import scala.util.Try

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.{EliminateSubqueryAliases, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{
  Assignment,
  DeleteAction,
  InsertAction,
  InsertStarAction,
  LogicalPlan,
  MergeAction,
  MergeIntoTable,
  UpdateAction,
  UpdateStarAction
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.ColumnChange
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StringType, StructType}

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.spark.alter.AlterTable
import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.SchemaEvolution
import io.github.pysparklance.spark.types.ColumnOptions
import io.github.pysparklance.spark.write.{ColumnEvolution, MergedColumns}
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}

/** Adds source columns to the target of a MERGE WITH SCHEMA EVOLUTION, and widens types.
  *
  * {{{
  *   table       source                  becomes
  *   -           c of any type           a new column, null in existing rows; at any depth
  *   INT         BIGINT                  BIGINT: the source type if it holds all values of the table
  *   BIGINT      INT                     BIGINT: values of the source are stored as in any MERGE
  *   DECIMAL(5,2) DECIMAL(4,3)           DECIMAL(5,2): no type holds all values of the other
  *   vector of FLOAT  ARRAY<DOUBLE>      vector of FLOAT: fixed-size lists keep their type
  * }}}
  * The change is committed with the rows, see [[ColumnEvolution]]. The target has no name in the
  * plan, because Spark would reload a named table.
  */
private[spark] object EvolveMerges extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case e: EvolvingMerge if e.target.resolved && e.source.resolved =>
      val merge = e.merge.copy(targetTable = e.target, sourceTable = e.source)
      EliminateSubqueryAliases(e.target) match {
        case relation: DataSourceV2Relation =>
          relation.table match {
            case ours: LanceSparkTable => LanceErrors.translated(evolved(merge, relation, ours))
            case _ => merge
          }
        case _ => merge
      }
  }

  private def evolved(
      merge: MergeIntoTable,
      relation: DataSourceV2Relation,
      table: LanceSparkTable
  ): LogicalPlan = {
    val to = table.forWrite(relation.options)
    val changes = new Changes(to)(AssignedSource(merge))
    val evolution = new ColumnEvolution(to.location, to.table, changes)
    val target =
      DataSourceV2Relation.create(to.evolving(evolution), None, None, relation.options)
    val stars = expanded(target.output, merge.sourceTable.output)
    val bound = SourceNames(merge)
    def action(a: MergeAction): MergeAction = stars(bound(a))
    merge.copy(
      targetTable = merge.targetTable.transform { case r if r eq relation => target },
      mergeCondition = bound.expression(merge.mergeCondition),
      matchedActions = merge.matchedActions.map(action),
      notMatchedActions = merge.notMatchedActions.map(action)
    )
  }

  /** Resolves unqualified names that only the source has. Later they would be ambiguous, because
    * the table gets these columns as well.
    */
  private case class SourceNames(merge: MergeIntoTable) {
    def expression(e: Expression): Expression = e.transform {
      case u: UnresolvedAttribute if isOfSource(u.nameParts) =>
        merge.sourceTable.resolve(u.nameParts, conf.resolver) match {
          case Some(Alias(child, _)) => child
          case Some(found) => found
          case None => u
        }
    }

    def apply(action: MergeAction): MergeAction = action match {
      case u: UpdateAction =>
        u.copy(condition = u.condition.map(expression), assignments = u.assignments.map(values))
      case i: InsertAction =>
        i.copy(condition = i.condition.map(expression), assignments = i.assignments.map(values))
      case u: UpdateStarAction => u.copy(condition = u.condition.map(expression))
      case i: InsertStarAction => i.copy(condition = i.condition.map(expression))
      case d: DeleteAction => d.copy(condition = d.condition.map(expression))
      case other => other
    }

    private def values(a: Assignment): Assignment = a.copy(value = expression(a.value))

    /** Skips ambiguous names, for which Spark reports an error. */
    private def isOfSource(parts: Seq[String]): Boolean =
      try
        merge.targetTable.resolve(parts, conf.resolver).isEmpty &&
          merge.sourceTable.resolve(parts, conf.resolver).isDefined
      catch { case _: AnalysisException => false }
  }

  /** Expands `UPDATE SET *` and `INSERT *` to assignments of all source columns. Spark would assign
    * all columns of the table, and fail if the source lacks one.
    */
  private def expanded(
      target: Seq[Attribute],
      source: Seq[Attribute]
  ): MergeAction => MergeAction = {
    val assignments = for {
      value <- source
      key <- target.find(a => conf.resolver(a.name, value.name))
    } yield Assignment(key, value)
    (action: MergeAction) =>
      action match {
        case UpdateStarAction(condition) => SchemaEvolution.updateStar(condition, assignments)
        case InsertStarAction(condition) => InsertAction(condition, assignments)
        case other => other
      }
  }

  /** Determines the column changes from the source. */
  final private class Changes(to: LanceSparkTable) {
    private val columns = DataSourceV2Relation.create(to, None, None).schema

    def apply(source: StructType): Seq[SchemaChange] = {
      val added =
        MergedColumns.changes(columns, source, ColumnOptions(), to.table.fileVersion)
      val wider = members(columns, source, FieldPath.root)
      added ++ AlterTable.planned(to.location, to.table, to.name, wider)
    }

    private def members(there: StructType, come: StructType, path: FieldPath): Seq[ColumnChange] =
      come.fields.toSeq.flatMap { c =>
        there.fields
          .find(f => conf.resolver(f.name, c.name))
          .fold(Seq.empty[ColumnChange])(f => below(f.dataType, c.dataType, path / f.name))
      }

    private def below(there: DataType, comes: DataType, path: FieldPath): Seq[ColumnChange] =
      (there, comes) match {
        case (t: StructType, c: StructType) => members(t, c, path)
        case (_: ArrayType, _: ArrayType) if isFixedSizeList(path) => Nil
        case (ArrayType(t, _), ArrayType(c, _)) => below(t, c, path / "element")
        case (MapType(tk, tv, _), MapType(ck, cv, _)) =>
          below(tk, ck, path / "key") ++ below(tv, cv, path / "value")
        case (t, c) if isWider(t, c, path) =>
          val names = path.names.toArray
          Seq(TableChange.updateColumnType(names, c).asInstanceOf[ColumnChange])
        case _ => Nil
      }

    /** Fixed-size lists keep their type. An array literal of doubles would double the size of a
      * vector of floats.
      */
    private def isFixedSizeList(path: FieldPath): Boolean =
      Try(path.find(to.table.schema).last.logicalType).toOption.exists {
        case _: LogicalType.FixedSizeList => true
        case _ => false
      }

    /** Ignores string types, because the table determines their length and collation. */
    private def isWider(there: DataType, comes: DataType, path: FieldPath): Boolean =
      there != comes && !(there.isInstanceOf[StringType] && comes.isInstanceOf[StringType]) &&
        AlterTable.canWiden(to.location, to.table, path, comes)
  }
}
