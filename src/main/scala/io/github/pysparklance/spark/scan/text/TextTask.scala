// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.text

import io.github.pysparklance.core.Place
import io.github.pysparklance.index.text.analysis.TextColumn
import io.github.pysparklance.index.text.{
  FoundWords,
  ScannedRows,
  TextCollector,
  TextScan,
  WordCollector,
  WordScan
}
import io.github.pysparklance.spark.scan.task.{InputBytes, ReadTask, ScanCounters, TaskRows}
import io.github.pysparklance.spark.vectors.BatchVectors
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.storage.{MeteredStore, ReadMeter}
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.FragmentScan

/** Reads the texts of the rows of a task, together with the identity of the rows. */
private[text] object TextTask {

  /** The work of a task. Its last argument is the path of the table. */
  type Work[A] = (ReadTask, FileStore, IndexedSeq[FragmentScan], String) => A

  /** Returns the work that finds the rows of a query. */
  def rows(scan: TextScan): Work[ScannedRows] = (read, store, scans, path) => {
    val collector = new TextCollector(scan)
    foreach(scan.columns.map(_.column), scan.elements.isDefined, read, store, scans, path) {
      (texts, element, rowId, address) =>
        val key = scan.elements.fold(rowId)(_(rowId, element))
        collector.add(key, RowAddress.fragmentId(address))(texts)
    }
    collector.result()
  }

  /** Returns the work that finds terms similar to the words of a query. */
  def words(scan: WordScan): Work[FoundWords] = (read, store, scans, path) => {
    val collector = new WordCollector(scan)
    foreach(scan.columns, scan.hasElements, read, store, scans, path) { (texts, _, _, _) =>
      collector.add(texts)
    }
    collector.result()
  }

  /** @param ofElements whether documents are the elements of the lists of the only column
    * @param add receives the texts of a document by column number, which may be null, its position
    *   in the list or 0, and the id and address of the row
    */
  private def foreach(
      columns: IndexedSeq[TextColumn],
      ofElements: Boolean,
      read: ReadTask,
      unmetered: FileStore,
      scans: IndexedSeq[FragmentScan],
      path: String
  )(add: (Int => String, Int, Long, Long) => Unit): Unit = Place.in(Place(path = Some(path))) {
    val meter = new ReadMeter
    val store = new MeteredStore(unmetered, meter)
    val input = new InputBytes(meter)
    val identities = new BatchVectors(IndexedSeq.empty, read.computed, read.options.types)
    val rows = new TaskRows(read, store, scans, new ScanCounters(meter))
    try
      while (input.reading(rows.next())) {
        val batch = rows.batch
        val texts =
          if (ofElements) IndexedSeq.empty
          else columns.indices.map(c => columns(c).texts(batch.columns(c)))
        val elements = if (ofElements) columns.head.elements(batch.columns.head) else null
        val ids = identities(batch.columns.drop(columns.length))
        var i = 0
        while (i < batch.numLive) {
          val row = if (batch.live == null) i else batch.live(i)
          val id = ids.head.getLong(row)
          val address = ids.last.getLong(row)
          if (ofElements)
            elements(row).zipWithIndex.foreach { case (text, element) =>
              add(_ => text, element, id, address)
            }
          else add(c => texts(c)(row), 0, id, address)
          i += 1
        }
      }
    finally rows.close()
  }
}
