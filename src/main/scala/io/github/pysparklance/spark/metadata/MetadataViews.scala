// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import java.util.Locale

/** Lists all metadata tables. */
private[spark] object MetadataViews {

  /** In the order of the documentation. */
  val all: Seq[MetadataView] = Seq(
    HistoryView,
    VersionsView,
    TransactionsView,
    FragmentsView,
    FilesView,
    PagesView,
    DeletionsView,
    ColumnsView,
    IndicesView,
    IndexStatsView,
    TagsView,
    BranchesView,
    RefsView,
    ConfigView,
    BasePathsView
  )

  private val byName = all.map(v => v.name -> v).toMap

  /** Returns the metadata table with a name, ignoring case. */
  def find(name: String): Option[MetadataView] = byName.get(name.toLowerCase(Locale.ROOT))
}
