// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.nio.charset.StandardCharsets.UTF_8

import io.github.pysparklance.core.{
  BinaryValues,
  ByteValues,
  Column,
  CorruptFileException,
  Field,
  LeafColumn,
  LongValues,
  Place,
  RowRange,
  Values
}
import io.github.pysparklance.table.deletion.DeletionVector

/** Puts the metadata columns of a fragment behind the columns of its files, batch by batch: those that lie in a data
  * file as hidden columns are read with the others, the rest is made. Not thread-safe; arrays are reused by the next
  * batch.
  *
  * @param wanted in the order in which they come out
  */
final private[table] class MetadataReader(
    scan: FragmentScan,
    wanted: IndexedSeq[MetadataColumn],
    deletions: DeletionVector
) {
  private val columns =
    new MetadataColumns(scan.fragment, scan.hasStableRowIds, scan.liveRowsBefore, deletions)

  private val (stored, made) = Place.in(scan.place)(wanted.partition(columns.stored(_).isDefined))
  private val values: Map[MetadataColumn, Values] =
    made.map(c => c -> Values.allocate(c.field.valueType)).toMap
  private lazy val file = scan.paths.headOption.getOrElse("").getBytes(UTF_8)

  /** The hidden columns to read behind all others. */
  val storedFields: IndexedSeq[Field] = stored.map(_.field)

  /** The columns of a batch with the metadata columns in the place of the hidden ones, which are the last.
    *
    * @param rows physical rows of the batch
    * @throws CorruptFileException when a hidden column has nulls, or the manifest is damaged
    */
  def append(read: IndexedSeq[Column], rows: RowRange): IndexedSeq[Column] =
    if (wanted.isEmpty) read
    else {
      val numFields = read.length - stored.length
      read.take(numFields) ++ wanted.map { column =>
        stored.indexOf(column) match {
          case -1 => make(column, rows)
          case i => checked(read(numFields + i), column)
        }
      }
    }

  private def make(column: MetadataColumn, rows: RowRange): Column = {
    val out = values(column)
    out.clear()
    out match {
      case numbers: LongValues => Place.in(scan.place)(columns.fill(column, rows, numbers))
      case texts: BinaryValues =>
        var i = 0L
        while (i < rows.numRows) {
          texts.append(file, 0, file.length)
          i += 1
        }
      case flags: ByteValues =>
        flags.appendFiller(rows.numRows.toInt)
        deletions.deletedIn(rows).foreach(flags.array(_) = 1)
      case other => throw new IllegalStateException(s"${column.name} of ${other.getClass.getName}")
    }
    LeafColumn(out, null)
  }

  private def checked(read: Column, column: MetadataColumn): Column = {
    if (read.hasNulls)
      throw new CorruptFileException(
        "corrupt data file: nulls in a column of row ids or versions",
        Place(column = Some(column.name))
      )
    read
  }
}
