// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import scala.annotation.tailrec
import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi._
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan, MetadataColumn}

/** The rows of some fragments, as input of an index build. Created on the driver, and serialized to
  * the task that builds the segment.
  *
  * @param way path from the top-level column to the indexed field
  * @param rowColumn the metadata column that the index stores
  * @param batchRows number of rows that are read together
  */
final case class IndexedFragments(
    scans: IndexedSeq[FragmentScan],
    way: IndexedSeq[Field],
    rowColumn: MetadataColumn,
    batchRows: Int
) {

  /** The top-level column, reduced to the indexed field. */
  private def column: Field =
    way.init.foldRight(way.last)((parent, child) => parent.copy(children = IndexedSeq(child)))

  /** Runs `f` on each batch of rows. */
  def foreachBatch(store: FileStore)(f: IndexBatch => Unit): Unit =
    Using.resource(open(store)) { batches =>
      var batch = batches.next()
      while (batch.isDefined) {
        f(batch.get)
        batch = batches.next()
      }
    }

  /** Opens the rows for reading in batches. */
  def open(store: FileStore): IndexBatches = new Batches(store)

  private def open(store: FileStore, scan: FragmentScan): FragmentReader = FragmentReader.open(
    store,
    scan,
    IndexedSeq(column),
    IndexedSeq(rowColumn),
    batchRows
  )

  private def batch(reader: FragmentReader): IndexBatch = new IndexBatch(
    reader.columns(0),
    way.length - 1,
    ids(reader.columns(1)),
    reader.live,
    reader.numLive
  )

  private def ids(column: Column): Array[Long] = column match {
    case LeafColumn(values: LongValues, _) => values.array
    case ConstantColumn(values: LongValues, numRows, _) => Array.fill(numRows)(values.array(0))
    case other =>
      throw new CorruptFileException(s"row ids that are a ${other.getClass.getSimpleName}")
  }

  final private class Batches(store: FileStore) extends IndexBatches {
    private val remaining = scans.iterator
    private var place = Place.unknown
    private var reader: FragmentReader = null

    @tailrec def next(): Option[IndexBatch] =
      if (Place.in(place)(hasRows)) Some(batch(reader))
      else {
        close()
        if (remaining.isEmpty) None
        else {
          val scan = remaining.next()
          place = scan.place.copy(column = Some(way.map(_.name).mkString(".")))
          reader = Place.in(place)(IndexedFragments.this.open(store, scan))
          next()
        }
      }

    /** Moves to the next batch with live rows. */
    private def hasRows: Boolean = {
      var found = reader != null && reader.next()
      while (found && reader.numLive == 0) found = reader.next()
      found
    }

    def close(): Unit = if (reader != null) {
      reader.close()
      reader = null
    }
  }
}

/** Reads rows batch by batch. Not thread-safe. */
trait IndexBatches extends AutoCloseable {

  /** Returns the next batch, which is valid until the next call, or `None` at the end. */
  def next(): Option[IndexBatch]
}

/** Selects the rows of fragments. */
object IndexedFragments {

  /** Returns all rows of fragments.
    *
    * @param fragments positions in the table
    */
  def apply(table: LanceTable, index: IndexedColumn, fragments: Seq[Int]): IndexedFragments =
    runs(table, index, fragments.map(i => i -> RowRange(0, table.physicalRows(table.fragments(i)))))

  /** Returns all rows of fragments, split into parts of about equal size.
    *
    * @param fragments positions in the table
    */
  def split(
      table: LanceTable,
      index: IndexedColumn,
      fragments: Seq[Int],
      numParts: Int
  ): IndexedSeq[IndexedFragments] = {
    val rows = fragments.map(i => table.physicalRows(table.fragments(i))).toIndexedSeq
    val starts = rows.scanLeft(0L)(_ + _)
    (0 until numParts).map { part =>
      val from = starts.last * part / numParts
      val until = starts.last * (part + 1) / numParts
      val its = fragments.indices.flatMap { i =>
        val first = math.max(from - starts(i), 0L)
        val end = math.min(until - starts(i), rows(i))
        Optional.when(first < end)(fragments(i) -> RowRange(first, end))
      }
      runs(table, index, its)
    }
  }

  /** Returns a sample: runs of rows that are evenly spread over fragments.
    *
    * @param fragments positions in the table
    * @param numRuns approximate number of runs
    * @param runRows rows per run
    */
  def spread(
      table: LanceTable,
      index: IndexedColumn,
      fragments: Seq[Int],
      numRuns: Int,
      runRows: Int
  ): IndexedFragments = {
    val rows = fragments.map(i => table.physicalRows(table.fragments(i))).toIndexedSeq
    val step = math.max(runRows.toLong, rows.sum / numRuns)
    // the first run starts in the middle of the first step
    val starts = Iterator.iterate(step / 2)(_ + step).takeWhile(_ < rows.sum).toIndexedSeq
    val ends = rows.scanLeft(0L)(_ + _).tail
    var at = 0
    runs(
      table,
      index,
      starts.map { start =>
        while (ends(at) <= start) at += 1
        val from = start - (ends(at) - rows(at))
        fragments(at) -> RowRange(from, math.min(from + runRows, rows(at)))
      }
    )
  }

  private def runs(
      table: LanceTable,
      index: IndexedColumn,
      its: Seq[(Int, RowRange)]
  ): IndexedFragments = IndexedFragments(
    its.toIndexedSeq.map { case (i, rows) =>
      FragmentScan(
        table,
        i,
        rows,
        None,
        FragmentScan.defaultGapRows,
        IndexedSeq(index.rowColumn)
      )
    },
    index.way,
    index.rowColumn,
    index.batchRows
  )
}
