// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

/** What a manifest store knows about a version.
  *
  * @param version its number
  * @param path of its manifest, without scheme and bucket: the final name, or a staging copy while the commit is under
  *   way
  * @param sizeBytes length of the manifest; rows of old writers lack it
  */
final case class ManifestRow(version: Long, path: String, sizeBytes: Option[Long])

/** A database that decides which of several writers gets a version, for storage that cannot do so itself. The
  * manifests stay in the storage; a row only says where the one of a version is. Safe for use from many threads.
  *
  * All methods see what was written before they were called. Trouble of the database raises `java.io.IOException`.
  *
  * Source: format page of the table, "External manifest store".
  */
trait ManifestStore {

  /** The row of a version.
    *
    * @param base key of the table or branch, see [[ManifestIndex]]
    */
  def get(base: String, version: Long): Option[ManifestRow]

  /** The row with the highest version; detached versions, the negative ones, do not count. */
  def latest(base: String): Option[ManifestRow]

  /** Adds a row unless there is one of that version. Of any number of concurrent callers one gets true. */
  def putIfAbsent(base: String, row: ManifestRow): Boolean

  /** Replaces the row of that version; false when there is none. */
  def putIfPresent(base: String, row: ManifestRow): Boolean

  /** Removes the row of a version, if there is one. */
  def remove(base: String, version: Long): Unit

  /** Removes all rows of a table or branch. */
  def removeAll(base: String): Unit
}

/** The manifest store of one table or branch.
  *
  * @param base key of its rows: its folder without scheme and bucket, no slash at either end
  */
final case class ManifestIndex(store: ManifestStore, base: String)
