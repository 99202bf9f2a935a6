// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.util.ArrayDeque
import java.util.concurrent.{CancellationException, ExecutionException, FutureTask}

import io.github.pysparklance.encoding.spi.EncodedPage

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
    writeWhile(waiting.peek.isDone)
    threads.claim()
  }

  /** Makes pages on another thread.
    *
    * @param numBytes of the values
    * @param write puts the pages into the file
    * @return to be awaited before the encoder of these pages is used again
    */
  def encodeLater(numBytes: Long, encode: () => Pages)(write: Pages => Unit): Encoding = {
    val next = new Waiting(threads.start(encode), numBytes, write)
    waiting.add(next)
    waitingBytes += numBytes
    writeWhile(waitingBytes > maxBytes)
    next
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
      next.write(next.pages())
    }

  /** Gives up what is not written. */
  def close(): Unit = if (open) {
    open = false
    waiting.forEach(_.cancel())
    waiting.clear()
    waitingBytes = 0
    threads.leave()
  }
}

private object PageQueue {
  type Pages = IndexedSeq[EncodedPage]

  /** Pages in the making. */
  sealed trait Encoding {

    /** Waits until they are made, or cannot be. */
    def await(): Unit
  }

  final private class Waiting(task: FutureTask[Pages], val numBytes: Long, val write: Pages => Unit)
      extends Encoding {
    def isDone: Boolean = task.isDone

    def cancel(): Unit = task.cancel(false): Unit

    /** What went wrong is raised here. */
    def pages(): Pages = {
      task.run() // does nothing when a thread has begun already
      try task.get()
      catch { case e: ExecutionException => throw e.getCause }
    }

    def await(): Unit =
      try pages(): Unit
      catch { case _: CancellationException => () }
  }
}
