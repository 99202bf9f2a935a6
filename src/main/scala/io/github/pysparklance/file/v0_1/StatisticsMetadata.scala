// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.file.proto
import io.github.pysparklance.file.scheduling.{FileReads, ReadBudget}
import io.github.pysparklance.file.spi.{FileTail, PageStatistics}
import io.github.pysparklance.storage.spi.RangeReader

/** Reads the min/max statistics of a file. They are stored as one batch of columns, with a row for
  * each batch of the file.
  *
  * {{{
  *   for a field with id 7   "7": struct { null_count: int64, min_value: T, max_value: T }
  *   ids                     new ones from 0, depth first; their page table has one cell per id
  * }}}
  * Nulls are not included in the bounds, but most types read them as zeros or other values. So a
  * batch with nulls has no bounds, unless its type represents nulls. The bounds of floats ignore
  * NaN.
  *
  * Source: message `StatisticsMetadata`, file_v0_1.proto; format page of the legacy format, "Page
  * statistics".
  */
final private[v0_1] class StatisticsMetadata(
    tail: FileTail,
    metadata: Metadata,
    message: proto.StatisticsMetadata,
    reader: RangeReader
) {

  /** Returns the statistics of a field; none if the file has none.
    *
    * @throws CorruptFileException if they violate the format
    */
  def statistics(fieldId: Int): Option[PageStatistics] = {
    val fields = message.getSchemaList.asScala
    def child(parent: proto.Field, name: String): Option[Field] =
      fields
        .find(f => f.getParentId == parent.getId && f.getName == name)
        .map { f =>
          Field(f.getId, f.getName, LogicalType.parse(f.getLogicalType), f.getNullable)
        }
    for {
      struct <- fields.find(f => f.getParentId == Field.Unassigned && f.getName == s"$fieldId")
      nulls <- child(struct, "null_count")
      min <- child(struct, "min_value")
      max <- child(struct, "max_value")
      if nulls.logicalType == LogicalType.Integer(64, signed = true)
    } yield {
      val columns = read(IndexedSeq(nulls, min, max))
      val runs = (0 until metadata.numBatches).map { b =>
        RowRange(metadata.batchOffsets(b).toLong, metadata.batchOffsets(b + 1).toLong)
      }
      val trusted = trustedBatches(columns(0), min.logicalType)
      PageStatistics(
        min,
        runs,
        masked(columns(1), trusted),
        if (isFloat(max.logicalType)) NullColumn(runs.length) else masked(columns(2), trusted)
      )
    }
  }

  private def read(fields: IndexedSeq[Field]): IndexedSeq[Column] = {
    val numBatches = metadata.numBatches
    val position = message.getPageTablePosition
    CorruptFileException.check(
      position >= 0 && position <= tail.fileSize,
      s"the page table of the statistics is at $position"
    )
    val pages = PageTable.read(tail, position, 0, fields.map(_.id), 1, position)
    Using.resource(FileReads.of(reader)) { fileReads =>
      val builder = new NodeBuilder(
        _ => true,
        (f, _) => throw new UnsupportedFeatureException(s"bounds of the dictionary ${f.name}"),
        pages,
        ReadBudget.default.totalBytes,
        fileReads
      )
      val reads = fields.map(builder(_).read(0, 0L, numBatches.toLong))
      reads.map { r =>
        FieldNode.finish(r, fileReads)
        r.column(0L, numBatches.toLong)
      }
    }
  }

  private def trustedBatches(nullCounts: Column, logicalType: LogicalType): Int => Boolean = {
    val keepsNulls = logicalType match {
      case LogicalType.Utf8(_) | LogicalType.Binary(_) => true
      case _ => false
    }
    nullCounts match {
      case LeafColumn(counts: LongValues, _) => b => keepsNulls || counts.array(b) == 0L
      case _ => _ => false
    }
  }

  private def isFloat(t: LogicalType): Boolean = t match {
    case LogicalType.HalfFloat | LogicalType.Float | LogicalType.Double => true
    case _ => false
  }

  private def masked(bounds: Column, isTrusted: Int => Boolean): Column = bounds match {
    case LeafColumn(values, validity) =>
      val known = new Validity
      var i = 0
      while (i < values.numItems) {
        known.append(isTrusted(i) && (validity == null || validity.isValid(i)))
        i += 1
      }
      LeafColumn(values, known)
    case other => NullColumn(other.numRows)
  }
}
