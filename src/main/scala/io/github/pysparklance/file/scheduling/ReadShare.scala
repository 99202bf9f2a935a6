// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import scala.collection.mutable

import io.github.pysparklance.storage.spi.RangeReader

/** The reads of one fragment, or of a part of one, within the budget of a task. Its files are read
  * in step. Used by one thread at a time.
  */
final class ReadShare private[scheduling] (val scheduler: ReadScheduler) {
  private val files = mutable.ArrayBuffer.empty[FileReads]

  def budget: ReadBudget = scheduler.budget

  /** Starts the reads of a file.
    *
    * @param numColumns number of columns that are read together
    */
  private[pysparklance] def file(reader: RangeReader, numColumns: Int): FileReads = {
    val reads = new FileReads(reader, this, numColumns)
    files += reads
    reads
  }

  private[scheduling] def remove(reads: FileReads): Unit = files -= reads

  /** Requests the first bytes of the files before rows are read. Does nothing on local storage.
    *
    * @param maxBytes approximate number of bytes requested in total
    * @param isWaiting whether to wait for bytes that locate others
    */
  def readAhead(maxBytes: Long, isWaiting: Boolean): Unit =
    files.toIndexedSeq.foreach(_.readAhead(maxBytes / files.length, isWaiting))
}
