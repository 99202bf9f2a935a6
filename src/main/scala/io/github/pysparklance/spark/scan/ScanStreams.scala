// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.connector.read.streaming.MicroBatchStream

import io.github.pysparklance.spark.scan.task.ReadTask

/** Makes streams of the table of a scan. Spark builds scans of batch queries and of streams alike,
  * and decides later which of them it needs.
  */
private[spark] trait ScanStreams {

  /** Rejects options that only streams have, for a batch query.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException that names the option
    */
  def checkBatch(): Unit

  /** The stream of a table.
    *
    * @param read the work of each task
    * @param checkpoint folder of the source below the checkpoint of the query
    * @throws io.github.pysparklance.core.InvalidRequestException if streams do not have an option
    */
  def stream(read: ReadTask, checkpoint: String): MicroBatchStream
}

private[spark] object ScanStreams {

  /** For scans that are never streams. */
  object None extends ScanStreams {
    def checkBatch(): Unit = ()
    def stream(read: ReadTask, checkpoint: String): MicroBatchStream =
      throw new UnsupportedOperationException("a scan that is not a stream")
  }
}
