// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import org.apache.spark.sql.types.StructField

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.commit.{CommitInfo, Published, StatementRetry}
import io.github.pysparklance.spark.common.{HiddenColumns, TableLocation}
import io.github.pysparklance.spark.rows.{MatchingRows, TouchedRows}
import io.github.pysparklance.spark.write.RowReplacement
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.MetadataColumn
import io.github.pysparklance.table.transaction.Retry
import io.github.pysparklance.table.transaction.build.MovedRows

/** Commits the rows of a micro-batch as an upsert: a row replaces the row of the table with the
  * same key, or is added.
  *
  * Spark passes the rows of a micro-batch directly to writers in tasks, so the sink cannot join
  * them with the table first. Instead, the tasks write the rows to their final files. The commit
  * then reads the keys of these files, looks them up in the table, and commits the files together
  * with the deletion of the replaced rows. All changes are in one commit, so the micro-batch is
  * committed once, like an append.
  *
  * The lookup uses indices and statistics of the key columns. It needs only plans of Spark's public
  * operators, and no SQL extension, so it is the same in all Spark versions and through Spark
  * Connect. A MERGE of staged rows inside the commit would write every row twice, and read the keys
  * of the whole table.
  *
  * After a concurrent commit that adds or changes rows, the lookup is repeated, but not the tasks.
  * Two writers of this connector therefore do not insert the same key. With stable row ids, updated
  * rows keep their ids.
  *
  * @param base version for which the rows were written
  * @param keys key columns; null equals null
  */
final private[sink] class Upsert(
    location: TableLocation,
    base: LanceTable,
    keys: Seq[StructField],
    info: CommitInfo
) {
  private val options = info.options.copy(unlessRowsAdded = true)
  private val properties = info.properties ++ CommitInfo.by("UPSERT")

  /** @param fragments fragments with the rows, without ids
    * @throws InvalidRequestException if several rows of the micro-batch, or of the table, have the
    *   same key
    * @throws io.github.pysparklance.core.CommitConflictException if all retries failed, or columns
    *   or constraints changed
    */
  def apply(fragments: IndexedSeq[Fragment]): Published = {
    HiddenColumns.check(base, MetadataColumn.RowAddr, MetadataColumn.RowId)
    val staged = StagedKeys(location, base.staged(fragments), keys)
    staged.duplicate.foreach { key =>
      reject(s"several rows of the micro-batch have the same key, ${named(key)}; keep one of them")
    }
    def latest() = RowReplacement.latest(base)
    new StatementRetry(Retry(options.maxRetries)).from(latest())(_ => Some(latest())) { table =>
      info.checkNewIn(table)
      commit(table, fragments, staged.pairs(new MatchingRows(location, table)))
    }
  }

  /** @param pairs staged address, address, and row id of each replaced row */
  private def commit(
      table: LanceTable,
      fragments: IndexedSeq[Fragment],
      pairs: Array[Long]
  ): Published = {
    val replaced = pairs.grouped(Upsert.Width).toArray.sortBy(_(0))
    (1 until replaced.length).find(i => replaced(i)(0) == replaced(i - 1)(0)).foreach { _ =>
      reject(
        s"several rows of the table have the same values of ${names.mkString(", ")}, and upsertKeys must " +
          "identify a row; delete the duplicates, or choose other keys"
      )
    }
    // Otherwise several new rows would get the id of one row.
    if (replaced.iterator.map(_(1)).toSet.size < replaced.length)
      reject(
        s"several rows of the micro-batch replace the same row of the table by ${names.mkString(", ")}"
      )
    if (replaced.isEmpty) Published(Some(table.append(fragments, properties, options)))
    else {
      val moved =
        if (table.hasStableRowIds) movedRows(replaced, fragments.length)
        else IndexedSeq.empty[MovedRows]
      val fields = table.schema.flatten.map(_.id).toSet
      val done = table.update(rows(replaced), fragments, fields, properties, options, moved)
      Published(Some(done), replaced.length.toLong)
    }
  }

  private def rows(replaced: Array[Array[Long]]): Map[Long, DeletionVector] = {
    val touched = new TouchedRows
    replaced.foreach(r => touched.add(r(1)): Unit)
    TouchedRows.union(Seq(touched.toBytes))
  }

  private def movedRows(replaced: Array[Array[Long]], fragments: Int): IndexedSeq[MovedRows] = {
    val byFragment = replaced.groupBy(r => RowAddress.fragmentId(r(0)))
    (0 until fragments).map { i =>
      byFragment.get(i.toLong).fold(MovedRows.none) { of =>
        new MovedRows(of.map(r => RowAddress.offset(r(0)).toInt), of.map(_(2)))
      }
    }
  }

  private def names: Seq[String] = keys.map(_.name)

  private def named(key: Seq[String]): String =
    names.zip(key).map { case (name, value) => s"$name = $value" }.mkString(", ")

  private def reject(problem: String): Nothing =
    throw new InvalidRequestException(problem, Place(path = Some(location.path)))
}

private object Upsert {

  /** Number of values for each replaced row. */
  private val Width = 3
}
