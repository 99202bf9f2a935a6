// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.zones

import io.github.pysparklance.core.{Column, NullColumn, StructColumn}
import io.github.pysparklance.index.scalar.ColumnZones
import io.github.pysparklance.index.spi.KeyType
import io.github.pysparklance.table.{FragmentSummary, FragmentSummaryBuilder}

/** The zones of a new data file.
  *
  * @param file name of the file
  */
final case class FragmentZones(file: String, columns: IndexedSeq[FragmentColumn])
    extends FragmentSummary

/** The zones of a column of a new data file.
  *
  * @param isRequested see [[ZonedColumn]]
  */
final case class FragmentColumn(fieldId: Int, isRequested: Boolean, zones: ColumnZones)

/** Computes the zones of data files, one at a time. Hot code, not thread-safe. */
final class ZonesBuilder private[zones] (columns: IndexedSeq[ZonedColumn])
    extends FragmentSummaryBuilder {
  private val builders = columns.map { c =>
    new ColumnZones.Builder(KeyType.of(c.field.logicalType).get, c.rowsPerZone)
  }

  def add(rows: IndexedSeq[Column], numRows: Int): Unit = {
    var i = 0
    while (i < columns.length) {
      val nested = below(rows(columns(i).positions.head), columns(i).positions.tail)
      builders(i).add(nested.last, nested.init.filter(_.hasNulls), numRows)
      i += 1
    }
  }

  private def below(column: Column, positions: IndexedSeq[Int]): IndexedSeq[Column] =
    positions.scanLeft(column) {
      case (s: StructColumn, at) => s.children(at)
      case (n: NullColumn, _) => n
      case (other, _) =>
        throw new IllegalStateException(s"a struct is a ${other.getClass.getSimpleName}")
    }

  def finish(file: String): FragmentZones = FragmentZones(
    file,
    columns.indices.flatMap(i =>
      builders(i).result().map(FragmentColumn(columns(i).field.id, columns(i).isRequested, _))
    )
  )
}
