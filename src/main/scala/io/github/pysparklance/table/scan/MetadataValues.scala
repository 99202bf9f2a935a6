// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import java.nio.charset.StandardCharsets.UTF_8

import io.github.pysparklance.core.{
  BinaryValues,
  ByteValues,
  Column,
  LeafColumn,
  LongValues,
  RowRange,
  Values
}
import io.github.pysparklance.table.deletion.DeletionVector

/** Computes the values of one metadata column for the rows of a fragment. Not thread-safe. */
final private[table] class MetadataValues(
    column: MetadataColumn,
    numbers: MetadataColumns,
    scan: FragmentScan,
    deletions: DeletionVector
) extends ComputedColumn.Made {
  private val values = Values.allocate(column.field.valueType)
  private lazy val file = scan.paths.headOption.getOrElse("").getBytes(UTF_8)

  def column(rows: RowRange): Column = {
    values.clear()
    values match {
      case out: LongValues => numbers.fill(column, rows, out)
      case texts: BinaryValues =>
        var i = 0L
        while (i < rows.numRows) {
          texts.append(file, 0, file.length)
          i += 1
        }
      case flags: ByteValues =>
        flags.appendFiller(rows.numRows.toInt)
        deletions.deletedIn(rows).foreach(flags.array(_) = 1)
      case other => throw new IllegalStateException(s"${column.name} of ${other.getClass.getName}")
    }
    LeafColumn(values, null)
  }
}
