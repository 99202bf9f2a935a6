// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.index.zones.ZoneMapRequest
import io.github.pysparklance.spark.commit.{CommitNotes, TableCommit}
import io.github.pysparklance.spark.common.{HiddenColumns, LanceOptions, OptionUse, TableLocation}
import io.github.pysparklance.spark.write.WriteOptions
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.blob.AllowedUris
import io.github.pysparklance.table.scan.MetadataColumn

/** The table that a job is for, at the version that the job is based on.
  *
  * @param location where the table is
  */
final private[spark] case class JobTable(
    session: SparkSession,
    location: TableLocation,
    table: LanceTable
) {

  /** What tasks read and write with. */
  def taskStore: FileStore = location.taskStore(Some(table))

  /** Commits what the job wrote. */
  def commit(notes: CommitNotes = CommitNotes.none): TableCommit = TableCommit(table, notes)

  /** Which columns get zone maps when rows are written again. */
  def zoneMaps: ZoneMapRequest = WriteOptions.zoneMaps(LanceOptions(
    OptionUse.Write,
    CaseInsensitiveStringMap.empty(),
    table.manifest.config,
    location.settings
  ))

  /** Where external blobs may be fetched from besides the table's own storage: as the session or the catalog says. */
  def blobUris: AllowedUris =
    LanceOptions(OptionUse.Read, CaseInsensitiveStringMap.empty(), Map.empty, location.settings)
      .text(AllowedUris.Option)
      .fold(AllowedUris.none)(AllowedUris.parse)

  /** Fails when columns of the table hide metadata columns that a job needs.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException that names the column
    */
  def checkVisible(columns: MetadataColumn*): Unit =
    HiddenColumns.check(table, columns: _*)
}
