// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.{ComputedColumn, MetadataBounds, MetadataColumn}

/** Skips fragments without matching rows, based on metadata columns: the id and files of the
  * fragment, and the versions that created and updated its rows.
  *
  * @param includesDeleted whether the scan returns deleted rows
  */
final private[spark] class FragmentSkipping(
    filter: RowFilter,
    table: LanceTable,
    includesDeleted: Boolean
) {
  private val test = BoundsTest(filter.expression)

  /** Whether a fragment may have a matching row.
    *
    * @param index position of the fragment in the table
    */
  def mayMatch(index: Int): Boolean =
    test.forall(_.mayMatch { c =>
      val behind = c.column - filter.fields.length
      if (behind < 0) None else bounds(index, filter.computed(behind))
    })

  private def bounds(index: Int, column: ComputedColumn): Option[(Any, Any)] = column match {
    case MetadataColumn.Deleted => if (includesDeleted) None else Some((false, false))
    case MetadataColumn.File =>
      table.fragments(index).files.headOption.map { file =>
        val path = UTF8String.fromString(table.pathOf(file))
        (path, path)
      }
    // Deleted rows can have any offset.
    case MetadataColumn.RowOffset if includesDeleted => None
    case number: MetadataColumn => MetadataBounds(table, index, number)
    case _ => None
  }
}
