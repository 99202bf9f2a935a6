// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  AttributeSet,
  Expression,
  NamedExpression,
  ProjectionOverSchema,
  SchemaPruning
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType}

import io.github.pysparklance.spark.shim.StreamRelation

/** A projection of a stream, with filters between them:
  *
  * {{{
  *   Project [s.a, id]
  *     Filter s.b > 1
  *       stream [id, s: STRUCT<a, b, c>, t]     used: id, s: STRUCT<a, b>
  * }}}
  * The operators above the projection do not depend on the columns of the stream. Each micro-batch
  * can therefore read other fields, as its fragments require, also in queries with state.
  */
final private[streaming] class StreamProjection private (
    project: Project,
    filters: Seq[Filter],
    val relation: StreamRelation
) {
  private val columns = relation.output

  /** The columns and struct fields that the projection and the filters use. */
  def used: StructType = {
    val list = project.projectList.map(named(_).asInstanceOf[NamedExpression])
    val conditions = filters.map(f => named(f.condition))
    val references = AttributeSet((list ++ conditions).flatMap(_.references))
    val names = columns.filter(references.contains).map(_.name).toSet
    val all = StructType(columns.map(c => StructField(c.name, c.dataType, c.nullable, c.metadata)))
    val roots =
      if (SQLConf.get.nestedSchemaPruningEnabled) SchemaPruning.identifyRootFields(list, conditions)
      else Nil
    // Pruning keeps columns without references.
    val pruned = if (roots.isEmpty) all else SchemaPruning.pruneSchema(all, roots)
    StructType(pruned.filter(f => names(f.name)))
  }

  /** Returns the columns of a stream that reads these columns. */
  def output(read: StructType): Seq[AttributeReference] =
    read.fields.toSeq.map { field =>
      val column = columns.find(_.name == field.name).get
      val dataType = CharVarcharUtils.replaceCharVarcharWithString(field.dataType)
      if (DataTypeUtils.sameType(dataType, column.dataType)) column
      else column.withDataType(dataType)
    }

  /** Returns this projection over a stream with other columns. */
  def over(stream: LogicalPlan, output: Seq[AttributeReference]): LogicalPlan = {
    val schema =
      StructType(output.map(c => StructField(c.name, c.dataType, c.nullable, c.metadata)))
    val fields = ProjectionOverSchema(schema, AttributeSet(output))
    def adapted(expression: Expression): Expression =
      named(expression).transformDown { case fields(read) => read }
    val filtered = filters.foldRight(stream)((f, child) => Filter(adapted(f.condition), child))
    val list = project.projectList.map {
      // Keeps the name in the query, which can differ in case.
      case a: AttributeReference =>
        adapted(a).asInstanceOf[AttributeReference].withName(a.name)
      case other => adapted(other).asInstanceOf[NamedExpression]
    }
    Project(list, filtered)
  }

  /** Returns an expression with the names of the columns. Names in a query can differ in case. */
  private def named(expression: Expression): Expression = expression.transform {
    case a: AttributeReference =>
      columns.find(_.exprId == a.exprId).fold(a)(c => a.withName(c.name))
  }
}

private[streaming] object StreamProjection {

  /** Returns a projection, if its rows come from a stream. */
  def of(project: Project): Option[StreamProjection] = {
    def find(plan: LogicalPlan, filters: Seq[Filter]): Option[StreamProjection] = plan match {
      case f: Filter => find(f.child, filters :+ f)
      case StreamRelation(relation) => Some(new StreamProjection(project, filters, relation))
      case _ => None
    }
    find(project.child, Nil)
  }
}
