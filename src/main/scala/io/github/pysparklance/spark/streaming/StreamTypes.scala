// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.{StructField, StructType}

import io.github.pysparklance.spark.common.LocatedTable

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
}
