// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.util.ArrayDeque

import io.github.pysparklance.encoding.spi.EncodedPage
import io.github.pysparklance.storage.requests.Pending

/** The pages of one file on their way into it: encoded in the background while a processor is idle, else at once, and
  * written in the order in which they came, so that the file is the same in either case. Used by one thread.
  *
  * @param maxBytes of values whose pages are not written yet, about
  */
final private class PageQueue(threads: EncodingThreads, maxBytes: Long) extends AutoCloseable {
  import PageQueue._

  private val waiting = new ArrayDeque[Waiting]
  private var waitingBytes = 0L
  private var open = true
  threads.enter()

  /** Bytes of the values whose pages are not written yet. */
  def numBytes: Long = waitingBytes

  /** Whether the next pages can be made in the background, by [[encodeLater]], which is called then. */
  def claim(): Boolean = {
    writeWhile(waiting.peek.pages.isDone)
    threads.claim()
  }

  /** Makes pages on another thread.
    *
    * @param numBytes of the values
    * @param write puts the pages into the file
    * @return to be awaited before the encoder of these pages is used again
    */
  def encodeLater(numBytes: Long, encode: () => Pages)(write: Pages => Unit): Pending[Pages] = {
    val pages = threads.start(encode)
    waiting.add(new Waiting(pages, numBytes, write))
    waitingBytes += numBytes
    writeWhile(waitingBytes > maxBytes)
    pages
  }

  /** Makes pages on this thread. */
  def encodeNow(encode: => Pages)(write: Pages => Unit): Unit = {
    val pages = encode
    drain()
    write(pages)
  }

  /** Writes all pages there are. */
  def drain(): Unit = writeWhile(true)

  private def writeWhile(condition: => Boolean): Unit =
    while (!waiting.isEmpty && condition) {
      val next = waiting.poll()
      waitingBytes -= next.numBytes
      next.write(next.pages.await())
    }

  /** Gives up what is not written. */
  def close(): Unit = if (open) {
    open = false
    waiting.forEach(_.pages.cancel())
    waiting.clear()
    waitingBytes = 0
    threads.leave()
  }
}

private object PageQueue {
  type Pages = IndexedSeq[EncodedPage]

  /** Pages in the making. */
  final private class Waiting(
      val pages: Pending[Pages],
      val numBytes: Long,
      val write: Pages => Unit
  )
}
