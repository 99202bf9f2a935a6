// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import io.github.pysparklance.core.{Field, RowRange, RowSelection, Schema}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.scan.{ComputedColumn, FragmentScan, RowChange}

/** The changed rows of a range of versions, to be read as scans of fragments. All rows have the
  * columns of the last version: older rows lack values of columns that were added since, and have
  * the present names and types.
  *
  * @param end the last version
  * @param restored versions that a RESTORE made
  */
final class Changes private[changes] (
    val end: LanceTable,
    val range: VersionRange,
    rows: IndexedSeq[ChangedRows],
    fields: FieldHistory,
    private[changes] val restored: Set[Long] = Set.empty
) {

  /** The columns. */
  def schema: Schema = fields.schema

  private[changes] def history: FieldHistory = fields

  /** The parts: rows of one fragment with the same change. In order of commits. */
  lazy val parts: IndexedSeq[Changes.Part] = rows.map(new Changes.Part(_, fields))

  /** Number of rows. */
  def numRows: Long = rows.iterator.map(_.numRows).sum

  /** Fails if the values of a field cannot be read for some rows.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException that names the column and the
    *   version
    */
  def checkReadable(read: IndexedSeq[Field]): Unit =
    rows.iterator.map(_.readVersion).toSet[Long].toSeq.sorted.foreach(fields.checkReadable(read, _))

  /** Changes that a condition keeps. */
  def filter(keeps: RowChange => Boolean): Changes =
    new Changes(end, range, rows.filter(r => keeps(r.change)), fields, restored)
}

object Changes {

  /** Rows of one fragment with the same change. */
  final class Part private[changes] (rows: ChangedRows, fields: FieldHistory) {

    /** The kind of change of the rows. */
    def change: RowChange = rows.change

    /** The rows. */
    def selection: RowSelection = rows.rows

    /** Fails if the values of a field cannot be read, see [[Changes.checkReadable]]. */
    def checkReadable(read: IndexedSeq[Field]): Unit = fields.checkReadable(read, rows.readVersion)

    private[pysparklance] lazy val fragment: Fragment =
      fields.of(rows.readVersion).renamed(rows.fragment)

    /** A scan of some of the rows.
      *
      * @param some rows in this range
      * @param computed the computed columns that will be read
      * @return `None` if there are none
      */
    def scan(
        some: RowRange,
        maxGapRows: Long,
        computed: IndexedSeq[ComputedColumn]
    ): Option[FragmentScan] =
      rows.only(rows.rows.within(some)).map(
        _.scan(fields, keepsLineage = computed.exists(_.needsLineage)).copy(maxGapRows = maxGapRows)
      )
  }
}
