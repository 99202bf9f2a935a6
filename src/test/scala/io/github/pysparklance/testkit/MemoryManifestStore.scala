// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import io.github.pysparklance.storage.spi.{
  FileStore,
  ForwardingFileStore,
  ManifestIndex,
  ManifestRow,
  ManifestStore,
  TablePath
}

/** A manifest store in the memory of this process. */
final class MemoryManifestStore extends ManifestStore {
  private val rows = new ConcurrentHashMap[(String, Long), ManifestRow]

  /** All rows of a table by version. */
  def all(base: String): Map[Long, ManifestRow] =
    rows.asScala.collect { case ((`base`, version), row) => version -> row }.toMap

  /** Adds or replaces a row unconditionally. */
  def set(base: String, row: ManifestRow): Unit = rows.put(base -> row.version, row): Unit

  def get(base: String, version: Long): Option[ManifestRow] = Option(rows.get(base -> version))

  def latest(base: String): Option[ManifestRow] =
    all(base).values.filter(_.version >= 0).toSeq.sortBy(_.version).lastOption

  def putIfAbsent(base: String, row: ManifestRow): Boolean =
    rows.putIfAbsent(base -> row.version, row) == null

  def putIfPresent(base: String, row: ManifestRow): Boolean =
    rows.replace(base -> row.version, row) != null

  def remove(base: String, version: Long): Unit = rows.remove(base -> version): Unit

  def removeAll(base: String): Unit = rows.keySet.removeIf(_._1 == base): Unit
}

/** A storage whose commits use a manifest store. */
final class IndexedStorage(inner: FileStore, manifests: ManifestStore)
    extends ForwardingFileStore(inner) {

  override def manifestIndex(root: String): Option[ManifestIndex] =
    Some(ManifestIndex(manifests, IndexedStorage.base(root)))

  override def createIfAbsent(path: String, bytes: Array[Byte]): Boolean =
    if (path.endsWith(".manifest")) throw new AssertionError(s"$path: the storage must not decide")
    else inner.createIfAbsent(path, bytes)
}

object IndexedStorage {

  /** Key of the rows of a table. */
  def base(root: String): String =
    TablePath.localName(root).split('/').filter(_.nonEmpty).mkString("/")
}
