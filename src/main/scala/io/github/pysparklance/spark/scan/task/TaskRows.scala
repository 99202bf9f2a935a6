// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import org.apache.spark.TaskContext

import io.github.pysparklance.file.scheduling.{ReadScheduler, ReadShare, TaskMemory}
import io.github.pysparklance.spark.filter.PageSkipping
import io.github.pysparklance.spark.shim.SparkTaskMemory
import io.github.pysparklance.storage.spi.{FileStore, RevocableStore}
import io.github.pysparklance.table.scan.{
  FilterHistory,
  FilteredReader,
  FragmentQueue,
  FragmentReader,
  FragmentScan,
  RowBatches
}

/** Reads the rows of a task in batches, one fragment after another. Not thread-safe.
  *
  * @param metered file store that counts reads
  */
final private[scan] class TaskRows(
    read: ReadTask,
    metered: FileStore,
    scans: IndexedSeq[FragmentScan],
    counters: ScanCounters
) extends AutoCloseable {
  private val store = new RevocableStore(metered)
  private lazy val predicate = read.filter.map(_.evaluator(read.options.types))
  private lazy val skipping = read.filter.flatMap(PageSkipping(_, read.options.types))
  private val history = new FilterHistory
  private val scheduler = new ReadScheduler(
    read.options.budget,
    Option(TaskContext.get()).fold(TaskMemory.unlimited)(SparkTaskMemory.of)
  )
  private var queue: FragmentQueue[Fragment] = null
  private var reader: RowBatches = null
  private var at = -1
  private var countedPages = 0L

  /** An open fragment. Its reader is null if sampling and page statistics exclude all rows. */
  final private class Fragment(val reader: RowBatches, val skippedRows: Long)
      extends FragmentQueue.Member {
    val share: ReadShare = if (reader == null) scheduler.share() else reader.share

    def start(): Unit = if (reader != null) reader.start()

    def close(): Unit = if (reader != null) reader.close()
  }

  /** Moves to the next batch with a selected row. Returns `false` at the end. */
  def next(): Boolean = {
    var found = false
    while (!found && advance()) found = reader.numLive > 0
    found
  }

  /** The current batch. */
  def batch: RowBatches = reader

  /** Position of the current fragment among the scans. */
  def position: Int = at

  /** Decodes the next batch of this or a later fragment. */
  private def advance(): Boolean = {
    var more = reader != null && nextBatch()
    var isEnd = false
    while (!more && !isEnd) {
      closeReader()
      if (queue == null) queue = startQueue()
      val opened = queue.next()
      isEnd = opened.isEmpty
      opened.foreach { fragment =>
        at += 1
        counters.skippedRows += fragment.skippedRows
        if (fragment.reader != null) {
          reader = fragment.reader
          counters.fragments += 1
          more = nextBatch()
        } else if (fragment.skippedRows > 0) counters.skippedFragments += 1
      }
    }
    more
  }

  /** Creates the shared state of all fragments in the thread of the task. */
  private def startQueue(): FragmentQueue[Fragment] = {
    val fields = predicate.fold(read.fields)(read.fields ++ _.fields)
    skipping: Unit
    val leafIds = fields.flatMap(_.leaves).map(_.id).toSet
    FragmentQueue.of(store, scans, leafIds, scheduler)(open)
  }

  /** Opens a fragment. Also called by other threads. */
  private def open(scan: FragmentScan): Fragment = {
    val sampled = read.sample.fold(scan)(_.of(scan))
    val kept = skipping.fold(sampled)(_.of(store, sampled))
    val skippedRows = numRows(sampled) - numRows(kept)
    new Fragment(if (kept.selection.exists(_.isEmpty)) null else openRows(kept), skippedRows)
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
      scheduler.hold(decodedBytes)
      queue.pass(reader.numLive + reader.numDeleted + reader.numFiltered)
    }
    more
  }

  /** Size of the current batch in bytes. */
  private def decodedBytes: Long = {
    val columns = reader.columns
    var bytes = 0L
    var i = 0
    while (i < columns.length) {
      bytes += columns(i).sizeInBytes
      i += 1
    }
    bytes
  }

  private def openRows(scan: FragmentScan): RowBatches = {
    val options = read.options
    predicate match {
      case Some(p) =>
        FilteredReader.open(
          store,
          scan,
          read.fields,
          read.computed,
          p,
          options.batchRows,
          scheduler,
          history
        )
      case None =>
        FragmentReader
          .open(store, scan, read.fields, read.computed, options.batchRows, scheduler)
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

  def close(): Unit =
    try {
      store.revoke()
      closeReader()
    } finally
      try if (queue != null) queue.close()
      finally scheduler.close()
}
