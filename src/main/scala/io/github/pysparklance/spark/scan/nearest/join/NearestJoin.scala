// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest.join

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  AttributeSet,
  Expression
}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, UnaryNode}

/** A call of `vector_search` whose query is a column of a lateral join. The analysis replaces the join by a
  * [[NearestJoin]].
  *
  * @param queries the query vector of a row, with outer references
  */
final private[spark] case class NearestCall(
    queries: Expression,
    search: JoinSearch,
    override val output: Seq[AttributeReference]
) extends LeafNode
    with MultiInstanceRelation {
  override def newInstance(): NearestCall = copy(output = output.map(_.newInstance()))
}

/** Joins each row of a plan with the rows of a Lance table that are nearest to its query.
  *
  * @param queries the query vector of a row
  * @param found columns of the nearest rows
  * @param isOuter whether rows without neighbors are kept, with nulls
  */
final private[spark] case class NearestJoin(
    child: LogicalPlan,
    queries: Expression,
    search: JoinSearch,
    found: Seq[AttributeReference],
    isOuter: Boolean
) extends UnaryNode {
  override def output: Seq[Attribute] = child.output ++ NearestJoin.output(found, isOuter)

  override def producedAttributes: AttributeSet = AttributeSet(found)

  override lazy val references: AttributeSet = queries.references

  override def maxRows: Option[Long] =
    child.maxRows.map(n => math.min(n.toDouble * search.k, Long.MaxValue.toDouble).toLong)

  override protected def withNewChildInternal(newChild: LogicalPlan): NearestJoin =
    copy(child = newChild)
}

private[join] object NearestJoin {
  def output(found: Seq[Attribute], isOuter: Boolean): Seq[Attribute] =
    if (isOuter) found.map(_.withNullability(true)) else found
}
