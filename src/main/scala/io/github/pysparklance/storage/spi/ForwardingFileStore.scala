// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import io.github.pysparklance.storage.requests.StorageProfile

/** A store that delegates to another one. Subclasses override the operations that they count,
  * meter, or break.
  *
  * @param inner the store to delegate to
  */
abstract class ForwardingFileStore(inner: FileStore) extends FileStore {
  def open(path: String): RangeReader = inner.open(path)
  def open(path: String, sizeBytes: Long): RangeReader = inner.open(path, sizeBytes)
  override def profile(path: String): StorageProfile = inner.profile(path)
  def create(path: String): OutputFile = inner.create(path)
  def createIfAbsent(path: String, bytes: Array[Byte]): Boolean = inner.createIfAbsent(path, bytes)
  def replace(path: String, bytes: Array[Byte]): Unit = inner.replace(path, bytes)
  override def replaceUnsynced(path: String, bytes: Array[Byte]): Unit =
    inner.replaceUnsynced(path, bytes)
  def copy(from: String, to: String): Unit = inner.copy(from, to)
  def list(folder: String): IndexedSeq[FileEntry] = inner.list(folder)
  override def listNames(folder: String): IndexedSeq[String] = inner.listNames(folder)
  override def listing(folder: String): Listing = inner.listing(folder)
  override def listInOrder(folder: String): Iterator[FileEntry] = inner.listInOrder(folder)
  override def listFiles(folder: String): Iterator[FoundFile] = inner.listFiles(folder)
  override def qualify(path: String): String = inner.qualify(path)
  def status(path: String): Option[FileEntry] = inner.status(path)
  def delete(path: String): Boolean = inner.delete(path)
  override def deleteAll(paths: Seq[String]): Unit = inner.deleteAll(paths)
  def deleteFolder(path: String): Boolean = inner.deleteFolder(path)
  override def renameFolder(from: String, to: String): Boolean = inner.renameFolder(from, to)
  override def manifestIndex(root: String): Option[ManifestIndex] = inner.manifestIndex(root)
  override def commitLock(root: String): Option[CommitLock] = inner.commitLock(root)
}
