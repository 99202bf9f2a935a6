// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import java.time.Duration
import java.util.{Collections, LinkedHashMap, Map => JavaMap}

/** Caches the sizes of folders with side files, so that planning does not list them for each query.
  * Files of a version never change, but a table can be replaced by a copy of another one. So an
  * entry is valid for a data file of a certain size, and for five minutes.
  *
  * @param nanoTime the clock
  */
final private[table] class FolderSizes(nanoTime: () => Long = () => System.nanoTime()) {
  import FolderSizes._

  private val known: JavaMap[Key, Entry] =
    Collections.synchronizedMap(new LinkedHashMap[Key, Entry](16, 0.75f, true) {
      override def removeEldestEntry(e: JavaMap.Entry[Key, Entry]): Boolean = size > maxEntries
    })

  /** Returns the bytes of a folder, at most five minutes old.
    *
    * @param dataFileBytes size of the data file that the folder belongs to
    * @param list computes the bytes
    */
  def apply(folder: String, dataFileBytes: Long)(list: => Long): Long = {
    val key = Key(folder, dataFileBytes)
    Option(known.get(key)).filter(nanoTime() - _.foundAt < lifetimeNanos).fold {
      val bytes = list
      known.put(key, Entry(bytes, nanoTime())): Unit
      bytes
    }(_.bytes)
  }
}

private[table] object FolderSizes {
  private val maxEntries = 20000
  private val lifetimeNanos = Duration.ofMinutes(5).toNanos

  final private case class Key(folder: String, dataFileBytes: Long)

  final private case class Entry(bytes: Long, foundAt: Long)

  /** The cache of this process. */
  val shared: FolderSizes = new FolderSizes
}
