// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.connector.read.streaming.{
  CompositeReadLimit,
  ReadAllAvailable,
  ReadLimit,
  ReadMaxFiles,
  ReadMaxRows,
  ReadMinRows
}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.shim.ByteLimit

/** The remaining limits of a micro-batch. */
final private[streaming] class ReadBudget(limits: StreamLimits) {
  private var rows = 0L
  private var bytes = 0L
  private var fragments = 0L

  /** Whether the micro-batch may also read these rows. Always true at the first call. */
  def admits(numRows: Long, numBytes: Long, numFragments: Long = 1L): Boolean = {
    def fits(limit: Option[Long], used: Long, more: Long): Boolean = limit.forall(used + more <= _)
    val taken = fragments == 0 || (fits(limits.rows, rows, numRows) &&
      fits(limits.bytes, bytes, numBytes) && fits(limits.fragments, fragments, numFragments))
    if (taken) {
      rows += numRows
      bytes += numBytes
      fragments += numFragments
    }
    taken
  }
}

private[streaming] object ReadBudget {

  /** Converts limits to Spark's representation. */
  def limit(limits: StreamLimits): ReadLimit = {
    val all = limits.rows.map(ReadLimit.maxRows) ++
      limits.fragments.map(n => ReadLimit.maxFiles(math.min(n, Int.MaxValue.toLong).toInt)) ++
      limits.bytes.map(ByteLimit(_))
    all.toSeq match {
      case Seq() => ReadLimit.allAvailable()
      case Seq(one) => one
      case several => ReadLimit.compositeLimit(several.toArray)
    }
  }

  /** Converts limits from Spark's representation.
    *
    * @throws InvalidRequestException if a limit has an unknown kind
    */
  def limits(limit: ReadLimit): StreamLimits = limit match {
    case _: ReadAllAvailable => StreamLimits()
    case r: ReadMaxRows => StreamLimits(rows = Some(r.maxRows()))
    case f: ReadMaxFiles => StreamLimits(fragments = Some(f.maxFiles().toLong))
    // Reads all available rows.
    case _: ReadMinRows => StreamLimits()
    case c: CompositeReadLimit => c.getReadLimits.map(limits).foldLeft(StreamLimits())(_.and(_))
    case ByteLimit(bytes) => StreamLimits(bytes = Some(bytes))
    case other =>
      throw new InvalidRequestException(s"the limit $other of a micro-batch is not supported")
  }
}
