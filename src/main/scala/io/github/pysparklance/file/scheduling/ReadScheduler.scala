// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import java.util.concurrent.atomic.AtomicLong

import io.github.pysparklance.storage.requests.StorageProfile

/** Schedules the reads of one task within its budget, and registers the bytes they hold with the
  * memory of the task.
  *
  * {{{
  *   ReadScheduler      a task       memory; FragmentSchedule: when the next fragments are opened
  *     ReadShare        a fragment   its files that are read together; OpenSchedule: which are opened concurrently
  *       FileReads      a file       requests: merged, split, cached
  *         ColumnSchedule            which column requests bytes next, and how far ahead
  *         RoundSchedule             the same for a column of a file of version 2.0
  *         WindowSchedule            the same for a file of version 0.1
  *           ColumnBytes             the bytes that a column holds
  *     ObjectReads      a fragment   blobs, which are in many objects
  * }}}
  * Readers declare ranges and receive bytes. This package makes all decisions about requests, based
  * on the [[StorageProfile]] of the files.
  *
  * If the task gets no more memory, read-ahead stops until memory is available. Readers get only
  * the bytes of the next batch.
  *
  * @param memory reserves and releases memory, on the thread that calls [[hold]]
  */
final class ReadScheduler(val budget: ReadBudget, memory: TaskMemory = TaskMemory.unlimited)
    extends AutoCloseable {
  import ReadScheduler._

  private val heldBytes = new AtomicLong
  private var reservedBytes = 0L
  private var batchesUntilRetry = 0
  @volatile private var isShort = false
  @volatile private var isClosed = false

  /** Whether bytes may be requested before they are needed. */
  def readsAhead: Boolean = !isShort

  /** Number of bytes that are requested and not decoded yet. */
  def numBytes: Long = heldBytes.get

  /** Starts the reads of a fragment, or of a part of one. */
  def share(): ReadShare = new ReadShare(this)

  /** Starts the reads of the fragments of the task, one after the other. */
  def fragments(profile: StorageProfile): FragmentSchedule = new FragmentSchedule(this, profile)

  /** Creates the schedule for opening the files of a fragment.
    *
    * @param isConcurrent whether several threads can read the files at a time
    */
  private[pysparklance] def opens(profile: StorageProfile, isConcurrent: Boolean): OpenSchedule =
    new OpenSchedule(this, profile, isConcurrent)

  private[scheduling] def add(bytes: Long): Unit = heldBytes.addAndGet(bytes): Unit

  /** Adjusts the reservation to the bytes that are held. Called for each batch.
    *
    * @param decodedBytes size of the decoded batch
    */
  def hold(decodedBytes: Long): Unit = {
    val wanted = (numBytes + decodedBytes + stepBytes - 1) / stepBytes * stepBytes
    if (wanted > reservedBytes) grow(wanted)
    else {
      isShort = false
      if (wanted + slackBytes <= reservedBytes) {
        memory.release(reservedBytes - wanted)
        reservedBytes = wanted
      }
    }
  }

  /** Reserves more memory. A denied reservation makes Spark spill the memory of other consumers, so
    * it is not retried for some batches.
    */
  private def grow(wanted: Long): Unit = if (batchesUntilRetry > 0) batchesUntilRetry -= 1
  else {
    val granted = memory.acquire(wanted - reservedBytes)
    // The task can end while another thread, such as a Python function's, reads for it.
    if (isClosed) memory.release(granted)
    else reservedBytes += granted
    isShort = reservedBytes < wanted
    if (isShort) batchesUntilRetry = retryBatches
  }

  /** Releases all memory. Nothing is reserved afterwards. */
  def close(): Unit = {
    isClosed = true
    memory.release(reservedBytes)
    reservedBytes = 0L
  }
}

object ReadScheduler {

  /** Unit of reservations. */
  private val stepBytes = 1L << 20

  /** Unused bytes that stay reserved, so that not every batch changes the reservation. */
  private val slackBytes = 4L << 20

  /** Number of batches between a denied reservation and the next attempt. */
  private val retryBatches = 64
}
