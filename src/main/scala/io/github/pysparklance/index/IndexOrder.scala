// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import io.github.pysparklance.core.{LogicalType, Optional}
import io.github.pysparklance.index.scalar.BTree
import io.github.pysparklance.index.spi.OrderedSegment

/** Reads the rows of a version of a table in the order of an index. */
final class IndexOrder(indices: ScalarIndices) {
  import indices.mapping

  /** Returns the first rows of each segment in the order of a field. They include the first rows of
    * the table.
    *
    * @param limit maximum number of rows per segment
    * @return addresses of live rows, and the segments; `None` if no ordered index covers the table,
    *   or if it has too many entries of deleted rows
    */
  def first(
      fieldId: Int,
      valueType: LogicalType,
      isAscending: Boolean,
      nullsFirst: Boolean,
      limit: Int
  ): Option[(IndexedSeq[Long], Seq[IndexUse])] = {
    def rows(index: ScalarIndex): Option[(IndexedSeq[Long], Seq[IndexUse])] =
      indices.complete(index).filter(_.forall { case (segment, covered) =>
        mapping.isExact(segment, covered)
      }).flatMap { parts =>
        val found = parts.map { case (segment, covered) =>
          val files = indices.filesOf(segment)
          indices.opened(index.kind, files) match {
            case ordered: OrderedSegment if ordered.valueType.contains(valueType) =>
              val all = new LimitedEntries(
                ordered.rows(files, isAscending, nullsFirst),
                math.max(limit, LimitedEntries.most)
              )
              val live = mapping.firstLive(segment, covered, all, limit)(row => row).map(_._2)
              Optional.when(live.length == limit || !all.isCut)(live)
            case _ => None
          }
        }
        Optional.when(found.forall(_.isDefined)) {
          val uses = parts.map { case (_, its) =>
            IndexUse(index.name, index.kind.description, its)
          }
          (found.flatten.flatten.toIndexedSeq, uses)
        }
      }
    indices.of(fieldId).iterator.filter(_.kind == BTree).flatMap(rows(_)).find(_ => true)
  }
}
