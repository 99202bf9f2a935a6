// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.IOException

import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** Who decides which manifest becomes a version of a table or branch, and knows where the manifests are. All writers of a
  * table must use the same kind.
  *
  *   - [[StorageCommits]]: the storage itself, which creates a file if it is absent;
  *   - [[ExternalCommits]]: a database, see [[io.github.pysparklance.storage.spi.ManifestStore]];
  *   - [[LockedCommits]]: whoever holds a lock, see [[io.github.pysparklance.storage.spi.CommitLock]].
  *
  * Trouble of the storage raises `java.io.IOException`.
  *
  * Source: format page of the table, "Publishing per storage" and "Finding versions".
  */
private[table] trait CommitHandler {

  /** The newest version; none when there is no table. */
  def latest(): Option[ManifestLocation]

  /** The manifest of a version, detached ones included; none when there is no such version. */
  def find(version: Long): Option[ManifestLocation]

  /** All versions in ascending order, detached ones left out; empty when there is no table. */
  def list(): IndexedSeq[ManifestLocation]

  /** The versions after this one, in ascending order. */
  def since(version: Long): IndexedSeq[ManifestLocation]

  /** Makes a manifest the one of its version, unless there is one. Of any number of concurrent callers one gets true,
    * and no reader ever sees a part of it. After an error it may be there or not: [[find]] tells.
    *
    * @return false when somebody else's manifest is there; nothing of this one is left
    * @throws NotPublishedException when it failed and will not appear later
    */
  def publish(target: ManifestLocation, bytes: Array[Byte]): Boolean

  /** Whether a version that [[find]] does not find after a failed [[publish]] will not appear later either. */
  def absenceIsFinal: Boolean

  /** Whether [[publish]] never replaces a manifest, even if its request takes effect after it failed. */
  def isConditional: Boolean = true

  /** Removes the manifest of a version. Whether nobody needs it any more is the caller's to know. */
  def remove(location: ManifestLocation): Unit

  /** Forgets what is known about the versions outside the storage, because the table is about to be removed. */
  def forget(): Unit
}

/** A manifest that was certainly not published. */
final private[table] class NotPublishedException(cause: IOException)
    extends IOException(cause.getMessage, cause)

private[table] object CommitHandler {

  /** The one of a table or branch.
    *
    * @param root its folder
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
