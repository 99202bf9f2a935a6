// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.json

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.index.spi._

/** A segment of an index of a JSON path. The `json_get` functions may return null for a value that
  * the index has. Rows with such a value may or may not match:
  *
  *   - infinities and NaN, which JSON text cannot represent;
  *   - the string `null`, which early releases of the writer stored for JSON nulls.
  *
  * @param target the segment of the values
  * @param ofValues type of the values; `Null` if unknown
  * @param doubtful rows with such values; `None` if unknown
  */
private[json] class JsonSegment(
    target: ScalarSegment,
    ofValues: LogicalType,
    doubtful: Option[RowSet]
) extends ScalarSegment {
  def valueType: Option[LogicalType] = Some(ofValues)

  def evaluate(files: IndexFiles, predicate: IndexPredicate): Option[SegmentResult] =
    JsonSegment.evaluate(target, files, predicate, doubtful)

  override def size(files: IndexFiles, predicate: IndexPredicate): ResultSize =
    target.size(files, predicate)

  override def undetermined(files: IndexFiles, predicate: IndexPredicate): RoaringBitmap =
    target.undetermined(files, predicate)

  override def prewarm(files: IndexFiles): Unit = target.prewarm(files)

  override def withEntries(files: IndexFiles, among: RoaringBitmap): RoaringBitmap =
    target.withEntries(files, among)

  def sizeInBytes: Long = target.sizeInBytes + doubtful.fold(0L)(_.sizeInBytes)
}

/** Like [[JsonSegment]], for zones. */
final private[json] class ZonedJsonSegment(
    target: ZonedSegment,
    ofValues: LogicalType,
    doubtful: Option[RowSet]
) extends JsonSegment(target, ofValues, doubtful)
    with ZonedSegment {
  def zones: IndexedSeq[Zone] = target.zones
}

private[json] object JsonSegment {

  /** Opens a segment.
    *
    * @param ofValues type of the values; `Null` if unknown
    * @throws io.github.pysparklance.core.CorruptFileException if the values of a BTREE do not
    *   ascend. Early releases of the writer sorted documents instead of values
    */
  def of(target: ScalarSegment, files: IndexFiles, ofValues: LogicalType): ScalarSegment = {
    target match {
      case ordered: OrderedSegment => ordered.check(files)
      case _ => ()
    }
    val rows = doubtful(target, files, ofValues)
    target match {
      case zoned: ZonedSegment => new ZonedJsonSegment(zoned, ofValues, rows)
      case other => new JsonSegment(other, ofValues, rows)
    }
  }

  private def evaluate(
      target: ScalarSegment,
      files: IndexFiles,
      predicate: IndexPredicate,
      doubtful: Option[RowSet]
  ): Option[SegmentResult] = {
    val isCertain = doubtful.exists(_.isEmpty)
    target.evaluate(files, predicate).flatMap {
      case result if isCertain => Some(result)
      case result if predicate == IndexPredicate.IsNull =>
        doubtful.map(rows => SegmentResult.AtMost(trues(result).union(rows)))
      case result => Some(SegmentResult.AtMost(trues(result)))
    }
  }

  private def trues(result: SegmentResult): RowSet = result match {
    case exact: SegmentResult.Exact => exact.trues
    case SegmentResult.Trues(rows) => rows
    case SegmentResult.AtMost(rows) => rows
  }

  private def doubtful(
      target: ScalarSegment,
      files: IndexFiles,
      ofValues: LogicalType
  ): Option[RowSet] = doubtfulKeys.get(ofValues).fold(Option(RowSet.empty)) { keys =>
    target.evaluate(files, IndexPredicate.Within(keys, KeyType.of(ofValues).get)).map(trues)
  }

  private val doubtfulKeys: Map[LogicalType, KeyRanges] = {
    val string = KeyRange.point(new BytesKey("null".getBytes("UTF-8")))
    def key(v: Double) = Some(KeyType.floating(java.lang.Double.doubleToRawLongBits(v)))
    val infinities = Seq(
      KeyRange.all.copy(high = key(Double.NegativeInfinity), includesHigh = true),
      KeyRange.all.copy(low = key(Double.PositiveInfinity), includesLow = true)
    )
    Map(
      LogicalType.Utf8(large = false) -> KeyRanges.of(Seq(string)),
      LogicalType.Utf8(large = true) -> KeyRanges.of(Seq(string)),
      LogicalType.Double -> KeyRanges.of(infinities)
    )
  }
}
