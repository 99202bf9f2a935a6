// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.index.vector.distance.VectorBatch
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan}

/** Reads vectors from the data files of a table. */
final class TableVectors(table: LanceTable, column: VectorColumn) extends VectorSource {

  private val fragments = table.fragments.indices.iterator
    .map(i => table.fragments(i).id -> i).toMap

  def read(addresses: Array[Long]): StoredVectors = {
    val items = Values.allocate(FixedWidth(column.elementType.numBytes * 8))
    val first = new Array[Int](addresses.length)
    val counts = new Array[Int](addresses.length)
    val order = addresses.indices.sortBy(i => addresses(i) ^ Long.MinValue)
    var from = 0
    while (from < order.length) {
      val id = RowAddress.fragmentId(addresses(order(from)))
      var until = from
      while (until < order.length && RowAddress.fragmentId(addresses(order(until))) == id)
        until += 1
      readFragment(id, addresses, order.slice(from, until), items, first, counts)
      from = until
    }
    new StoredVectors(items, first, counts)
  }

  /** @param its numbers of the requested rows in the fragment, sorted by offset */
  private def readFragment(
      fragmentId: Long,
      addresses: Array[Long],
      its: IndexedSeq[Int],
      items: Values,
      first: Array[Int],
      counts: Array[Int]
  ): Unit = {
    val index = fragments.getOrElse(
      fragmentId,
      throw new CorruptFileException(
        s"a row of fragment $fragmentId, which version ${table.version} does not have"
      )
    )
    val offsets = its.map(i => RowAddress.offset(addresses(i))).toArray
    val scan = FragmentScan(
      table,
      index,
      RowRange(0, table.physicalRows(table.fragments(index))),
      Some(RowSelection.of(offsets)),
      FragmentScan.gapRows(column.numBytes),
      IndexedSeq.empty
    )
    Using.resource(
      FragmentReader.open(
        table.store,
        scan,
        IndexedSeq(column.pruned),
        batchRows = TableVectors.batchRows
      )
    ) { reader =>
      var at = 0
      while (reader.next()) {
        val batch = reader.columns(0)
        var i = 0
        while (i < reader.numLive) {
          val row = if (reader.live == null) i else reader.live(i)
          append(batch, row, items, first, counts, its(at))
          at += 1
          i += 1
        }
      }
      CorruptFileException.check(
        at == its.length,
        s"$at of ${its.length} rows that an index has are in fragment $fragmentId"
      )
    }
  }

  private def append(
      batch: Column,
      row: Int,
      items: Values,
      first: Array[Int],
      counts: Array[Int],
      at: Int
  ): Unit = {
    first(at) = items.numItems / column.dimension
    // Positions in pruned structs, which have one child each.
    if (column.isMulti) TableVectors.list(batch, row).foreach { case (vectors, from, count) =>
      val inside = VectorBatch(vectors, Nil, column.dimension)
      (from until from + count).filterNot(inside.isNull).foreach { v =>
        items.appendFrom(inside.items, v * column.dimension, column.dimension)
        counts(at) += 1
      }
    }
    else {
      val vectors = VectorBatch(batch, column.positions, column.dimension)
      if (!vectors.isNull(row)) {
        items.appendFrom(vectors.items, row * column.dimension, column.dimension)
        counts(at) = 1
      }
    }
  }
}

private object TableVectors {
  private val batchRows = 4096

  /** The items of the list of a row: their column, the first one, and how many. */
  private def list(column: Column, row: Int): Option[(Column, Int, Int)] =
    if (column.isNull(row)) None
    else
      column match {
        case StructColumn(_, IndexedSeq(child), _) => list(child, row)
        case ListColumn(_, offsets, items, _) =>
          Some((items, offsets(row), offsets(row + 1) - offsets(row)))
        case _ => None
      }
}
