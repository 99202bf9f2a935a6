// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write.steps

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.{DataWriter, WriterCommitMessage}

/** A writer that processes each row before it passes it to another writer. */
abstract private[write] class WriterAround(inner: DataWriter[InternalRow])
    extends DataWriter[InternalRow] {
  override def commit(): WriterCommitMessage = inner.commit()
  override def abort(): Unit = inner.abort()
  override def close(): Unit = inner.close()
  override def currentMetricsValues(): Array[CustomTaskMetric] = inner.currentMetricsValues()
}
