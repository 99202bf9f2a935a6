// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.IOException

import io.github.pysparklance.core.Log
import io.github.pysparklance.storage.spi.{CommitLock, FileStore, TablePath}

/** Commits under a lock, for storage without an atomic create.
  *
  * {{{
  *   lock  ->  is the version there?  ->  write the manifest  ->  release
  * }}}
  * Source: format page of the table, "Publishing per storage".
  */
final private class LockedCommits(
    store: FileStore,
    root: TablePath,
    byStorage: StorageCommits,
    lock: CommitLock
) extends CommitHandler {

  def latest(): Option[ManifestLocation] = byStorage.latest()

  def find(version: Long): Option[ManifestLocation] = byStorage.find(version)

  def listAll(): IndexedSeq[ManifestLocation] = byStorage.listAll()

  def since(version: Long): IndexedSeq[ManifestLocation] = byStorage.since(version)

  def publish(target: ManifestLocation, bytes: Array[Byte]): Boolean = {
    val lease = lock.acquire(root.root, target.version)
    var committed = false
    var finished = false
    try {
      if (byStorage.find(target.version).isEmpty) {
        store.replace(target.path, bytes)
        committed = true
      }
      finished = true
    } finally
      // An error of the commit takes precedence over an error of the release.
      try lease.release(committed)
      catch {
        case e: IOException =>
          if (finished) throw e
          LockedCommits.log.warn(s"${root.root}: the lock was not released", e)
      }
    committed
  }

  def absenceIsFinal: Boolean = true

  /** An unconfirmed write may take effect later and replace the manifest of a later lock holder. */
  override def isConditional: Boolean = false

  def remove(location: ManifestLocation): Unit = byStorage.remove(location)

  def removeAll(locations: IndexedSeq[ManifestLocation]): Unit = byStorage.removeAll(locations)

  def forget(): Unit = ()
}

private object LockedCommits {
  private val log = Log(classOf[LockedCommits])
}
