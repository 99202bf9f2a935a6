// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  AttributeReference,
  Expression,
  Literal,
  MetadataAttribute,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeRows, Project, WriteDelta}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.RowDeltaUtils
import org.apache.spark.sql.types.FloatType

import io.github.pysparklance.spark.types.MetadataFields

/** Replaces the metadata column `_score` in the new rows of an UPDATE or MERGE by nulls, which are
  * not written. If the statement names a metadata column, such as `_rowid`, Spark adds all of them
  * to the new rows. The scan rejects all other uses of `_score`.
  */
private[spark] object UnusedScores extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case delta: WriteDelta if delta.resolved =>
      delta.operation match {
        case _: LanceRowLevelOperation =>
          val numColumns = delta.table.output.count(a => !MetadataAttribute.isValid(a.metadata))
          delta.copy(query = withoutScores(delta.query, numColumns))
        case _ => delta
      }
  }

  private def withoutScores(query: LogicalPlan, numColumns: Int): LogicalPlan = query.transform {
    case p: Project if p.projectList.headOption.exists(_.name == RowDeltaUtils.OPERATION_COLUMN) =>
      p.copy(projectList = p.projectList.map(withoutScore))
    case m: MergeRows if m.output.exists(_.name == MetadataFields.score) =>
      m.mapExpressions {
        case i: MergeRows.Instruction if i.outputs.length == 1 => withoutScores(i, numColumns)
        case other => other
      }
  }

  /** The children of an instruction are its condition, the kind of change, the values of the
    * columns of the table, and metadata columns.
    */
  private def withoutScores(instruction: MergeRows.Instruction, numColumns: Int): Expression =
    instruction.withNewChildren(instruction.children.zipWithIndex.map {
      case (value, i) if i > numColumns + 1 && isScore(value) => none
      case (other, _) => other
    })

  private def withoutScore(column: NamedExpression): NamedExpression = column match {
    case a @ Alias(child, MetadataFields.score) if isScore(child) =>
      Alias(none, a.name)(a.exprId, a.qualifier, a.explicitMetadata)
    case a if isScore(a) => Alias(none, a.name)()
    case other => other
  }

  private def isScore(e: Expression): Boolean = e match {
    case a: AttributeReference =>
      MetadataAttribute.isValid(a.metadata) && a.name == MetadataFields.score
    case _ => false
  }

  private def none: Literal = Literal(null, FloatType)
}
