// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, SortOrder}

import io.github.pysparklance.core.Field
import io.github.pysparklance.spark.filter.BoundColumns
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.scan.{ComputedColumn, FragmentScan, MetadataColumn}

/** Evaluates `ORDER BY ... LIMIT` in tasks. The first rows of each task are found by reading the
  * columns of the order only. All other columns are read for these rows only. Spark sorts the rows
  * of all tasks.
  *
  * @param fields fields of the order, pruned to the required children
  * @param computed computed columns, which follow the fields; the last one is the row address
  * @param order order over rows of these columns
  * @param limit maximum rows per task
  * @param sql SQL text of the order, for display
  */
final private[scan] case class TopRows(
    fields: IndexedSeq[Field],
    computed: IndexedSeq[ComputedColumn],
    order: Seq[SortOrder],
    limit: Int,
    sql: String
) {

  /** Returns the fragments of a task with its first rows selected.
    *
    * @param store file store that counts reads
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

/** Creates the order of a scan. */
private[scan] object TopRows {

  /** Above this limit, Spark sorts all rows, because its sort can spill. */
  val maxLimit = 4096

  /** @param fields fields of the table
    * @param columns paths of the columns in `order`
    * @param order order over the attributes of `columns`
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

  /** Shortens the text, because a constant vector may have thousands of elements. */
  private def shortened(sql: String): String =
    if (sql.length <= maxSql) sql else s"${sql.take(maxSql / 2)} … ${sql.takeRight(maxSql / 2)}"

  private val maxSql = 200
}
