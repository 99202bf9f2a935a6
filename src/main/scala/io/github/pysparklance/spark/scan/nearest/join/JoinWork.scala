// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.scan.nearest.{BatchSearch, Neighbors}
import io.github.pysparklance.spark.scan.search.RankedReader
import io.github.pysparklance.spark.scan.task.ReadTask
import io.github.pysparklance.spark.scan.{LanceInputPartition, LanceReaderFactory}
import io.github.pysparklance.storage.spi.FileStore

/** The work of the tasks of a k-nearest-neighbor join. Sent to each executor once.
  *
  * @param search finds the rows
  * @param read reads the columns of the table
  * @param taken columns of the table to read, with the address
  * @param columns columns of the result
  * @param rowBytes estimated size of a row
  */
final private[join] class JoinWork(
    val search: BatchSearch,
    read: ReadTask,
    store: FileStore,
    taken: StructType,
    columns: StructType,
    rowBytes: Long
) extends Serializable {

  /** Number of rows to read together. */
  def rowsAtATime: Long =
    math.max(1L, math.min(JoinWork.maxRowsAtATime, JoinWork.bytesAtATime / rowBytes))

  /** Reads the rows that the queries found.
    *
    * @return the rows of each query, in the order of the queries, nearest first
    */
  def rows(found: IndexedSeq[Neighbors]): Iterator[InternalRow] = {
    val ranked = found.flatMap(_.ranked()).toArray
    if (ranked.isEmpty) Iterator.empty
    else {
      val scans = search.scansOf(ranked.map(_.address).distinct, read, rowBytes)
      val path = search.table.path
      val reader = new RankedReader(
        new LanceReaderFactory(read, store, path).createReader(LanceInputPartition(scans)),
        ranked,
        taken,
        columns,
        JoinSearch.addedByReader,
        path
      )
      // All rows are in memory after the first one.
      try if (reader.next()) Iterator(reader.get()) ++ remaining(reader) else Iterator.empty
      finally reader.close()
    }
  }

  private def remaining(reader: RankedReader): Iterator[InternalRow] =
    Iterator.continually(reader).takeWhile(_.next()).map(_.get())
}

private[join] object JoinWork {

  /** Maximum number of table rows in memory. */
  private val maxRowsAtATime = 8192L

  /** Maximum bytes of these rows. */
  private val bytesAtATime = 64L << 20
}
