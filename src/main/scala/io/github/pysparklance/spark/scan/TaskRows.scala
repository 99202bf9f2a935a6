// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import io.github.pysparklance.spark.filter.PageSkipping
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.{FilteredReader, FragmentReader, FragmentScan, RowBatches}

/** The rows of one task, batch by batch, one fragment after the other. Not thread-safe.
  *
  * @param store reads and counts
  */
final private[scan] class TaskRows(
    read: ReadTask,
    store: FileStore,
    scans: IndexedSeq[FragmentScan],
    counters: ScanCounters
) extends AutoCloseable {
  private val remaining = scans.iterator
  private lazy val predicate = read.filter.map(_.evaluator(read.options.types))
  private lazy val skipping = read.filter.flatMap(PageSkipping(_, read.options.types))
  private var reader: RowBatches = null
  private var at = -1
  private var countedPages = 0L

  /** Moves to the next batch with a row that is left; false at the end. */
  def next(): Boolean = {
    var found = false
    while (!found && advance()) found = reader.numLive > 0
    found
  }

  /** The batch. */
  def batch: RowBatches = reader

  /** Position of the fragment it belongs to among the scans. */
  def position: Int = at

  /** Decodes the next batch of this or a later fragment. */
  private def advance(): Boolean = {
    var more = reader != null && nextBatch()
    while (!more && (reader != null || remaining.hasNext)) {
      closeReader()
      if (remaining.hasNext) {
        at += 1
        wanted(remaining.next()).foreach { scan =>
          reader = open(scan)
          counters.fragments += 1
          more = nextBatch()
        }
      }
    }
    more
  }

  /** The rows of a fragment that are worth a look; none when that is none of them. */
  private def wanted(scan: FragmentScan): Option[FragmentScan] = {
    val sampled = read.sample.fold(scan)(_.of(scan))
    val kept = skipping.fold(sampled)(_.of(store, sampled))
    val skipped = numRows(sampled) - numRows(kept)
    counters.skippedRows += skipped
    if (kept.selection.exists(_.isEmpty)) {
      if (skipped > 0) counters.skippedFragments += 1
      None
    } else Some(kept)
  }

  private def numRows(scan: FragmentScan): Long =
    scan.selection.fold(scan.rows.numRows)(_.numRows)

  private def nextBatch(): Boolean = {
    val more = reader.next()
    if (more) {
      counters.deletedRows += reader.numDeleted
      counters.filteredRows += reader.numFiltered
      counters.pages += reader.numPages - countedPages
      countedPages = reader.numPages
    }
    more
  }

  private def open(scan: FragmentScan): RowBatches = {
    val options = read.options
    predicate match {
      case Some(p) =>
        FilteredReader
          .open(store, scan, read.fields, read.metadata, p, options.batchRows, options.budget)
      case None =>
        FragmentReader
          .open(store, scan, read.fields, read.metadata, options.batchRows, options.budget)
    }
  }

  private def closeReader(): Unit =
    if (reader != null) {
      val done = reader
      reader = null
      counters.pages += done.numPages - countedPages
      countedPages = 0L
      done.close()
    }

  def close(): Unit = closeReader()
}
