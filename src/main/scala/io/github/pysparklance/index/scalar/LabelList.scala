// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi._

/** The rows of each distinct element of a column of lists. The file is that of a bitmap index over the elements; its
  * null key has the lists with a null element. Rows whose list is null are in the global buffer that the metadata
  * `lance:label_list_nulls` name; version 0 does not know them.
  *
  * Source: format page of indices, "Bitmap and label list".
  */
object LabelList extends ScalarIndexKind {
  def name: String = "LABEL_LIST"
  def detailsType: String = "lance.table.LabelListIndexDetails"
  def newestVersion: Int = 1

  private val nullLists = "lance:label_list_nulls"

  def open(files: IndexFiles): ScalarSegment = {
    val nulls = files.use(KeyedRows.fileName)(IndexFiles.rowSet(_, nullLists))
    new Segment(KeyedRows.open(files), nulls)
  }

  final private class Segment(rows: KeyedRows, nullLists: Option[RowSet]) extends ScalarSegment {
    def valueType: Option[LogicalType] = Some(rows.logicalType)

    def answer(files: IndexFiles, predicate: IndexPredicate): Option[SegmentAnswer] =
      predicate match {
        case IndexPredicate.HasAny(keys) =>
          val trues = rows.of(files, KeyRanges.of(keys.map(KeyRange.point)))
          Some(nullLists match {
            case Some(nulls) =>
              new SegmentAnswer.Exact(trues, rows.ofNull(files).minus(trues).union(nulls))
            case None => SegmentAnswer.Trues(trues)
          })
        case IndexPredicate.IsNull =>
          nullLists.map(new SegmentAnswer.Exact(_, RowSet.empty))
        case _ => None
      }

    def sizeInBytes: Long = rows.sizeInBytes + nullLists.fold(0L)(_.sizeInBytes)
  }
}
