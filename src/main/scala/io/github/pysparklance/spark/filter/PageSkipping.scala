// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import scala.collection.mutable

import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.ColumnarBatchRow

import io.github.pysparklance.core.{Column, Field, RowSelection}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.spi.PageStatistics
import io.github.pysparklance.spark.types.{SparkTypes, TypeOptions}
import io.github.pysparklance.spark.vectors.VectorFactory
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.scan.{FragmentScan, FragmentStatistics}

/** Skips pages without matching rows, in files with page statistics. */
final private[spark] class PageSkipping private (
    condition: BoundsTest,
    fields: Map[Int, Field],
    types: TypeOptions
) {
  import PageSkipping.bound

  /** Returns the rows of a fragment in pages that may have a matching row.
    *
    * @param store file store for reading the statistics
    */
  def of(store: FileStore, scan: FragmentScan): FragmentScan =
    if (
      scan.storedTypes.byLeaf.isEmpty &&
      scan.fragment.files.exists(_.fileVersion == FileVersion.V0_1)
    ) {
      val known = mutable.HashMap.empty[Int, Option[PageStatistics]]
      def bounds(column: Int): Option[PageStatistics] =
        known.getOrElseUpdate(
          column,
          fields.get(column).flatMap(FragmentStatistics.read(store, scan, _))
        )
      select(condition, bounds).fold(scan) { may =>
        val wanted = scan.selection.fold(RowSelection.of(scan.rows))(identity)
        scan.copy(selection = Some(wanted.intersect(may)))
      }
    } else scan

  /** Returns `None` if all rows may match. */
  private def select(
      test: BoundsTest,
      bounds: Int => Option[PageStatistics]
  ): Option[RowSelection] = test match {
    case BoundsTest.Both(tests) =>
      tests.flatMap(select(_, bounds)).reduceOption(_.intersect(_))
    case BoundsTest.Either(tests) =>
      val each = tests.map(select(_, bounds))
      if (each.forall(_.isDefined)) each.flatten.reduceOption(_.union(_)) else None
    case c: BoundsTest.Compared =>
      bounds(c.column).filter(b => SparkTypes.dataType(b.field, types) == c.dataType).map(runs(
        c,
        _
      ))
  }

  private def runs(test: BoundsTest.Compared, bounds: PageStatistics): RowSelection = {
    def row(of: Column) =
      new ColumnarBatchRow(Array(new VectorFactory(bounds.field, types).vector(of)))
    val (min, max) = (row(bounds.min), row(bounds.max))
    FragmentStatistics.select(
      bounds,
      { run =>
        min.rowId = run
        max.rowId = run
        test.mayMatch(bound(min, test.dataType), bound(max, test.dataType))
      }
    )
  }
}

/** Creates page skipping for filters. */
private[spark] object PageSkipping {

  private def bound(row: ColumnarBatchRow, t: DataType): Any =
    if (row.isNullAt(0)) null else row.get(0, t)

  /** Returns `None` if statistics cannot decide the condition. */
  def apply(filter: RowFilter, types: TypeOptions): Option[PageSkipping] = {
    val leaves = filter.fields.zipWithIndex.collect { case (f, i) if f.isLeaf => i -> f }.toMap
    BoundsTest(filter.expression).map(new PageSkipping(_, leaves, types))
  }
}
