// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import io.github.pysparklance.storage.ReadMeter
import io.github.pysparklance.storage.hadoop.ThreadStatistics

/** Reports the input bytes of a task to Spark, which only counts reads of the task's thread through
  * Hadoop. Adds reads of other threads, and reads that bypass Hadoop. Used by the thread of the
  * task. Hot code. Called for each batch, so it updates Hadoop's slow statistics only after reads.
  *
  * @param meter counts all reads
  */
final private[scan] class InputBytes(meter: ReadMeter) {
  private var reported = 0L

  /** Runs a read. Bytes that Hadoop counts in the meantime are not added again. */
  def reading[A](body: => A): A = {
    meter.watch(Thread.currentThread)
    try body
    finally tell()
  }

  private def tell(): Unit = {
    val missing = meter.bytes - meter.countedBytes - reported
    if (missing > 0) {
      ThreadStatistics.addBytesRead(missing)
      reported += missing
    }
  }
}
