// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.util.concurrent.ConcurrentHashMap

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.{FileEntry, FileStore, ForwardingFileStore, FoundFile}

/** Storage whose listings are stale: a new file is missing from the next listings of its folder. It
  * can be opened at once.
  *
  * @param lag number of listings that miss a file
  */
final class StaleStorage(lag: Int, inner: FileStore = Storage.local)
    extends ForwardingFileStore(inner) {
  private val left = new ConcurrentHashMap[String, Integer]

  override def createIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
    val isNew = inner.createIfAbsent(path, bytes)
    if (isNew) left.put(path, lag)
    isNew
  }

  /** Whether a listing misses the file. */
  private def isMissing(path: String): Boolean = {
    var missing = false
    left.computeIfPresent(
      path,
      (_, n) => {
        missing = n > 0
        if (n > 1) n - 1 else null
      }
    )
    missing
  }

  override def list(folder: String): IndexedSeq[FileEntry] =
    inner.list(folder).filterNot(e => isMissing(s"$folder/${e.name}"))

  override def listNames(folder: String): IndexedSeq[String] =
    inner.listNames(folder).filterNot(n => isMissing(s"$folder/$n"))

  override def listInOrder(folder: String): Iterator[FileEntry] =
    inner.listInOrder(folder).filterNot(e => isMissing(s"$folder/${e.name}"))

  override def listFiles(folder: String): Iterator[FoundFile] =
    inner.listFiles(folder).filterNot(f => isMissing(s"$folder/${f.relativePath}"))
}
