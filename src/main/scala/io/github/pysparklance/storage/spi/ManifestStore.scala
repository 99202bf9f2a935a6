// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

/** The row of a version in a [[ManifestStore]].
  *
  * @param version the version number
  * @param path path of the manifest, without scheme and bucket: the final name, or a staging copy
  *   while the commit is running
  * @param sizeBytes length of the manifest; old writers do not store it
  */
final case class ManifestRow(version: Long, path: String, sizeBytes: Option[Long])

/** A database that decides which writer commits a version, for storage without an atomic create.
  * Manifests stay in the storage, and a row stores the path of each. Thread-safe.
  *
  * Reads are consistent: they see all earlier writes. Failures of the database throw
  * `java.io.IOException`.
  *
  * Source: format page of the table, "External manifest store".
  */
trait ManifestStore {

  /** Returns the row of a version.
    *
    * @param base key of the table or branch, see [[ManifestIndex]]
    */
  def get(base: String, version: Long): Option[ManifestRow]

  /** Returns the row of the latest version. Skips detached versions, whose numbers are negative. */
  def latest(base: String): Option[ManifestRow]

  /** Adds a row unless the version has one. Of concurrent callers exactly one gets true. */
  def putIfAbsent(base: String, row: ManifestRow): Boolean

  /** Replaces the row of a version. Returns false if it has none. */
  def putIfPresent(base: String, row: ManifestRow): Boolean

  /** Removes the row of a version, if it exists. */
  def remove(base: String, version: Long): Unit

  /** Removes all rows of a table or branch. */
  def removeAll(base: String): Unit
}

/** The manifest store of one table or branch.
  *
  * @param base key of its rows: the folder without scheme and bucket, and without leading and
  *   trailing slashes
  */
final case class ManifestIndex(store: ManifestStore, base: String)
