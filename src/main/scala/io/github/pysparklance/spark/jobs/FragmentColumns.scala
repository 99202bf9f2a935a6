// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{Field, Interrupts, InvalidRequestException, Place}
import io.github.pysparklance.spark.columns.ColumnBuilder
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.columns.{ColumnFileWriter, ColumnTask, NewColumns, NewFiles}
import io.github.pysparklance.table.rowid.RowAddress

/** Writes rows with new values to column files, one file per fragment. Serialized to the executors.
  * Hot code. Buffers a few thousand rows.
  *
  * @param tasks tasks by fragment id
  * @param fields fields of the values
  * @param columns columns of the rows: the address, then a value for each field
  * @param table path of the table, for errors and for removing the files of failed tasks
  */
final private[jobs] class FragmentColumns(
    store: FileStore,
    table: String,
    tasks: Map[Long, ColumnTask],
    fields: IndexedSeq[Field],
    columns: StructType
) extends Serializable {

  /** Writes the rows of a partition. A partition has all rows of its fragments, ordered by address.
    *
    * @throws InvalidRequestException if an address is unknown or duplicate
    */
  def write(rows: Iterator[InternalRow]): IndexedSeq[NewColumns] = {
    val done = mutable.ArrayBuffer.empty[NewColumns]
    val builders =
      fields.indices.map(i => ColumnBuilder(fields(i), columns(i + 1).dataType)).toArray
    val offsets = new Array[Long](FragmentColumns.batchRows)
    var gathered = 0
    var fragment = -1L
    var writer: ColumnFileWriter = null

    def flush(): Unit = if (gathered > 0) {
      val batch = java.util.Arrays.copyOf(offsets, gathered)
      writer.write(batch, builders.toIndexedSeq.map(_.column))
      builders.foreach(_.clear())
      gathered = 0
    }

    def finish(): Unit = if (writer != null) {
      flush()
      val files = writer.finish()
      writer = null
      done += files
    }

    try
      Place.in(Place(path = Some(table))) {
        while (rows.hasNext) {
          val row = rows.next()
          val address = addressOf(row)
          val id = RowAddress.fragmentId(address)
          if (writer == null || id != fragment) {
            finish()
            fragment = id
            writer = taskOf(id, address).open(store)
          }
          offsets(gathered) = RowAddress.offset(address)
          var i = 0
          while (i < builders.length) {
            if (!fields(i).nullable && row.isNullAt(i + 1)) rejectNull(fields(i), address)
            builders(i).append(row, i + 1)
            i += 1
          }
          gathered += 1
          if (gathered == offsets.length || isLarge(builders, gathered)) flush()
        }
        finish()
        done.toIndexedSeq
      }
    catch {
      case e: Throwable => // killed tasks must remove their files, too
        // Deferred, because the interrupt of a killed task would abort the removal.
        Interrupts.defer {
          if (writer != null) writer.abort()
          done.foreach(remove)
        }
        throw e
    }
  }

  /** Removes uncommitted files of a partition. */
  def remove(columns: NewColumns): Unit = NewFiles.remove(store, table, columns)

  private def addressOf(row: InternalRow): Long = {
    if (row.isNullAt(0))
      throw new InvalidRequestException(
        "new values for a row that the table does not have: its _rowaddr or _rowid is null or unknown"
      )
    row.getLong(0)
  }

  private def taskOf(id: Long, address: Long): ColumnTask = tasks.getOrElse(
    id,
    throw new InvalidRequestException(
      s"new values for the row at address $address of fragment $id, which the table does not have; " +
        "take _rowaddr from the version that is changed"
    )
  )

  private def rejectNull(field: Field, address: Long): Nothing =
    throw new InvalidRequestException(
      s"null for the row at address $address, in a column that must not be null",
      Place(column = Some(field.name))
    )

  /** Long strings, vectors, and blobs can fill a batch before it has the maximum number of rows. */
  private def isLarge(builders: Array[ColumnBuilder], gathered: Int): Boolean =
    gathered % FragmentColumns.rowsBetweenLooks == 0 &&
      builders.iterator.map(_.sizeInBytes).sum >= FragmentColumns.batchBytes
}

private object FragmentColumns {
  val batchRows = 4096
  val batchBytes: Long = 4L << 20
  val rowsBetweenLooks = 16
}
