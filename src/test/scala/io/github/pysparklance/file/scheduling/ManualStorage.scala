// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import scala.collection.mutable

import io.github.pysparklance.core.ByteRange
import io.github.pysparklance.storage.requests.{Background, Pending, StorageProfile}
import io.github.pysparklance.storage.spi.RangeReader

/** A file that records its requests, and completes them when a test calls [[complete]]. */
final private[scheduling] class ManualStorage(isRemote: Boolean, size: Long = 1L << 40) {
  private val jobs = mutable.ArrayBuffer.empty[Job[_]]
  private val log = mutable.ArrayBuffer.empty[ByteRange]

  final private class Job[A](work: () => A) extends Pending[A] {
    private var outcome = Option.empty[A]
    def isDone: Boolean = outcome.isDefined
    def await(): A = {
      if (outcome.isEmpty) outcome = Some(work())
      outcome.get
    }
    def cancel(): Unit = ()
  }

  private val threads = new Background {
    def start[A](work: () => A): Pending[A] = {
      val job = new Job(work)
      jobs += job
      job
    }
  }

  private val profile =
    (if (isRemote) StorageProfile.remote else StorageProfile.local)
      .copy(reads = threads, opens = threads)

  val reader: RangeReader = new RangeReader("file", size) {
    def maxGapBytes: Int = 0
    override def profile: StorageProfile = ManualStorage.this.profile
    protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit =
      log += ByteRange(offset, length.toLong)
    def close(): Unit = ()
  }

  /** Number of requests that are not completed. */
  def inFlight: Int = jobs.count(!_.isDone)

  /** Completes all requests in flight, in the order in which they were made. Returns the ranges
    * that were read since the last call.
    */
  def complete(): Seq[ByteRange] = {
    jobs.foreach(_.await())
    jobs.clear()
    val ranges = log.toList
    log.clear()
    ranges
  }
}
