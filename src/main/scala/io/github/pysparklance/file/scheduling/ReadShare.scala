// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import scala.collection.mutable

import io.github.pysparklance.storage.spi.RangeReader

/** The reads of one fragment, or of a part of it, within the budget of a task: those of several files, in step. Used by one
  * thread at a time.
  */
final class ReadShare private[scheduling] (val scheduler: ReadScheduler) {
  private val files = mutable.ArrayBuffer.empty[FileReads]

  def budget: ReadBudget = scheduler.budget

  /** Starts the reads of a file.
    *
    * @param numColumns columns that are read together
    */
  private[pysparklance] def file(reader: RangeReader, numColumns: Int): FileReads = {
    val reads = new FileReads(reader, this, numColumns)
    files += reads
    reads
  }

  private[scheduling] def remove(reads: FileReads): Unit = files -= reads

  /** Requests the first bytes of the files, on remote storage and before rows are read.
    *
    * @param maxBytes bytes requested in total, about
    * @param isWaiting whether to wait for the bytes that locate others
    */
  def readAhead(maxBytes: Long, isWaiting: Boolean): Unit =
    files.toIndexedSeq.foreach(_.readAhead(maxBytes / files.length, isWaiting))
}
