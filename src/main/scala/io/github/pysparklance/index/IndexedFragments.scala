// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi._
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan, MetadataColumn}

/** The rows of some fragments, for an index. Made where the manifest is, sent to where the segment is built.
  *
  * @param way from the column down to the indexed field
  * @param rowColumn by which the index knows rows
  */
final case class IndexedFragments(
    scans: IndexedSeq[FragmentScan],
    way: IndexedSeq[Field],
    rowColumn: MetadataColumn
) {

  /** The column with nothing but the indexed field. */
  private def column: Field =
    way.init.foldRight(way.last)((parent, child) => parent.copy(children = IndexedSeq(child)))

  /** Runs `f` on all rows, batch by batch. */
  def foreachBatch(store: FileStore)(f: IndexBatch => Unit): Unit = scans.foreach { scan =>
    Place.in(scan.place.copy(column = Some(way.map(_.name).mkString(".")))) {
      Using.resource(open(store, scan)) { reader =>
        while (reader.next()) if (reader.numLive > 0) f(batch(reader))
      }
    }
  }

  /** The live rows as entries, in the order of the table. Close it when it is not read to the end. */
  def entries(store: FileStore): IndexEntries = new Entries(store)

  private def open(store: FileStore, scan: FragmentScan): FragmentReader = FragmentReader.open(
    store,
    scan,
    IndexedSeq(column),
    IndexedSeq(rowColumn),
    IndexedFragments.batchRows
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

  final private class Entries(store: FileStore) extends IndexEntries {
    private val keyType = KeyType.of(way.last.logicalType).get
    private val remaining = scans.iterator
    private var reader: FragmentReader = null
    private var rows: IndexBatch = null
    private var keys: Keys = null
    private var live: Array[Int] = null
    private var numLive = 0
    private var at = -1

    def next(): Boolean = {
      at += 1
      at < numLive || readBatch()
    }

    private def readBatch(): Boolean = {
      numLive = 0
      while (numLive == 0 && (hasBatch || openNext())) ()
      at = 0
      numLive > 0
    }

    private def hasBatch: Boolean = reader != null && reader.next() && {
      if (reader.numLive > 0) {
        rows = batch(reader)
        keys = keyType.keys(rows.values)
        live = reader.live
        numLive = reader.numLive
      }
      true
    }

    private def openNext(): Boolean = {
      close()
      remaining.hasNext && {
        reader = open(store, remaining.next())
        true
      }
    }

    private def position: Int = if (live == null) at else live(at)

    def key: Option[Key] = Optional.unless(rows.isNull(position))(keys(position))
    def row: Long = rows.ids(position)

    def close(): Unit = if (reader != null) {
      reader.close()
      reader = null
    }
  }
}

object IndexedFragments {
  private val batchRows = 8192

  /** @param fragments positions in the table */
  def apply(table: LanceTable, index: IndexDefinition, fragments: Seq[Int]): IndexedFragments =
    IndexedFragments(
      fragments.toIndexedSeq.map { i =>
        val rows = RowRange(0, table.physicalRows(table.fragments(i)))
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
      index.rowColumn
    )
}

/** Values with their rows. Not thread-safe. */
trait IndexEntries extends AutoCloseable {

  /** Moves on; false at the end. */
  def next(): Boolean

  /** The value; none: null. */
  def key: Option[Key]

  /** The row as the index knows it. */
  def row: Long
}
