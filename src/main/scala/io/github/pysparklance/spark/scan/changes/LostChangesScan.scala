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
import io.github.pysparklance.spark.types.{MetadataFields, SparkTypes}

/** A scan of changes whose first version was cleaned up. A batch query fails. A stream may have read the version before
  * a restart. Spark 4.3 loads the same table for both.
  */
final private[changes] class LostChangesScan(
    read: ReadTask,
    streams: ScanStreams,
    error: NotFoundException
) extends Scan {

  override def readSchema(): StructType = StructType(
    SparkTypes.structType(read.fields, read.options.types).fields ++
      read.computed.map(MetadataFields.structField)
  )

  override def columnarSupportMode(): Scan.ColumnarSupportMode =
    if (read.isRowByRow) Scan.ColumnarSupportMode.UNSUPPORTED
    else Scan.ColumnarSupportMode.SUPPORTED

  override def toBatch: Batch = LanceErrors.translated {
    streams.checkBatch()
    throw error
  }

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream =
    LanceErrors.translated(streams.stream(read, checkpointLocation))
}
