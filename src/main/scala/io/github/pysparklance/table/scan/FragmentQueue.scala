// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import scala.collection.mutable

import io.github.pysparklance.core.Optional
import io.github.pysparklance.file.spi.ReadBudget
import io.github.pysparklance.storage.spi.{FileStore, Opening, ReadPace}

/** Opens the fragments of a task one after the other. Where storage is far, those that come next are opened before they
  * are wanted and their first bytes are on their way: many small ones, or one large one when the end of the one being
  * read is near. Used by one thread.
  *
  * @param scans what is read, in this order
  * @param leafIds ids of the leaves that are read
  * @param open opens one; other threads do it, several at a time
  */
final class FragmentQueue[A <: FragmentQueue.Member](
    store: FileStore,
    scans: IndexedSeq[FragmentScan],
    leafIds: Set[Int],
    budget: ReadBudget,
    open: FragmentScan => A
) extends AutoCloseable {
  import FragmentQueue._

  final private class Ahead(val opening: Opening[A], val scan: FragmentScan, var bytes: Long)

  // A table may lie in several storages; the first one is asked.
  private lazy val pace =
    scans.iterator.flatMap(_.paths).find(_ => true).fold(ReadPace.local)(store.pace)
  private val ahead = mutable.Queue.empty[Ahead]
  private var numStarted = 0
  private var bytesAhead = 0L

  /** Bytes of a row of the fragment being read, about, and what is left of it. */
  private var rowBytes = 0.0
  private var bytesLeft = 0.0

  /** Opens the next fragment; none at the end. The caller closes it. */
  def next(): Option[A] =
    if (ahead.nonEmpty) {
      val first = ahead.front
      bytesAhead -= first.bytes
      first.bytes = 0L
      begin(first.scan)
      startMore()
      // It stays in the queue, to be closed with it, until it is there.
      val opened = first.opening.await()
      ahead.dequeue(): Unit
      Some(opened)
    } else if (numStarted < scans.length) {
      val scan = scans(numStarted)
      numStarted += 1
      begin(scan)
      startMore()
      Some(open(scan))
    } else None

  private def begin(scan: FragmentScan): Unit = {
    val bytes = wantedBytes(scan, leafIds).getOrElse(0L)
    bytesLeft = bytes.toDouble
    rowBytes = bytesLeft / math.max(1L, wantedRows(scan))
  }

  /** Notes that rows of the fragment being read are done. */
  def pass(numRows: Long): Unit = if (numStarted < scans.length || ahead.nonEmpty) {
    bytesLeft -= numRows * rowBytes
    startMore()
    topUp()
  }

  /** When all of the fragment being read is asked for, the next one takes its place. */
  private def topUp(): Unit = if (ahead.nonEmpty && bytesLeft < budget.bytesAhead) {
    val room = budget.bytesAhead - math.max(0L, bytesLeft.toLong)
    val first = ahead.front
    // By large requests rather than by many small ones.
    if (room > first.bytes + budget.bytesOfNextFiles / 2)
      first.opening.peek.foreach { next =>
        next.prefetch(room, isWaiting = false)
        bytesAhead += room - first.bytes
        first.bytes = room
      }
  }

  private def startMore(): Unit =
    while (numStarted < scans.length && hasRoom) {
      val scan = scans(numStarted)
      val room = budget.bytesOfNextFiles - bytesAhead
      val bytes = wantedBytes(scan, leafIds).fold(room)(b => math.min(room, b + slackBytes))
      ahead.enqueue(new Ahead(new Opening(pace.opens, () => opened(scan, bytes)), scan, bytes))
      numStarted += 1
      bytesAhead += bytes
    }

  private def opened(scan: FragmentScan, bytes: Long): A = {
    val member = open(scan)
    try member.prefetch(bytes, isWaiting = true)
    catch {
      case e: Exception =>
        member.close()
        throw e
    }
    member
  }

  private def hasRoom: Boolean =
    bytesLeft <= leadWindows * budget.bytesAhead && bytesAhead < budget.bytesOfNextFiles &&
      ahead.length < pace.filesAhead

  /** Gives up what was opened ahead. */
  def close(): Unit = FragmentFiles.closeAll(ahead.map(_.opening))
}

object FragmentQueue {

  /** A fragment being read. */
  trait Member extends AutoCloseable {

    /** Asks for the bytes of the first rows, see [[RowBatches.prefetch]]. */
    def prefetch(maxBytes: Long, isWaiting: Boolean): Unit
  }

  /** How often as many bytes as a file asks for ahead are still to come of it when the next one is opened. Tail, heads and
    * rows of that one queue up behind them, one after the other.
    */
  private val leadWindows = 4

  /** What the beginning of any file may take beside the bytes that are wanted of it. */
  private val slackBytes = 64L << 10

  /** Bytes that few rows of a leaf take, as they come in chunks. */
  private val chunkBytes = 8L << 10

  private def wantedRows(scan: FragmentScan): Long =
    scan.selection.fold(scan.rows.numRows)(_.numRows)

  /** Bytes that are read of a fragment, about; none when the manifest does not say how large its files are. */
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
