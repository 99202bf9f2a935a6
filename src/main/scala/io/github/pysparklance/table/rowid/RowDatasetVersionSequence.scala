// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import scala.collection.mutable
import scala.jdk.CollectionConverters._


import io.github.pysparklance.core.{Checked, CorruptFileException, RowRange}
import io.github.pysparklance.file.metadata.MessageHeap
import io.github.pysparklance.table.proto

/** The table version that created, or last updated, each row of a fragment, as runs of rows with
  * the same version.
  *
  * {{{
  *   span range 0 .. 3, version 1 | span bitmap 1011 of 4 .. 8, version 5      1 1 1 5 5 5
  * }}}
  * Only the number of integers in a span matters. The writer uses plain ranges of row offsets.
  *
  * Source: message `RowDatasetVersionSequence`, rowids.proto; format page of the table, "Version
  * sequences".
  *
  * @param ends the row offset after each run
  */
final class RowDatasetVersionSequence private (
    private val ends: Array[Long],
    private val versions: Array[Long]
) {

  /** Number of rows. */
  def numRows: Long = if (ends.isEmpty) 0L else ends(ends.length - 1)

  /** Number of runs. */
  def numRuns: Int = ends.length

  /** Lowest and highest version; `None` without rows. */
  def bounds: Option[(Long, Long)] =
    if (versions.isEmpty) None else Some((versions.min, versions.max))

  /** Returns the version of the row at an offset, which must be in the fragment. */
  def apply(offset: Long): Long = {
    checkInside(offset, 1)
    versions(runOf(offset))
  }

  /** Writes the versions of `rows`, which must be in the fragment, to `out` from `at` on. */
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

  /** Runs `f` on each run of rows that has one version in this sequence and one in another.
    *
    * @param other sequence of the same rows; `None` for the first version in all rows
    * @param f takes the version in this sequence and the version in the other
    */
  def foreachRun(other: Option[RowDatasetVersionSequence])(f: (Long, Long) => Unit): Unit =
    other match {
      case None => versions.foreach(f(_, 1L))
      case Some(its) =>
        CorruptFileException.check(
          its.numRows == numRows,
          s"corrupt row versions: sequences of $numRows and ${its.numRows} rows"
        )
        var (mine, theirs) = (0, 0)
        while (mine < ends.length) {
          f(versions(mine), its.versions(theirs))
          val (end, otherEnd) = (ends(mine), its.ends(theirs))
          if (end <= otherEnd) mine += 1
          if (otherEnd <= end) theirs += 1
        }
    }

  /** Returns this sequence with another version for some rows. Takes memory by runs, not by rows.
    *
    * @param rows ascending and disjoint, in the fragment
    */
  def updated(rows: Iterable[RowRange], version: Long): RowDatasetVersionSequence = {
    val out = new RowDatasetVersionSequence.Builder
    var at = 0L
    def copyUntil(until: Long): Unit = {
      var run = if (at < until) runOf(at) else 0
      while (at < until) {
        at = math.min(until, ends(run))
        out.add(at, versions(run))
        run += 1
      }
    }
    rows.foreach { r =>
      checkInside(r.from, r.numRows)
      copyUntil(r.from)
      out.add(r.until, version)
      at = r.until
    }
    copyUntil(numRows)
    out.result()
  }

  /** Serializes the message, as stored in a manifest. */
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

  /** Returns the first run that ends after a row. */
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

  /** Collects runs, and joins neighbors with the same version. */
  final private class Builder {
    private val ends = new mutable.ArrayBuilder.ofLong
    private val versions = new mutable.ArrayBuilder.ofLong
    private var end = 0L
    private var version = 0L

    /** Adds rows up to `until`, exclusive. */
    def add(until: Long, of: Long): Unit = {
      if (end > 0 && of != version) finish()
      end = until
      version = of
    }

    private def finish(): Unit = {
      ends += end
      versions += version
    }

    def result(): RowDatasetVersionSequence = {
      if (end > 0) finish()
      new RowDatasetVersionSequence(ends.result(), versions.result())
    }
  }

  /** Returns a sequence with one version for all rows. */
  def uniform(version: Long, numRows: Long): RowDatasetVersionSequence =
    if (numRows == 0) new RowDatasetVersionSequence(Array.empty, Array.empty)
    else new RowDatasetVersionSequence(Array(numRows), Array(version))

  /** Returns a sequence with one version per row. */
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

  /** Parses a serialized message.
    *
    * @param physicalRows rows of the fragment, if known
    * @throws CorruptFileException if the bytes are not a sequence of that many versions
    */
  def parse(bytes: Array[Byte], physicalRows: Option[Long]): RowDatasetVersionSequence = {
    val message =
      MessageHeap.parsed(bytes, proto.RowDatasetVersionSequence.getDescriptor, "row versions")(
        proto.RowDatasetVersionSequence.parseFrom(_)
      )
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
