// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.util.LinkedHashMap

import io.github.pysparklance.index.spi.ScalarSegment

/** Open index segments of this process, by the folder of their files, which never change. Least recently used segments
  * go first. Safe for use from many threads.
  *
  * @param maxBytes of all segments together
  */
final class IndexCache(maxBytes: Long) {
  private val segments = new LinkedHashMap[String, ScalarSegment](16, 0.75f, true)
  private var bytes = 0L

  /** The segment in a folder. It is opened when it is not kept, by several threads at a time perhaps. */
  def get(folder: String)(open: => ScalarSegment): ScalarSegment =
    synchronized(Option(segments.get(folder))).getOrElse {
      val opened = open
      synchronized {
        val before = segments.put(folder, opened)
        bytes += opened.sizeInBytes - (if (before == null) 0L else before.sizeInBytes)
        val eldest = segments.entrySet.iterator
        while (bytes > maxBytes && eldest.hasNext) {
          bytes -= eldest.next().getValue.sizeInBytes
          eldest.remove()
        }
      }
      opened
    }

  /** How many segments are kept. */
  def size: Int = synchronized(segments.size)
}

object IndexCache {

  /** That of this process: a sixteenth of the heap at most. */
  lazy val shared: IndexCache = new IndexCache(Runtime.getRuntime.maxMemory / 16)
}
