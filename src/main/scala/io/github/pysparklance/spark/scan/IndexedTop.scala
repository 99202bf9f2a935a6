// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{Ascending, NullsFirst}

import io.github.pysparklance.core.RowSelection
import io.github.pysparklance.index.cache.IndexMeter
import io.github.pysparklance.index.{IndexOrder, ScalarIndices}
import io.github.pysparklance.spark.filter.IndexTranslation
import io.github.pysparklance.spark.scan.task.{ReadOptions, TopRows}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.rowid.RowAddress

/** Evaluates `ORDER BY column LIMIT k` with an ordered index. Selects the first k rows of each
  * segment, and the scan sorts them.
  */
private[scan] object IndexedTop {

  /** Returns `None` unless rows are ordered by a single column, and an index on it covers the
    * table.
    */
  def apply(table: LanceTable, top: TopRows, options: ReadOptions): Option[IndexedRows] =
    IndexedRows.ifUsable(table, options) {
      for {
        order <- if (top.order.length == 1) top.order.headOption else None
        field <- new IndexTranslation(top.fields, options.types).ordered(order.child)
        started = System.nanoTime()
        meter = new IndexMeter
        (addresses, uses) <- new IndexOrder(new ScalarIndices(table, meter)).first(
          field.id,
          field.logicalType,
          order.direction == Ascending,
          order.nullOrdering == NullsFirst,
          top.limit
        )
      } yield {
        val rows = mutable.LongMap.empty[RowSelection]
        addresses.groupBy(RowAddress.fragmentId).foreach { case (id, its) =>
          rows(id) = RowSelection.of(its.map(RowAddress.offset).toArray)
        }
        IndexedRows.of(table, uses, rows, meter, System.nanoTime() - started)
      }
    }
}
