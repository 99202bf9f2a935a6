// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.changes

import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.{Batch, Scan}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.NotFoundException
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.scan.ScanStreams
import io.github.pysparklance.spark.scan.task.ReadTask

/** A scan of changes whose first version was cleaned up. Batch queries fail. A restarted stream may
  * have read that version already. Since Spark 4.3, both load the same table.
  */
final private[changes] class LostChangesScan(
    read: ReadTask,
    streams: ScanStreams,
    error: NotFoundException
) extends Scan {

  override def readSchema(): StructType = read.schema

  override def columnarSupportMode(): Scan.ColumnarSupportMode = read.columnarSupportMode

  override def toBatch: Batch = LanceErrors.translated {
    streams.checkBatch()
    throw error
  }

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream =
    LanceErrors.translated(streams.stream(read, checkpointLocation))
}
