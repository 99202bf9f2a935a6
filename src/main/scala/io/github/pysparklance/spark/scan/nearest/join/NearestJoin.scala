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
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils
import org.apache.spark.sql.catalyst.plans.logical.{
  BinaryNode,
  LogicalPlan,
  Statistics,
  UnaryNode
}
import org.apache.spark.sql.types.{StructField, StructType}

/** A call of `vector_search` whose query is a column of a lateral join. The analysis replaces the
  * join with a [[NearestJoin]].
  *
  * @param child the table, where authorization finds it
  * @param queries the query vector of a row, with outer references
  */
final private[spark] case class NearestCall(
    child: LogicalPlan,
    queries: Expression,
    search: JoinSearch,
    override val output: Seq[AttributeReference]
) extends UnaryNode
    with MultiInstanceRelation {
  override def producedAttributes: AttributeSet = AttributeSet(output)

  override lazy val references: AttributeSet = queries.references

  override def metadataOutput: Seq[Attribute] = Nil

  override def newInstance(): NearestCall = copy(output = output.map(_.newInstance()))

  override protected def withNewChildInternal(newChild: LogicalPlan): NearestCall =
    copy(child = newChild)
}

/** Joins each row of a plan with the rows of a Lance table nearest to its query.
  *
  * @param right the table, where authorization finds it. It is not executed
  * @param queries the query vector of a row
  * @param found columns of the nearest rows
  * @param columns columns of the table to read, in the order of `found`; Spark removes the names of
  *   `found` when it compares plans
  * @param isOuter whether to keep rows without neighbors, with nulls
  */
final private[spark] case class NearestJoin(
    left: LogicalPlan,
    right: LogicalPlan,
    queries: Expression,
    search: JoinSearch,
    found: Seq[AttributeReference],
    columns: StructType,
    isOuter: Boolean
) extends BinaryNode {
  override def output: Seq[Attribute] = left.output ++ NearestJoin.output(found, isOuter)

  override def producedAttributes: AttributeSet = AttributeSet(found)

  override lazy val references: AttributeSet = queries.references

  override def metadataOutput: Seq[Attribute] = left.metadataOutput

  override def maxRows: Option[Long] =
    left.maxRows.map(n => math.min(n.toDouble * search.k, Long.MaxValue.toDouble).toLong)

  /** By default, Spark would use the size of the left side, and broadcast the result. */
  override def stats: Statistics = {
    val leftBytes = EstimationUtils.getSizePerRow(left.output)
    val numLeft = left.stats.rowCount.getOrElse((left.stats.sizeInBytes / leftBytes).max(1))
    val numRows = numLeft * search.k
    Statistics(
      (numRows * (leftBytes + foundBytes)).max(1),
      rowCount = left.stats.rowCount.map(_ => numRows)
    )
  }

  private lazy val foundBytes: BigInt =
    EstimationUtils.getSizePerRow(found).max(BigInt(search.rowBytes(columns)))

  /** Keeps some of the columns of the nearest rows. */
  private[join] def pruned(isUsed: AttributeReference => Boolean): NearestJoin = {
    val kept = found.zip(columns).filter(c => isUsed(c._1))
    copy(found = kept.map(_._1), columns = StructType(kept.map(_._2)))
  }

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): NearestJoin = copy(left = newLeft, right = newRight)
}

private[join] object NearestJoin {

  /** Returns the columns of a search for some attributes. */
  def columns(found: Seq[AttributeReference]): StructType =
    StructType(found.map(a => StructField(a.name, a.dataType, a.nullable, a.metadata)))

  def output(found: Seq[Attribute], isOuter: Boolean): Seq[Attribute] =
    if (isOuter) found.map(_.withNullability(true)) else found
}
