// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import io.github.pysparklance.core.Field
import io.github.pysparklance.spark.filter.RowFilter
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.MetadataColumn

/** What every task of a scan does; goes to the executors.
  *
  * @param fields what is read
  * @param metadata metadata columns, behind the fields
  * @param filter rows for which it is not true are left out
  * @param sample rows that it does not draw are left out
  * @param limit rows after which a task may stop
  * @param top a task need not answer rows that come behind so many of its others
  * @param path of the table, for errors
  * @param isDistinct a task need not answer a value twice; of one column
  */
final private[scan] case class ReadTask(
    store: FileStore,
    fields: IndexedSeq[Field],
    metadata: IndexedSeq[MetadataColumn],
    filter: Option[RowFilter],
    sample: Option[RowSample],
    limit: Option[Long],
    top: Option[TopRows],
    isDistinct: Boolean,
    options: ReadOptions,
    path: String
) {

  /** Whether rows are answered one by one, and not batches of columns. */
  def isRowByRow: Boolean = LanceRowReader.pays(fields)
}
