// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.testkit.{ColumnRows, NumberTables, TemporaryFolder}

/** Computed columns and row conditions that are defined outside of the table layer. */
class ComputedColumnSuite extends AnyFunSuite with TemporaryFolder {
  import ComputedColumnSuite._

  private def rows(open: FragmentScan => RowBatches, condition: RowCondition): Seq[Seq[Any]] = {
    val table = LanceTable.open(Storage.local, path)
    condition.select(table).zipWithIndex.flatMap { case (selected, i) =>
      val all = RowRange(0, table.physicalRows(table.fragments(i)))
      val scan = FragmentScan(table, i, all, Some(selected), 3, IndexedSeq(Score))
      val found = Seq.newBuilder[Seq[Any]]
      Using.resource(open(scan)) { r =>
        while (r.next()) {
          val values = r.columns.map(ColumnRows(_))
          val live = if (r.live == null) 0 until r.numLive else r.live.toSeq.take(r.numLive)
          live.foreach(at => found += values.map(_(at)))
        }
      }
      found.result()
    }
  }

  private def path: String = folder.resolve("t").toString

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    NumberTables.delete(
      NumberTables.create(path, 0L until 100L, 100L until 250L),
      1,
      0,
      7,
      149
    ): Unit
  }

  private val fields = NumberTables.schema.withFreshIds.fields.take(1)

  private val live = (0L until 250L).filterNot(Set(100L, 107L, 249L))
  test("a scan appends the values of a computed column to each row") {
    val read = rows(
      FragmentReader.open(Storage.local, _, fields, IndexedSeq(Score, MetadataColumn.FragId), 16),
      RowCondition.EveryRow
    )
    assert(read == live.map(id => Seq(id, score(id), if (id < 100) 0L else 1L)))
  }

  test("a filter reads a computed column, and another condition selects rows before it") {
    val predicate = new RowPredicate {
      def fields: IndexedSeq[Field] = IndexedSeq.empty
      def computed: IndexedSeq[ComputedColumn] = IndexedSeq(Score)
      def select(columns: IndexedSeq[Column], live: Array[Int], numLive: Int): Array[Int] = {
        val LeafColumn(scores: LongValues, _) = columns.head: @unchecked
        val candidates = if (live == null) Array.range(0, numLive) else live
        candidates.filter(i => scores.array(i) % 3 == 0)
      }
    }
    Seq(IndexedSeq.empty, IndexedSeq(Score)).foreach { computed =>
      val read = rows(
        FilteredReader.open(Storage.local, _, fields, computed, predicate, 16),
        RowCondition.And(EveryFifth, RowCondition.FragIdIn(IndexedSeq(1L)))
      )
      val expected = live.filter(id => id >= 100 && (id - 100) % 5 == 0 && score(id) % 3 == 0)
      assert(read == expected.map(id => id +: computed.map(_ => score(id))))
    }
  }
}

private object ComputedColumnSuite {

  /** Returns the value of the column for the row with this id. */
  def score(id: Long): Long = id * 7 + 1

  /** Values that depend on the fragment and the offset. */
  object Score extends ComputedColumn {
    def name: String = "_score"
    def field: Field =
      Field(Field.Unassigned, name, LogicalType.Integer(64, signed = true), nullable = false)
    def needsLineage: Boolean = false
    def needsLiveRowsBefore: Boolean = false
    def in(scan: FragmentScan, deletions: DeletionVector): ComputedColumn.Source =
      new ComputedColumn.Made {
        private val values = new LongValues
        def column(rows: RowRange): Column = {
          values.clear()
          (rows.from until rows.until).foreach { row =>
            values.append(score(row + scan.fragment.id * 100))
          }
          LeafColumn(values, null)
        }
      }
  }

  /** Every fifth row of each fragment. */
  object EveryFifth extends RowCondition {
    def maxRows(all: Long): Long = all
    def select(table: LanceTable): IndexedSeq[RowSelection] = table.fragments.map { f =>
      RowSelection.of((0L until table.physicalRows(f) by 5).toArray)
    }
    def isStable(table: LanceTable): Boolean = false
  }
}
