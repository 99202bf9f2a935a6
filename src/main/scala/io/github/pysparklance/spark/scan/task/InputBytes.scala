// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import io.github.pysparklance.storage.ReadMeter
import io.github.pysparklance.storage.hadoop.ThreadStatistics

/** Lets Spark know the input bytes of a task, which it takes from what the task's thread read through Hadoop: adds what
  * other threads read for it and what was read past Hadoop. Used by the thread of the task. Hot code: called for each
  * batch, so that Hadoop's statistics, which are slow, are asked for reads only.
  *
  * @param meter counts what is read, by whom and however
  */
final private[scan] class InputBytes(meter: ReadMeter) {
  private var told = 0L

  /** Reads, with what Hadoop counts meanwhile counting as known. */
  def reading[A](body: => A): A = {
    meter.watch(Thread.currentThread)
    try body
    finally tell()
  }

  private def tell(): Unit = {
    val missing = meter.bytes - meter.countedBytes - told
    if (missing > 0) {
      ThreadStatistics.addBytesRead(missing)
      told += missing
    }
  }
}
