// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.metadata

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{BasePath, BasePaths}
import io.github.pysparklance.table.transaction.build.KeyRules
import io.github.pysparklance.table.transaction.operation.{UpdateBases, UpdateConfig, UpdateMap}

/** Changes the configuration and metadata of a table. Each change is a separate version. Concurrent
  * changes of the same key, or of the same field's metadata, conflict.
  *
  * {{{
  *   new MetadataChanges(table).config(UpdateMap.upsert(Map("lance.auto_cleanup.interval" -> "20")))
  *   new MetadataChanges(table).tableMetadata(UpdateMap.remove(Seq("owner")))
  * }}}
  * Source: messages `UpdateConfig` and `UpdateBases`, transaction.proto.
  *
  * @param table the version that the changes are based on
  */
final class MetadataChanges(table: LanceTable) {

  /** Changes the configuration of the table, which all writers observe. Keys with the prefix
    * `lance.` are reserved.
    */
  def config(update: UpdateMap): LanceTable = table.commit(UpdateConfig(config = Some(update)))

  /** Changes the user-defined metadata of the table. */
  def tableMetadata(update: UpdateMap): LanceTable =
    table.commit(UpdateConfig(tableMetadata = Some(update)))

  /** Changes the metadata of the Arrow schema. */
  def schemaMetadata(update: UpdateMap): LanceTable =
    table.commit(UpdateConfig(schemaMetadata = Some(update)))

  /** Changes the metadata of fields.
    *
    * @param updates updates by field id, see [[io.github.pysparklance.core.Schema.flatten]]
    * @throws InvalidRequestException if a field does not exist, or if the change would redefine or
    *   damage the keys of the schema, which metadata can define only once
    */
  def fieldMetadata(updates: Map[Int, UpdateMap]): LanceTable = {
    if (updates.isEmpty) throw new InvalidRequestException("no field is named")
    table.commit(UpdateConfig(fieldMetadata = updates))
  }

  /** Declares the unenforced primary key. It cannot be changed later.
    *
    * @param fieldIds field ids in the order of the key
    * @throws InvalidRequestException if the table has a key, or if a field is nullable, has
    *   children, or is inside a list or map
    */
  def primaryKey(fieldIds: Seq[Int]): LanceTable = {
    if (fieldIds.distinct.length != fieldIds.length)
      throw new InvalidRequestException("a column is twice in the primary key")
    fieldMetadata(fieldIds.zipWithIndex.map { case (id, i) =>
      id -> UpdateMap.upsert(Map(KeyRules.PrimaryPosition -> (i + 1).toString))
    }.toMap)
  }

  /** Adds base paths for files of the table, on the same kind of storage as the table.
    *
    * @param bases bases with names and paths that the table does not have yet; bases with id 0 get
    *   the lowest free id
    * @throws InvalidRequestException if a base path exists already, or is in the table's folder
    */
  def addBases(bases: Seq[BasePath]): LanceTable = {
    if (bases.isEmpty) throw new InvalidRequestException("no base path is named")
    val written = bases.map(b => b.copy(path = BasePaths.of(table.store, b.path)))
    val folders = written.map(b => b -> b.folder(table.root))
    folders.foreach { case (base, folder) => rejectInside(base, folder.root) }
    table.commit(UpdateBases(written))
  }

  /** Rejects a base path in the table's own folder. A clean-up or a drop would treat its files as
    * the table's own.
    */
  private def rejectInside(base: BasePath, folder: String): Unit = {
    val root = table.store.canonical(table.path)
    val home = table.manifest.branch.fold(root)(b => root.stripSuffix(s"/tree/$b"))
    if (TablePath.isWithin(table.store.canonical(folder), home)) {
      val what = base.name.fold(base.path)(n => s"$n (${base.path})")
      throw new InvalidRequestException(
        s"the base path $what is in the table's own folder: give a folder outside of it"
      )
    }
  }
}
