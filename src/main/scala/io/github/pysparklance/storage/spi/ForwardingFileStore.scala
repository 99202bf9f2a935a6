// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import io.github.pysparklance.storage.requests.StorageProfile

/** A store that runs every operation on another store, which may change over time. */
abstract class DelegatingFileStore extends FileStore {

  /** Runs an operation on the current store. */
  protected def using[A](run: FileStore => A): A

  def open(path: String): RangeReader = using(_.open(path))
  def open(path: String, sizeBytes: Long): RangeReader = using(_.open(path, sizeBytes))
  override def profile(path: String): StorageProfile = using(_.profile(path))
  def create(path: String): OutputFile = using(_.create(path))
  def createIfAbsent(path: String, bytes: Array[Byte]): Boolean =
    using(_.createIfAbsent(path, bytes))
  def replace(path: String, bytes: Array[Byte]): Unit = using(_.replace(path, bytes))
  override def replaceUnsynced(path: String, bytes: Array[Byte]): Unit =
    using(_.replaceUnsynced(path, bytes))
  def copy(from: String, to: String): Unit = using(_.copy(from, to))
  def list(folder: String): IndexedSeq[FileEntry] = using(_.list(folder))
  override def listNames(folder: String): IndexedSeq[String] = using(_.listNames(folder))
  override def listing(folder: String): Listing = using(_.listing(folder))
  override def listInOrder(folder: String): Iterator[FileEntry] = using(_.listInOrder(folder))
  override def listFiles(folder: String): Iterator[FoundFile] = using(_.listFiles(folder))
  override def qualify(path: String): String = using(_.qualify(path))
  override def canonical(path: String): String = using(_.canonical(path))
  override def isLink(path: String): Boolean = using(_.isLink(path))
  def status(path: String): Option[FileEntry] = using(_.status(path))
  def delete(path: String): Boolean = using(_.delete(path))
  override def deleteAll(paths: Seq[String]): Unit = using(_.deleteAll(paths))
  def deleteFolder(path: String): Boolean = using(_.deleteFolder(path))
  override def deleteEmptyFolder(path: String): Boolean = using(_.deleteEmptyFolder(path))
  override def renameFolder(from: String, to: String): Boolean = using(_.renameFolder(from, to))
  override def manifestIndex(root: String): Option[ManifestIndex] = using(_.manifestIndex(root))
  override def commitLock(root: String): Option[CommitLock] = using(_.commitLock(root))
}

/** A store that delegates to another one. Subclasses override the operations that they count,
  * meter, or break.
  *
  * @param inner the store to delegate to
  */
abstract class ForwardingFileStore(inner: FileStore) extends DelegatingFileStore {
  final protected def using[A](run: FileStore => A): A = run(inner)
}
