// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.connector.read.streaming.{Offset, SparkDataStream}
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation

/** A stream in the plan of a micro-batch. Spark 3.5 has another class for it. */
final private[spark] class StreamRelation private (relation: StreamingDataSourceV2ScanRelation) {

  /** The columns. */
  def output: Seq[AttributeReference] = relation.output

  /** The stream. */
  def stream: SparkDataStream = relation.stream

  /** The start and end of the micro-batch. */
  def batch: Option[(Offset, Offset)] =
    for (start <- relation.startOffset; end <- relation.endOffset) yield (start, end)

  /** The plan with another stream of the same offsets. */
  def reading(
      scan: Scan,
      stream: SparkDataStream,
      output: Seq[AttributeReference]
  ): LogicalPlan = relation.copy(scan = scan, stream = stream, output = output)
}

private[spark] object StreamRelation {

  /** Matches the plan of a stream. */
  def unapply(plan: LogicalPlan): Option[StreamRelation] = plan match {
    case r: StreamingDataSourceV2ScanRelation => Some(new StreamRelation(r))
    case _ => None
  }
}
