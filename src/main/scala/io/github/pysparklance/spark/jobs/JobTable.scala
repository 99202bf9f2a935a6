// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.common.{LanceOptions, OptionUse, TableLocation}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.blob.AllowedUris
import io.github.pysparklance.table.{LanceTable, MetadataColumn}

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

  /** Where external blobs may be fetched from besides the table's own storage: as the session or the catalog says. */
  def blobUris: AllowedUris =
    LanceOptions(OptionUse.Read, CaseInsensitiveStringMap.empty(), Map.empty, location.settings)
      .text(AllowedUris.Option)
      .fold(AllowedUris.none)(AllowedUris.parse)

  /** Fails when columns of the table hide metadata columns that a job needs.
    *
    * @throws InvalidRequestException that names the column
    */
  def checkVisible(columns: MetadataColumn*): Unit =
    columns.find(c => table.schema.fields.exists(_.name.equalsIgnoreCase(c.name))).foreach { c =>
      throw new InvalidRequestException(
        s"a column of the table hides the metadata column ${c.name}, which is needed here; rename the column",
        Place(path = Some(table.path), column = Some(c.name))
      )
    }
}
