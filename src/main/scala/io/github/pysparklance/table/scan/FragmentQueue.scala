// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import scala.collection.mutable

import io.github.pysparklance.core.Optional
import io.github.pysparklance.file.scheduling.{ReadBudget, ReadScheduler, ReadShare}
import io.github.pysparklance.storage.requests.{Opening, StorageProfile}
import io.github.pysparklance.storage.spi.FileStore

/** Opens the fragments of a task one after another, some before they are needed, as the scheduler
  * decides. Not thread-safe.
  *
  * @param scans the fragments to read, in this order
  * @param leafIds ids of the leaves to read
  * @param open opens a fragment; called by several threads
  */
final class FragmentQueue[A <: FragmentQueue.Member] private (
    store: FileStore,
    scans: IndexedSeq[FragmentScan],
    leafIds: Set[Int],
    scheduler: ReadScheduler,
    open: FragmentScan => A
) extends AutoCloseable {
  import FragmentQueue._

  /** Creates a queue for reads outside of a task. */
  def this(
      store: FileStore,
      scans: IndexedSeq[FragmentScan],
      leafIds: Set[Int],
      budget: ReadBudget,
      open: FragmentScan => A
  ) = this(store, scans, leafIds, new ReadScheduler(budget), open)

  final private class Ahead(val opening: Opening[A], val scan: FragmentScan, var bytes: Long)

  // A table can be in several storages; the first path determines the profile.
  private lazy val profile =
    scans.iterator.flatMap(_.paths).find(_ => true).fold(StorageProfile.local)(store.profile)
  private lazy val schedule = scheduler.fragments(profile)
  private val ahead = mutable.Queue.empty[Ahead]
  private var numStarted = 0

  /** Opens the next fragment, or returns `None` at the end. The caller must close it. */
  def next(): Option[A] =
    if (ahead.nonEmpty) {
      val first = ahead.front
      schedule.take(first.bytes)
      first.bytes = 0L
      begin(first.scan)
      openMore()
      // Until it is open, it stays in the queue, so that it is closed with the queue.
      val opened = first.opening.await()
      ahead.dequeue(): Unit
      Some(opened)
    } else if (numStarted < scans.length) {
      val scan = scans(numStarted)
      numStarted += 1
      begin(scan)
      openMore()
      Some(open(scan))
    } else None

  private def begin(scan: FragmentScan): Unit =
    schedule.begin(wantedBytes(scan, leafIds).getOrElse(0L), wantedRows(scan))

  /** Records that rows of the present fragment were decoded. */
  def pass(numRows: Long): Unit = if (numStarted < scans.length || ahead.nonEmpty) {
    schedule.pass(numRows)
    openMore()
    topUp()
  }

  private def topUp(): Unit = if (ahead.nonEmpty) {
    val first = ahead.front
    for (bytes <- schedule.topUp(first.bytes); next <- first.opening.peek) {
      next.start()
      next.share.readAhead(bytes, isWaiting = false)
      schedule.toppedUp(bytes, first.bytes)
      first.bytes = bytes
    }
  }

  private def openMore(): Unit =
    while (numStarted < scans.length && schedule.opensNext) {
      val scan = scans(numStarted)
      val bytes = schedule.open(wantedBytes(scan, leafIds))
      ahead.enqueue(new Ahead(new Opening(profile.opens, () => opened(scan, bytes)), scan, bytes))
      numStarted += 1
    }

  private def opened(scan: FragmentScan, bytes: Long): A = {
    val member = open(scan)
    try {
      member.start()
      member.share.readAhead(bytes, isWaiting = true)
    } catch {
      case e: Exception =>
        member.close()
        throw e
    }
    member
  }

  /** Closes the fragments that were opened ahead. */
  def close(): Unit = FragmentFiles.closeAll(ahead.map(_.opening))
}

object FragmentQueue {

  /** Creates the queue of a task.
    *
    * @param scheduler schedules the reads of the task
    */
  def of[A <: Member](
      store: FileStore,
      scans: IndexedSeq[FragmentScan],
      leafIds: Set[Int],
      scheduler: ReadScheduler
  )(open: FragmentScan => A): FragmentQueue[A] =
    new FragmentQueue(store, scans, leafIds, scheduler, open)

  /** A fragment being read. */
  trait Member extends AutoCloseable {

    /** The reads of the fragment. */
    def share: ReadShare

    /** Starts the first reads before the first batch is requested. Another call can change them if
      * more is known.
      */
    def start(): Unit
  }

  /** Bytes that a single row of a leaf takes, because leaves are read in chunks. */
  private val chunkBytes = 8L << 10

  private def wantedRows(scan: FragmentScan): Long =
    scan.selection.fold(scan.rows.numRows)(_.numRows)

  /** Estimates the bytes to read of a fragment. Returns `None` if the manifest lacks the sizes of
    * its files.
    */
  private def wantedBytes(scan: FragmentScan, leafIds: Set[Int]): Option[Long] = {
    val rows = scan.fragment.physicalRows.getOrElse(scan.rows.until)
    val files = scan.fragment.files.map(f => f -> f.fields.count(leafIds)).filter(_._2 > 0)
    Optional.when(files.forall(_._1.fileSizeBytes > 0)) {
      val all = files.map { case (f, n) => f.fileSizeBytes.toDouble * n / f.fields.length }.sum
      val share = all * wantedRows(scan) / math.max(1L, rows)
      val few = wantedRows(scan).toDouble * files.map(_._2).sum * chunkBytes
      (if (scan.selection.isEmpty) share else math.min(all, share + few)).toLong
    }
  }
}
