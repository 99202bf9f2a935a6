// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Schema
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.index.zones.ZonedColumns
import io.github.pysparklance.spark.write.{LanceCommitMessage, LanceDataWriter, WriteOptions}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.UncommittedFiles
import io.github.pysparklance.table.maintenance.Reordering
import io.github.pysparklance.table.manifest.Fragment

/** Writes rows in the given order, with their stable ids and versions. Serialized to the executors.
  *
  * @param path path of the table
  * @param columns data columns of the rows. With stable row ids, they are followed by the id and by
  *   the versions that created and last updated the row
  */
final private[jobs] class SortedFragments(
    store: FileStore,
    path: String,
    schema: Schema,
    columns: StructType,
    fileVersion: FileVersion,
    hasStableRowIds: Boolean,
    options: WriteOptions,
    zoned: ZonedColumns
) extends Serializable {

  /** Writes the rows of a partition. */
  def write(rows: Iterator[InternalRow]): LanceCommitMessage = {
    val writer =
      new LanceDataWriter(store, path, schema, columns, fileVersion, options, zoned = zoned)
    val lineage = IndexedSeq.fill(3)(mutable.ArrayBuilder.make[Long])
    val n = columns.length
    var written = IndexedSeq.empty[Fragment]
    try {
      while (rows.hasNext) {
        val row = rows.next()
        writer.write(row)
        if (hasStableRowIds) lineage.indices.foreach(i => lineage(i) += row.getLong(n + i))
      }
      val message = writer.commit()
      written = message.fragments.map(Fragment.parse)
      if (!hasStableRowIds) message
      else
        message.copy(fragments =
          withLineage(written, lineage.map(_.result())).map(_.toBytes)
        )
    } catch {
      case e: Throwable => // killed tasks must remove their files, too
        writer.abort()
        UncommittedFiles.remove(store, path, written)
        throw e
    } finally writer.close()
  }

  /** Removes uncommitted files of a partition. */
  def remove(written: LanceCommitMessage): Unit =
    UncommittedFiles.remove(store, path, written.fragments.map(Fragment.parse))

  private def withLineage(
      fragments: IndexedSeq[Fragment],
      lineage: IndexedSeq[Array[Long]]
  ): IndexedSeq[Fragment] = {
    val starts = fragments.scanLeft(0)((sum, f) => sum + f.physicalRows.getOrElse(0L).toInt)
    fragments.indices.map { i =>
      val Seq(ids, created, updated) = lineage.map(_.slice(starts(i), starts(i + 1))): @unchecked
      Reordering.withLineage(fragments(i), ids, created, updated)
    }
  }
}
