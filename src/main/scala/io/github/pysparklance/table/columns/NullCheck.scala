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

/** Looks for nulls in fields of one fragment that are not to have any. A field inside of something that is null itself
  * has none.
  *
  * @param ways each field with those above it, the column first
  */
final class NullCheck private (scan: FragmentScan, ways: IndexedSeq[IndexedSeq[Field]])
    extends Serializable {

  /** @throws InvalidRequestException that names the first field with a null in a row that is not deleted */
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
              s"the column has nulls, in fragment ${scan.fragment.id}; they must go before it can forbid them",
              Place(column = Some(ways(i).map(_.name).mkString(".")))
            )
        }
      }
    }
  }
}

object NullCheck {
  private val batchRows = 4096

  /** The check of one fragment.
    *
    * @param index of the fragment in the table
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

  /** The column of a way with nothing in it but the way. */
  private def pruned(way: IndexedSeq[Field]): Field =
    way.init.foldRight(way.last)((f, below) =>
      if (f.isPacked) f else f.copy(children = IndexedSeq(below))
    )

  /** @param wanted slots that count */
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
        // nulls above: nothing is inside
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
