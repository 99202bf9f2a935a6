// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.IOException

import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** Publishes and finds the manifests of a table or branch. The handler determines which of several
  * writers commits a version. All writers of a table must use the same kind.
  *
  *  - [[StorageCommits]]: the storage creates the manifest atomically unless it exists;
  *  - [[ExternalCommits]]: a database decides, see
  *    [[io.github.pysparklance.storage.spi.ManifestStore]];
  *  - [[LockedCommits]]: the holder of a lock commits, see
  *    [[io.github.pysparklance.storage.spi.CommitLock]].
  *
  * Failures of the storage throw `java.io.IOException`.
  *
  * Source: format page of the table, "Publishing per storage" and "Finding versions".
  */
private[table] trait CommitHandler {

  /** Returns the latest version, or `None` if the table does not exist. */
  def latest(): Option[ManifestLocation]

  /** Returns the manifest of a version, including detached ones, or `None` if it does not exist. */
  def find(version: Long): Option[ManifestLocation]

  /** Returns all versions except detached ones, ascending. Empty if the table does not exist. */
  final def list(): IndexedSeq[ManifestLocation] = listAll().dropWhile(_.version < 0)

  /** Returns all versions, ascending. Detached ones, which have negative numbers, are the first. */
  def listAll(): IndexedSeq[ManifestLocation]

  /** Returns the versions after this one, ascending. */
  def since(version: Long): IndexedSeq[ManifestLocation]

  /** Publishes a manifest as its version unless that exists. Of concurrent callers exactly one gets
    * true. Readers never see a partial manifest. After an error the manifest may exist or not; use
    * [[find]] to check.
    *
    * @return false if the version exists; nothing remains of this manifest
    * @throws NotPublishedException if it failed and will not appear later
    */
  def publish(target: ManifestLocation, bytes: Array[Byte]): Boolean

  /** Whether a version that [[find]] does not return after a failed [[publish]] cannot appear
    * later.
    */
  def absenceIsFinal: Boolean

  /** Whether [[publish]] never replaces a manifest, even if a failed request takes effect later. */
  def isConditional: Boolean = true

  /** Removes the manifest of a version. The caller ensures that it is not needed. */
  def remove(location: ManifestLocation): Unit

  /** Like [[remove]], for many versions, with batch requests if the storage supports them. A
    * failure may leave later manifests in place.
    */
  def removeAll(locations: IndexedSeq[ManifestLocation]): Unit

  /** Removes records of the versions outside the storage, before the table is removed. */
  def forget(): Unit
}

/** The manifest was certainly not published. */
final private[table] class NotPublishedException(cause: IOException)
    extends IOException(cause.getMessage, cause)

private[table] object CommitHandler {

  /** Returns the handler of a table or branch.
    *
    * @param root folder of the table or branch
    */
  def apply(store: FileStore, root: TablePath): CommitHandler = {
    val byStorage = new StorageCommits(store, root)
    store
      .manifestIndex(root.root)
      .map(new ExternalCommits(store, root, byStorage, _))
      .orElse(store.commitLock(root.root).map(new LockedCommits(store, root, byStorage, _)))
      .getOrElse(byStorage)
  }
}
