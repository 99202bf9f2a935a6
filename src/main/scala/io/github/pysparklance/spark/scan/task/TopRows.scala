// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  BoundReference,
  RowOrdering,
  SortOrder,
  UnsafeProjection
}

import io.github.pysparklance.core.{Field, RowSelection}
import io.github.pysparklance.spark.filter.BoundColumns
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.spark.vectors.{BatchVectors, LanceVector}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.{ComputedColumn, FragmentScan, MetadataColumn}

/** `ORDER BY ... LIMIT`: the first rows of each task, found in the columns of the order alone, so that the others are read
  * for these rows only. Spark sorts the rows of all tasks.
  *
  * @param fields what the order looks at, cut down to what it needs of them
  * @param computed computed columns, behind the fields; the last of them is the address
  * @param order over rows of these columns
  * @param limit rows of a task, at most
  * @param sql the order, for people
  */
final private[scan] case class TopRows(
    fields: IndexedSeq[Field],
    computed: IndexedSeq[ComputedColumn],
    order: Seq[SortOrder],
    limit: Int,
    sql: String
) {
  import TopRows._

  /** The fragments of a task with the first of its rows selected.
    *
    * @param store reads and counts
    */
  def select(
      read: ReadTask,
      store: FileStore,
      scans: IndexedSeq[FragmentScan],
      counters: ScanCounters
  ): IndexedSeq[FragmentScan] = {
    val vectorsOf = new BatchVectors(fields, computed, read.options.types)
    val rows = new TaskRows(read.copy(fields = fields, computed = computed), store, scans, counters)
    try {
      val first = new First
      while (rows.next()) {
        val batch = rows.batch
        first.add(rows.position, vectorsOf(batch.columns), batch.live, batch.numLive)
      }
      first.of(scans)
    } finally rows.close()
  }

  /** The first rows so far; the last of them is the head of the queue. Hot code. */
  final private class First {
    private val key = UnsafeProjection.create(order.map(_.child))
    private val keyOrdering = RowOrdering.create(
      order.zipWithIndex.map { case (o, i) =>
        o.copy(child = BoundReference(i, o.child.dataType, nullable = true))
      },
      Nil
    )
    private val queue =
      mutable.PriorityQueue.empty[Found](Ordering.by[Found, InternalRow](_.key)(keyOrdering))

    def add(
        scan: Int,
        vectors: Array[LanceVector],
        live: Array[Int],
        numLive: Int
    ): Unit = {
      val row = BatchVectors.row(vectors)
      val address = vectors.last
      var i = 0
      while (i < numLive) {
        row.rowId = if (live == null) i else live(i)
        val found = key(row)
        if (queue.size < limit || keyOrdering.compare(found, queue.head.key) < 0) {
          if (queue.size >= limit) queue.dequeue(): Unit
          queue += Found(found.copy(), scan, RowAddress.offset(address.getLong(row.rowId)))
        }
        i += 1
      }
    }

    def of(scans: IndexedSeq[FragmentScan]): IndexedSeq[FragmentScan] = {
      val found = queue.iterator.toIndexedSeq.groupBy(_.scan)
      scans.indices.flatMap { i =>
        found.get(i).map(rows =>
          scans(i).copy(selection = Some(RowSelection.of(rows.map(_.row).toArray)))
        )
      }
    }
  }
}

private[scan] object TopRows {

  /** More rows than this are left to Spark's sort, which can spill. */
  val maxLimit = 4096

  final private case class Found(key: InternalRow, scan: Int, row: Long)

  /** @param fields of the table
    * @param columns the paths of the columns in `order`
    * @param order over the attributes of `columns`
    */
  def apply(
      fields: IndexedSeq[Field],
      columns: Seq[(Seq[String], AttributeReference)],
      order: Seq[SortOrder],
      limit: Int,
      types: TypeOptions
  ): TopRows = {
    val last = Some(MetadataColumn.RowAddr)
    val bound = BoundColumns(fields, columns, order, types, last)
    TopRows(
      bound.fields,
      bound.computed,
      bound.expressions.collect { case o: SortOrder => o },
      limit,
      order.map(_.sql).mkString("order by ", ", ", "")
    )
  }
}
