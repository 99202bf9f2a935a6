// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import java.util.concurrent.{
  ExecutionException,
  FutureTask,
  LinkedBlockingQueue,
  ThreadFactory,
  ThreadPoolExecutor,
  TimeUnit
}

import scala.collection.mutable

import io.github.pysparklance.core.{Buffer, ByteRange}
import io.github.pysparklance.storage.spi.{RangeCoalescing, RangeReader}

/** Reads ranges of one file in the background. Requests gather until [[submit]], which sorts them, merges near ones
  * and hands them to the threads that all readers of the process share. Who awaits a range that no thread has begun
  * to read reads it itself. Used by one thread.
  *
  * @param maxGapBytes gaps up to this between wanted ranges are read along
  */
final private[pysparklance] class ReadAhead(reader: RangeReader, maxGapBytes: Long)
    extends AutoCloseable {

  def this(reader: RangeReader) = this(reader, reader.maxGapBytes.toLong)

  private val gathered = mutable.ArrayBuffer.empty[RangeRequest]
  private var pages = 0L
  private val running = mutable.ArrayBuffer.empty[FutureTask[Buffer]]

  /** Asks for a range; nothing is read before [[submit]]. */
  def request(range: ByteRange): RangeRequest = {
    val r = new RangeRequest(range)
    if (range.length > 0) gathered += r
    r
  }

  /** Notes that a page is begun. */
  def beginPage(): Unit = pages += 1

  /** Pages begun. */
  def numPages: Long = pages

  /** Starts to read all that was asked for. */
  def submit(): Unit = if (gathered.nonEmpty) {
    running.filterInPlace(!_.isDone)
    val ranges = gathered.iterator.map(_.range).toIndexedSeq
    RangeCoalescing.plan(ranges, maxGapBytes).foreach { read =>
      val task = new FutureTask[Buffer](() => reader.read(read.range))
      read.members.foreach(i => gathered(i).assign(task, read.range.offset))
      running += task
      ReadAhead.threads.execute(task)
    }
    gathered.clear()
  }

  /** Gives up what is not read yet. Reads under way end by themselves; their threads are not interrupted, which would
    * close the file for everybody.
    */
  def close(): Unit = {
    gathered.clear()
    running.foreach(_.cancel(false))
    running.clear()
  }
}

/** A range that was asked for. */
final private[pysparklance] class RangeRequest(val range: ByteRange) {
  private var task: FutureTask[Buffer] = null
  private var taskOffset = 0L

  private[spi] def assign(task: FutureTask[Buffer], offset: Long): Unit = {
    this.task = task
    taskOffset = offset
  }

  /** Whether [[await]] may be called. */
  def isSubmitted: Boolean = range.length == 0 || task != null

  /** Whether [[await]] answers at once. */
  def isDone: Boolean = range.length == 0 || (task != null && task.isDone)

  /** The bytes, which were submitted before. What went wrong with reading them is raised here. */
  def await(): Buffer =
    if (range.length == 0) Buffer.empty
    else {
      task.run() // does nothing when a thread has begun already
      val bytes =
        try task.get()
        catch { case e: ExecutionException => throw e.getCause }
      bytes.slice(range.offset - taskOffset, range.length)
    }
}

private[file] object ReadAhead {

  /** Shared by all readers. They only wait for storage, so there are more of them than processors. */
  lazy val threads: ThreadPoolExecutor = {
    val n = math.max(16, 2 * Runtime.getRuntime.availableProcessors)
    val factory: ThreadFactory = { task =>
      val t = new Thread(task, "lance-read-ahead")
      t.setDaemon(true)
      t
    }
    val pool =
      new ThreadPoolExecutor(
        n,
        n,
        30L,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue[Runnable],
        factory
      )
    pool.allowCoreThreadTimeOut(true)
    pool
  }
}
