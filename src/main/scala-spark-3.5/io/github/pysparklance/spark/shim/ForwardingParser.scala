// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.types.{DataType, StructType}

/** A parser that delegates all methods. */
private[spark] trait ForwardingParser extends ParserInterface {
  protected def delegate: ParserInterface

  override def parsePlan(text: String): LogicalPlan = delegate.parsePlan(text)

  override def parseQuery(text: String): LogicalPlan = delegate.parseQuery(text)

  override def parseExpression(text: String): Expression = delegate.parseExpression(text)

  override def parseTableIdentifier(text: String): TableIdentifier =
    delegate.parseTableIdentifier(text)

  override def parseFunctionIdentifier(text: String): FunctionIdentifier =
    delegate.parseFunctionIdentifier(text)

  override def parseMultipartIdentifier(text: String): Seq[String] =
    delegate.parseMultipartIdentifier(text)

  override def parseTableSchema(text: String): StructType = delegate.parseTableSchema(text)

  override def parseDataType(text: String): DataType = delegate.parseDataType(text)
}
