// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import scala.util.Using

import io.github.pysparklance.core.{
  BlobField,
  BlobMode,
  Column,
  ConstantColumn,
  Field,
  FixedSizeListColumn,
  InvalidRequestException,
  LeafColumn,
  ListColumn,
  NullColumn,
  Place,
  RowRange,
  StructColumn
}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan}

/** Checks fields of one fragment for nulls. A field inside a null value has none.
  *
  * @param ways the paths of fields, starting with the column
  */
final class NullCheck private (scan: FragmentScan, ways: IndexedSeq[IndexedSeq[Field]])
    extends Serializable {

  /** @throws InvalidRequestException with the first field that is null in a live row */
  def run(store: FileStore): Unit = Place.in(scan.place) {
    val fields = ways.map(NullCheck.pruned(_)).map(BlobField.in(BlobMode.Descriptor))
    Using.resource(FragmentReader.open(store, scan, fields, batchRows = NullCheck.batchRows)) { r =>
      while (r.next()) {
        val live: Int => Boolean =
          if (r.live == null) _ => true
          else {
            val positions = r.live
            i => java.util.Arrays.binarySearch(positions, i) >= 0
          }
        ways.indices.foreach { i =>
          if (NullCheck.hasNull(ways(i), r.columns(i), live))
            throw new InvalidRequestException(
              s"the column has nulls in fragment ${scan.fragment.id}; remove them before you make it not nullable",
              Place(column = Some(ways(i).map(_.name).mkString(".")))
            )
        }
      }
    }
  }
}

object NullCheck {
  private val batchRows = 4096

  /** Creates the check of one fragment.
    *
    * @param index index of the fragment in the table
    */
  private[columns] def apply(
      table: LanceTable,
      index: Int,
      ways: IndexedSeq[IndexedSeq[Field]]
  ): NullCheck = {
    val rows = RowRange(0, table.physicalRows(table.fragments(index)))
    val scan =
      FragmentScan(table, index, rows, None, FragmentScan.defaultGapRows, IndexedSeq.empty)
    new NullCheck(scan, ways)
  }

  /** Returns the column of a path, pruned to the path. */
  private def pruned(way: IndexedSeq[Field]): Field =
    way.init.foldRight(way.last)((f, below) =>
      if (f.isPacked) f else f.copy(children = IndexedSeq(below))
    )

  /** @param wanted the slots to check */
  private[columns] def hasNull(
      way: IndexedSeq[Field],
      column: Column,
      wanted: Int => Boolean
  ): Boolean =
    if (way.length == 1)
      column.hasNulls && (0 until column.numRows).exists(i => wanted(i) && column.isNull(i))
    else {
      def valid(i: Int): Boolean = wanted(i) && !column.isNull(i)
      column match {
        // null: has no fields inside
        case _: NullColumn | _: LeafColumn | _: ConstantColumn => false
        case s: StructColumn =>
          val child = if (way.head.isPacked) way.head.children.indexWhere(_.id == way(1).id) else 0
          hasNull(way.tail, s.children(child), valid)
        case l: ListColumn =>
          val items = new java.util.BitSet(l.items.numRows)
          (0 until l.numRows).foreach { i =>
            if (valid(i)) items.set(l.offsets(i), l.offsets(i + 1))
          }
          hasNull(way.tail, l.items, items.get(_))
        case l: FixedSizeListColumn =>
          hasNull(way.tail, l.items, i => valid(i / l.dimension))
      }
    }
}
