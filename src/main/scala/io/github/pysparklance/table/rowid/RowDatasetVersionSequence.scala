// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import scala.jdk.CollectionConverters._

import com.google.protobuf.InvalidProtocolBufferException

import io.github.pysparklance.core.{Checked, CorruptFileException, RowRange}
import io.github.pysparklance.table.proto

/** The table version that made, or last changed, each row of a fragment: runs of rows with one version.
  *
  * {{{
  *   span range 0 .. 3, version 1 | span bitmap 1011 of 4 .. 8, version 5      1 1 1 5 5 5
  * }}}
  * Of a span only the number of its integers counts. The writer makes plain ranges of row offsets.
  *
  * Source: message `RowDatasetVersionSequence`, rowids.proto; format page of the table, "Version sequences".
  *
  * @param ends row offset behind each run
  */
final class RowDatasetVersionSequence private (ends: Array[Long], versions: Array[Long]) {

  /** Number of rows. */
  def numRows: Long = if (ends.isEmpty) 0L else ends(ends.length - 1)

  /** Number of runs. */
  def numRuns: Int = ends.length

  /** The least and the greatest version; none without rows. */
  def bounds: Option[(Long, Long)] =
    if (versions.isEmpty) None else Some((versions.min, versions.max))

  /** The version of the row at an offset, which lies in the fragment. */
  def apply(offset: Long): Long = {
    checkInside(offset, 1)
    versions(runOf(offset))
  }

  /** Writes the versions of `rows`, which lie in the fragment, into `out` from `at`. */
  def fill(rows: RowRange, out: Array[Long], at: Int): Unit = {
    checkInside(rows.from, rows.numRows)
    var from = rows.from
    var run = if (rows.isEmpty) 0 else runOf(from)
    while (from < rows.until) {
      val until = math.min(rows.until, ends(run))
      java.util.Arrays.fill(
        out,
        at + (from - rows.from).toInt,
        at + (until - rows.from).toInt,
        versions(run)
      )
      from = until
      run += 1
    }
  }

  /** The message's bytes, as a manifest holds them. */
  def toBytes: Array[Byte] = {
    val m = proto.RowDatasetVersionSequence.newBuilder()
    versions.indices.foreach { i =>
      val start = if (i == 0) 0L else ends(i - 1)
      val span = RangeSegment(start, ends(i) - start).toMessage
      m.addRuns(proto.RowDatasetVersionRun.newBuilder().setSpan(span).setVersion(versions(i)))
    }
    m.build().toByteArray
  }

  private def checkInside(from: Long, numWanted: Long): Unit =
    if (from < 0 || numWanted > numRows - from)
      throw new IndexOutOfBoundsException(
        s"rows [$from, ${from + numWanted}) of a version sequence of $numRows"
      )

  /** The first run that ends behind a row. */
  private def runOf(offset: Long): Int = {
    var low = 0
    var high = ends.length - 1
    while (low < high) {
      val middle = (low + high) >>> 1
      if (ends(middle) > offset) high = middle else low = middle + 1
    }
    low
  }

  override def toString: String = s"RowDatasetVersionSequence($numRows rows, $numRuns runs)"
}

object RowDatasetVersionSequence {

  /** One version for all rows. */
  def uniform(version: Long, numRows: Long): RowDatasetVersionSequence =
    if (numRows == 0) new RowDatasetVersionSequence(Array.empty, Array.empty)
    else new RowDatasetVersionSequence(Array(numRows), Array(version))

  /** A version per row. */
  def of(rowVersions: Array[Long]): RowDatasetVersionSequence = {
    val ends = Array.newBuilder[Long]
    val versions = Array.newBuilder[Long]
    var i = 0
    while (i < rowVersions.length) {
      if (i + 1 == rowVersions.length || rowVersions(i + 1) != rowVersions(i)) {
        ends += i + 1L
        versions += rowVersions(i)
      }
      i += 1
    }
    new RowDatasetVersionSequence(ends.result(), versions.result())
  }

  /** Reads what [[RowDatasetVersionSequence.toBytes]] or another writer wrote.
    *
    * @param physicalRows rows of the fragment, where they are known
    * @throws CorruptFileException when the bytes are no sequence of that many versions
    */
  def parse(bytes: Array[Byte], physicalRows: Option[Long]): RowDatasetVersionSequence = {
    val message =
      try proto.RowDatasetVersionSequence.parseFrom(bytes)
      catch {
        case e: InvalidProtocolBufferException =>
          throw new CorruptFileException(s"corrupt row versions: ${e.getMessage}", cause = e)
      }
    val runs = message.getRunsList.asScala
      .map(r => U64Segment.decode(r.getSpan).numValues -> r.getVersion)
      .filter(_._1 > 0)
    val ends =
      runs.iterator.map(_._1).scanLeft(0L)(Checked.add(_, _, "rows with a version")).drop(1)
    val sequence =
      try new RowDatasetVersionSequence(ends.toArray, runs.map(_._2).toArray)
      catch {
        case e: ArithmeticException =>
          throw new CorruptFileException("corrupt row versions: too many rows", cause = e)
      }
    physicalRows.foreach { rows =>
      CorruptFileException.check(
        sequence.numRows == rows,
        s"corrupt row versions: ${sequence.numRows} versions for $rows rows"
      )
    }
    sequence
  }
}
