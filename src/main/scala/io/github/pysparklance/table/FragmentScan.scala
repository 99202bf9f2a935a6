// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import io.github.pysparklance.core.{Place, RowRange, UnsupportedFeatureException}
import io.github.pysparklance.table.manifest.Fragment

/** Rows of one fragment with all it takes to read them. Made where the manifest is, sent to where the data is read.
  *
  * @param paths where each of the fragment's files is, in their order
  * @param deletionPath where its deletion file is, if it has one
  * @param rows physical rows, deleted ones included
  */
final case class FragmentScan(
    fragment: Fragment,
    paths: IndexedSeq[String],
    deletionPath: Option[String],
    rows: RowRange
)

object FragmentScan {

  /** @param rows physical rows of the fragment */
  def apply(table: LanceTable, fragment: Fragment, rows: RowRange): FragmentScan =
    FragmentScan(fragment, fragment.files.map(table.pathOf), table.deletionPath(fragment), rows)

  /** Rows of a fragment, deleted ones included.
    *
    * @throws UnsupportedFeatureException when an old writer did not say
    */
  def physicalRows(table: LanceTable, fragment: Fragment): Long =
    fragment.physicalRows.getOrElse(
      throw new UnsupportedFeatureException(
        s"fragment ${fragment.id} without a row count, as early releases wrote it",
        Place(path = Some(table.path), version = Some(table.version))
      )
    )
}
