// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.columns

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{BlobField, BlobMode, Column, Field, Place, RowRange, Schema}
import io.github.pysparklance.file.DataFiles
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.spi.WriteBudget
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.table.scan.FragmentScan
import io.github.pysparklance.table.{FragmentWriter, LanceTable}

/** Writes a new data file with some columns of one fragment; its other files remain. Created with
  * the manifest and run where the file is written. The file becomes visible when a commit
  * references it.
  *
  * @param fragment fragment as it was when the task was created
  * @param fields the columns of the new file, with their ids in the schema
  * @param base the values of rows that get no new values
  */
final class ColumnTask private[columns] (
    private[columns] val fragment: Fragment,
    scan: FragmentScan,
    tablePath: String,
    fileVersion: FileVersion,
    val fields: IndexedSeq[Field],
    base: ColumnTask.Base
) extends Serializable {

  /** Id of the fragment. */
  def fragmentId: Long = fragment.id

  /** Number of rows in the fragment, including deleted ones. */
  def physicalRows: Long = scan.rows.until

  /** Starts the file. */
  def open(store: FileStore, budget: WriteBudget = WriteBudget.default): ColumnFileWriter =
    Place.in(scan.place) {
      val deletions = scan.deletionPath.fold(DeletionVector.empty) { path =>
        DeletionVector.read(store, path, scan.fragment.deletionFile.get, Some(physicalRows))
      }
      val written = fields.map(BlobField.in(BlobMode.Content))
      val source = base match {
        case ColumnTask.Nulls => new NullRows(written)
        case ColumnTask.Values => new StoredRows(store, scan, written, written)
        case ColumnTask.Cast(before, constants) =>
          val (after, added) = written.splitAt(before.length)
          val stored =
            if (before.isEmpty) new NullRows(after)
            else new StoredRows(store, scan, before.map(BlobField.in(BlobMode.Content)), after)
          new ConstantRows(stored, added, constants)
      }
      val batchEnds =
        if (fileVersion != FileVersion.V0_1) None
        else scan.paths.headOption.flatMap(p => DataFiles.legacyBatchEnds(store.open(p)))
      val writer = FragmentWriter.open(
        store,
        tablePath,
        Schema(fields),
        fileVersion,
        budget,
        batchEnds = batchEnds.getOrElse(IndexedSeq.empty)
      )
      new ColumnFileWriter(writer, this, source, deletions)
    }

  /** Writes the file without new values for any row. */
  def run(store: FileStore): NewColumns = {
    val writer = open(store)
    try writer.finish()
    catch {
      case e: Exception =>
        writer.abort()
        throw e
    }
  }

  override def toString: String =
    s"ColumnTask(fragment $fragmentId, ${fields.map(_.name).mkString(", ")})"
}

/** An uncommitted data file with columns of one fragment.
  *
  * @param changed offsets of the rows with new values
  */
final case class NewColumns(fragmentId: Long, file: DataFile, changed: RoaringBitmap)

object ColumnTask {

  /** The values of rows that get no new values. */
  sealed private[columns] trait Base extends Serializable

  /** Nulls. */
  private[columns] case object Nulls extends Base

  /** The present values of the same columns. */
  private[columns] case object Values extends Base

  /** The present values of other columns, converted to the types of the new ones.
    *
    * @param constants for each further column, a column of one row with the value for all rows
    */
  final private[columns] case class Cast(
      before: IndexedSeq[Field],
      constants: IndexedSeq[Column] = IndexedSeq.empty
  ) extends Base

  private[columns] def apply(
      table: LanceTable,
      index: Int,
      fields: IndexedSeq[Field],
      base: Base
  ): ColumnTask = {
    val fragment = table.fragments(index)
    val rows = RowRange(0, table.physicalRows(fragment))
    val scan =
      FragmentScan(table, index, rows, None, FragmentScan.defaultGapRows, IndexedSeq.empty)
    new ColumnTask(
      fragment.withoutLineage,
      scan,
      table.path,
      table.fileVersion,
      fields,
      base
    )
  }
}
