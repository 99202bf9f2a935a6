// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeReference, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.{StructField, StructType}

import io.github.pysparklance.spark.common.LocatedTable
import io.github.pysparklance.spark.shim.StreamRelation

/** Replaces CHAR and VARCHAR columns of streams with strings, as Spark does for batch queries.
  * Without this rule, Spark fails with an internal error.
  */
private[spark] object StreamTypes extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case r: StreamingRelationV2
        if r.table.isInstanceOf[LocatedTable] &&
          r.output.exists(a => CharVarcharUtils.hasCharVarchar(a.dataType)) =>
      r.copy(output = r.output.map { a =>
        val declared = StructType(Seq(StructField(a.name, a.dataType, a.nullable, a.metadata)))
        val column = CharVarcharUtils.replaceCharVarcharWithStringInSchema(declared).head
        AttributeReference(column.name, column.dataType, column.nullable, column.metadata)(
          a.exprId,
          a.qualifier
        )
      })
  }

  /** Pads the CHAR values of streams in the plan of a micro-batch, because other writers may not
    * have padded them. Spark pads them in batch queries only. A projection in the analyzed plan
    * would hide the metadata columns.
    */
  def padded(plan: LogicalPlan): LogicalPlan =
    if (conf.charVarcharAsString || !conf.readSideCharPadding) plan
    else
      plan.transformUp { case p @ StreamRelation(relation) =>
        val read: Seq[(NamedExpression, AttributeReference)] = relation.output.collect {
          case column: AttributeReference =>
            val stored = column.newInstance()
            CharVarcharUtils.addPaddingForScan(stored) match {
              case _: NamedExpression => column -> column
              case value =>
                val metadata = Some(column.metadata)
                Alias(value, column.name)(column.exprId, column.qualifier, metadata) -> stored
            }
        }
        relation.stream match {
          case s: LanceStream if read.exists { case (value, stored) => value ne stored } =>
            val output = read.map(r => CharVarcharUtils.cleanAttrMetadata(r._2))
            Project(read.map(_._1), relation.reading(s.scan, s, output))
          case _ => p
        }
      }
}
