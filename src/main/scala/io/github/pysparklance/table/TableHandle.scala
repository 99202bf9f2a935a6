// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import io.github.pysparklance.core.{NotFoundException, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{ManifestFile, ManifestLocation}

/** A version of a table for tasks. Each process reads its manifest once. Serializable.
  *
  * @param transaction name of the version's transaction file, which is unique
  * @param known the version in the process that created the handle
  */
final class TableHandle private[table] (
    store: FileStore,
    root: TablePath,
    location: ManifestLocation,
    transaction: Option[String],
    @transient known: LanceTable
) extends Serializable {

  /** The version.
    *
    * @throws NotFoundException if it was removed, or the table was created again
    */
  @transient lazy val table: LanceTable = if (known != null) known else read()

  private def read(): LanceTable = {
    val file = ManifestFile.read(store, location)
    if (file.manifest.transactionFile != transaction)
      throw new NotFoundException(
        "version",
        Place(path = Some(root.root), version = Some(location.version))
      )
    LanceTable.of(store, root, file)
  }
}
