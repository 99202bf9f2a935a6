// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.settings

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{BasePath, BasePaths}
import io.github.pysparklance.table.transaction.build.KeyRules
import io.github.pysparklance.table.transaction.operation.{UpdateBases, UpdateConfig, UpdateMap}

/** Changes what a table notes beside its rows. Every change is a version of its own; two writers that change the same
  * key, or the metadata of the same field, get into a conflict.
  *
  * {{{
  *   new Settings(table).config(UpdateMap.upsert(Map("lance.auto_cleanup.interval" -> "20")))
  *   new Settings(table).tableMetadata(UpdateMap.remove(Seq("owner")))
  * }}}
  * Source: messages `UpdateConfig` and `UpdateBases`, transaction.proto.
  *
  * @param table the version that the changes are based on
  */
final class Settings(table: LanceTable) {

  /** Changes the settings of the table, which writers of all kinds go by. Keys that begin with `lance.` have a meaning.
    */
  def config(update: UpdateMap): LanceTable = table.commit(UpdateConfig(config = Some(update)))

  /** Changes the user's notes on the table. */
  def tableMetadata(update: UpdateMap): LanceTable =
    table.commit(UpdateConfig(tableMetadata = Some(update)))

  /** Changes the metadata of the Arrow schema. */
  def schemaMetadata(update: UpdateMap): LanceTable =
    table.commit(UpdateConfig(schemaMetadata = Some(update)))

  /** Changes the metadata of fields.
    *
    * @param updates by field id, see [[io.github.pysparklance.core.Schema.flatten]]
    * @throws InvalidRequestException when there is no such field, or the keys of the schema, which the metadata can
    *   name once, would change or be wrong
    */
  def fieldMetadata(updates: Map[Int, UpdateMap]): LanceTable = {
    if (updates.isEmpty) throw new InvalidRequestException("no field is named")
    table.commit(UpdateConfig(fieldMetadata = updates))
  }

  /** Names the columns that tell rows apart. Nobody checks that they do. For ever.
    *
    * @param fieldIds in the order of the key
    * @throws InvalidRequestException when the table has a key, or a field can be null, or has others below it or lies
    *   in a list or map
    */
  def primaryKey(fieldIds: Seq[Int]): LanceTable = {
    if (fieldIds.distinct.length != fieldIds.length)
      throw new InvalidRequestException("a column is twice in the primary key")
    fieldMetadata(fieldIds.zipWithIndex.map { case (id, i) =>
      id -> UpdateMap.upsert(Map(KeyRules.PrimaryPosition -> (i + 1).toString))
    }.toMap)
  }

  /** Adds places where files of the table may lie, on the same kind of storage as the table.
    *
    * @param bases with names and paths the table does not have yet; those with the id 0 get the lowest free one
    */
  def addBases(bases: Seq[BasePath]): LanceTable = {
    if (bases.isEmpty) throw new InvalidRequestException("no base path is named")
    val written = bases.map(b => b.copy(path = BasePaths.of(table.store, b.path)))
    written.foreach(_.folder(table.root))
    table.commit(UpdateBases(written))
  }
}
