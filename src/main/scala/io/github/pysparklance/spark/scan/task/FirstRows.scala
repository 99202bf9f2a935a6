// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, RowOrdering, UnsafeProjection}

import io.github.pysparklance.core.RowSelection
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.spark.vectors.BatchVectors
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.{FragmentScan, RowBatches}

/** Collects the first rows of a task in the order of a [[TopRows]]. Not thread-safe. */
abstract private[task] class FirstRows {

  /** Adds the rows of a batch.
    *
    * @param scan position of their fragment among the scans of the task
    */
  def add(scan: Int, batch: RowBatches): Unit

  /** The first rows so far, in any order. */
  protected def found: Iterator[FirstRows.Found]

  /** Returns the fragments of the task with these rows selected. */
  final def of(scans: IndexedSeq[FragmentScan]): IndexedSeq[FragmentScan] = {
    val byScan = found.toIndexedSeq.groupBy(_.scan)
    scans.indices.flatMap { i =>
      byScan.get(i).map(rows =>
        scans(i).copy(selection = Some(RowSelection.of(rows.map(_.row).toArray)))
      )
    }
  }
}

/** Creates collectors. */
private[task] object FirstRows {

  /** A row of a task.
    *
    * @param scan position of its fragment among the scans
    * @param row offset in the fragment
    */
  trait Found {
    def scan: Int
    def row: Long
  }

  def apply(top: TopRows, types: TypeOptions): FirstRows =
    VectorOrder.of(top).fold[FirstRows](new Sorted(top, types))(
      new NearestRows(_, top, types)
    )

  final private case class Keyed(key: InternalRow, scan: Int, row: Long) extends Found

  /** Supports any order. The last of the rows is the head of the queue. Hot code. */
  final private class Sorted(top: TopRows, types: TypeOptions) extends FirstRows {
    private val vectorsOf = new BatchVectors(top.fields, top.computed, types)
    private val key = UnsafeProjection.create(top.order.map(_.child))
    private val keyOrdering = RowOrdering.create(
      top.order.zipWithIndex.map { case (o, i) =>
        o.copy(child = BoundReference(i, o.child.dataType, nullable = true))
      },
      Nil
    )
    private val queue =
      mutable.PriorityQueue.empty[Keyed](Ordering.by[Keyed, InternalRow](_.key)(keyOrdering))

    def add(scan: Int, batch: RowBatches): Unit = {
      val vectors = vectorsOf(batch.columns)
      val live = batch.live
      val numLive = batch.numLive
      val row = BatchVectors.row(vectors)
      val address = vectors.last
      var i = 0
      while (i < numLive) {
        row.rowId = if (live == null) i else live(i)
        val found = key(row)
        if (queue.size < top.limit || keyOrdering.compare(found, queue.head.key) < 0) {
          if (queue.size >= top.limit) queue.dequeue(): Unit
          queue += Keyed(found.copy(), scan, RowAddress.offset(address.getLong(row.rowId)))
        }
        i += 1
      }
    }

    protected def found: Iterator[Found] = queue.iterator
  }
}
