// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.util.ArrayDeque

import io.github.pysparklance.encoding.spi.EncodedPage
import io.github.pysparklance.storage.requests.Pending

/** A queue of the pages of a file before they are written. Pages are encoded in the background
  * while a processor is idle, otherwise by the caller. They are written in queue order, so the file
  * is the same in both cases. Not thread-safe.
  *
  * @param maxBytes approximate limit for the values of pages that are not written yet
  */
final private class PageQueue(threads: EncodingThreads, maxBytes: Long) extends AutoCloseable {
  import PageQueue._

  private val waiting = new ArrayDeque[Waiting]
  private var waitingBytes = 0L
  private var open = true
  threads.enter()

  /** Bytes of the values whose pages are not written yet. */
  def numBytes: Long = waitingBytes

  /** Whether the next pages can be encoded in the background. If so, the caller must call
    * [[encodeLater]].
    */
  def claim(): Boolean = {
    writeWhile(waiting.peek.pages.isDone)
    threads.claim()
  }

  /** Returns a claim without a call of [[encodeLater]]. */
  def release(): Unit = threads.release()

  /** Encodes pages in the background.
    *
    * @param numBytes size of the values
    * @param write writes the pages to the file
    * @return must be awaited before the encoder is used again
    */
  def encodeLater(numBytes: Long, encode: () => Pages)(write: Pages => Unit): Pending[Pages] = {
    val pages = threads.start(encode)
    waiting.add(new Waiting(pages, numBytes, write))
    waitingBytes += numBytes
    writeWhile(waitingBytes > maxBytes)
    pages
  }

  /** Encodes pages on this thread. */
  def encodeNow(encode: => Pages)(write: Pages => Unit): Unit = {
    val pages = encode
    drain()
    write(pages)
  }

  /** Writes all pages in the queue. */
  def drain(): Unit = writeWhile(true)

  private def writeWhile(condition: => Boolean): Unit =
    while (!waiting.isEmpty && condition) {
      val next = waiting.poll()
      waitingBytes -= next.numBytes
      next.write(next.pages.await())
    }

  /** Discards unwritten pages. */
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

  /** Pages that are being encoded. */
  final private class Waiting(
      val pages: Pending[Pages],
      val numBytes: Long,
      val write: Pages => Unit
  )
}
