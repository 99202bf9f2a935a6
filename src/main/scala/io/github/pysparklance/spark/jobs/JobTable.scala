// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.index.zones.ZoneMapRequest
import io.github.pysparklance.spark.commit.{CommitInfo, TableCommit}
import io.github.pysparklance.spark.common.{HiddenColumns, LanceOptions, OptionUse, TableLocation}
import io.github.pysparklance.spark.write.WriteOptions
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.blob.AllowedUris
import io.github.pysparklance.table.scan.MetadataColumn

/** The table of a job, at the base version of the job.
  *
  * @param location location of the table
  */
final private[spark] case class JobTable(
    session: SparkSession,
    location: TableLocation,
    table: LanceTable
) {

  /** The file store of the tasks. */
  def taskStore: FileStore = location.taskStore(Some(table))

  /** Returns the commit of the job. */
  def commit(info: CommitInfo = CommitInfo.none): TableCommit = TableCommit(table, info)

  /** The columns that get zone maps when rows are rewritten. */
  def zoneMaps: ZoneMapRequest = WriteOptions.zoneMaps(LanceOptions(
    OptionUse.Write,
    CaseInsensitiveStringMap.empty(),
    table.manifest.config,
    location.options
  ))

  /** Locations of external blobs that may be read, in addition to the storage of the table. Set by
    * the session or the catalog.
    */
  def blobUris: AllowedUris =
    LanceOptions(OptionUse.Read, CaseInsensitiveStringMap.empty(), Map.empty, location.options)
      .text(AllowedUris.Option)
      .fold(AllowedUris.none)(AllowedUris.parse)

  /** Rejects columns that hide the metadata columns of a job.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException that names the column
    */
  def checkVisible(columns: MetadataColumn*): Unit =
    HiddenColumns.check(table, columns: _*)
}
