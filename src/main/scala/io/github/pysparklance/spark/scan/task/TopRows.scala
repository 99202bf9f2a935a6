// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, SortOrder}

import io.github.pysparklance.core.Field
import io.github.pysparklance.spark.filter.BoundColumns
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.scan.{ComputedColumn, FragmentScan, MetadataColumn}

/** `ORDER BY ... LIMIT`: the first rows of each task, found in the columns of the order alone, so that the others are read
  * for these rows only. Spark sorts the rows of all tasks.
  *
  * @param fields the fields of the order, cut down to the children that it needs
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
    val rows = new TaskRows(read.copy(fields = fields, computed = computed), store, scans, counters)
    try {
      val first = FirstRows(this, read.options.types)
      while (rows.next()) first.add(rows.position, rows.batch)
      first.of(scans)
    } finally rows.close()
  }
}

private[scan] object TopRows {

  /** Spark sorts more rows than this, as its sort can spill. */
  val maxLimit = 4096

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
      order.map(o => shortened(o.sql)).mkString("order by ", ", ", "")
    )
  }

  /** A constant vector may have thousands of elements. */
  private def shortened(sql: String): String =
    if (sql.length <= maxSql) sql else s"${sql.take(maxSql / 2)} … ${sql.takeRight(maxSql / 2)}"

  private val maxSql = 200
}
