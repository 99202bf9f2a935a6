// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import scala.util.Using

import io.github.pysparklance.core.{
  Checked,
  Column,
  ConstantColumn,
  CorruptFileException,
  DictionaryValues,
  Field,
  LeafColumn,
  LogicalType,
  LongValues,
  Place,
  RowRange
}
import io.github.pysparklance.file.DataFiles
import io.github.pysparklance.file.spi.FieldProjection
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.manifest.{DataFile, Fragment}

/** Reads complete sequences of row ids and row versions, including sequences in data files.
  *
  * @param pathOf returns the path of a data file
  */
final private[table] class LineageReader(store: FileStore, pathOf: DataFile => String) {

  /** Returns the stable row ids of a fragment, or `None` if the table has none. */
  def rowIds(f: Fragment): Option[RowIdSequence] = RowLineage.rowIds(f) match {
    case RowLineage.Inline(ids) => Some(ids)
    case RowLineage.Absent => None
    case at: RowLineage.Stored => Some(RowIdSequence.of(read(f, at)))
  }

  /** Returns the versions that created the rows of a fragment, or `None` if they were not recorded.
    */
  def createdAt(f: Fragment): Option[RowDatasetVersionSequence] = RowLineage.createdAt(f) match {
    case RowLineage.Inline(versions) => Some(versions)
    case RowLineage.Absent => None
    case at: RowLineage.Stored => Some(RowDatasetVersionSequence.of(read(f, at)))
  }

  /** Returns the versions that last updated the rows of a fragment, or `None` if they were not
    * recorded.
    */
  def lastUpdatedAt(f: Fragment): Option[RowDatasetVersionSequence] =
    RowLineage.lastUpdatedAt(f) match {
      case RowLineage.Inline(versions) => Some(versions)
      case RowLineage.Absent => None
      case at: RowLineage.Stored => Some(RowDatasetVersionSequence.of(read(f, at)))
    }

  /** Returns the updates of the rows of a fragment. Does not read the versions of updates from a
    * data file.
    */
  def updates(f: Fragment): RowUpdates =
    if (RowLineage.isNeverUpdated(f)) RowUpdates.none
    else
      RowLineage.lastUpdatedAt(f) match {
        case RowLineage.Inline(versions) => RowUpdates.of(createdAt(f), versions)
        case RowLineage.Absent => RowUpdates.none
        case _: RowLineage.Stored => RowUpdates.unknown
      }

  private def read(f: Fragment, at: RowLineage.Stored): Array[Long] = {
    val dataFile = f.files(at.file)
    val path = pathOf(dataFile)
    val rows = RowRange(0, f.physicalRows.getOrElse(0L))
    val out = new LongValues
    out.reserve(Checked.int(rows.numRows, "rows of a column of row ids"))
    val opened = DataFiles.open(store.open(path), dataFile.fields, Seq(at.column), rows.numRows)
    Using.resource(opened) { file =>
      val projection = FieldProjection(LineageReader.hidden, IndexedSeq(at.column))
      Using.resource(file.read(IndexedSeq(projection), IndexedSeq(rows))) { batches =>
        while (batches.rowsAvailable > 0) {
          val numRows = math.min(batches.rowsAvailable, LineageReader.batchRows)
          Place.in(Place(path = Some(path)))(append(batches.read(numRows).head, out))
        }
      }
    }
    java.util.Arrays.copyOf(out.array, out.numItems)
  }

  private def append(column: Column, out: LongValues): Unit = {
    CorruptFileException.check(!column.hasNulls, "corrupt data file: nulls in a column of row ids")
    column match {
      case LeafColumn(values: LongValues, _) => out.appendFrom(values, 0, values.numItems)
      case LeafColumn(d: DictionaryValues, _) =>
        var i = 0
        while (i < d.numItems) {
          out.appendFrom(d.items, d.indices.array(i), 1)
          i += 1
        }
      case ConstantColumn(value, numRows, _) => out.appendRepeated(value, 0, numRows)
      case other =>
        throw new CorruptFileException(
          s"corrupt data file: row ids as a ${other.getClass.getSimpleName}"
        )
    }
  }
}

private object LineageReader {
  private val hidden =
    Field(-3, "_rowid", LogicalType.Integer(64, signed = false), nullable = false)
  private val batchRows = 1 << 16
}
