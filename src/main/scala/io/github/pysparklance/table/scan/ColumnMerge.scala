// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core._

/** Merges the columns of several files of a fragment. A field comes from the file that contains it,
  * members of a struct from several files, and nulls for fields that no file contains.
  *
  * @param fields the fields to read
  * @param leafIds ids of the leaves in each file
  */
final private class ColumnMerge(fields: IndexedSeq[Field], leafIds: IndexedSeq[Set[Int]]) {

  /** For each field, the files that contain a part of it. */
  private val sources: IndexedSeq[IndexedSeq[Int]] =
    fields.map(f => leafIds.indices.filter(holds(_, f)))

  private def holds(file: Int, field: Field): Boolean =
    field.leaves.exists(leaf => leafIds(file)(leaf.id))

  /** Returns the columns of a single file, with nulls for columns that it does not contain. */
  def whole(columns: IndexedSeq[Column], numRows: Int): IndexedSeq[Column] =
    if (sources.forall(_.nonEmpty)) columns
    else fields.indices.map(i => if (sources(i).isEmpty) NullColumn(numRows) else columns(i))

  /** Merges the columns of all files.
    *
    * @param parts the columns of each file, one per field
    */
  def apply(parts: Array[IndexedSeq[Column]], numRows: Int): IndexedSeq[Column] =
    fields.indices.map { i =>
      sources(i) match {
        case IndexedSeq() => NullColumn(numRows)
        case IndexedSeq(file) => parts(file)(i)
        case several => merge(fields(i), several.map(file => (file, parts(file)(i))))
      }
    }

  /** Merges parts of a field with children in several files. */
  private def merge(field: Field, parts: IndexedSeq[(Int, Column)]): Column =
    parts.filter { case (file, _) => holds(file, field) } match {
      case IndexedSeq() => parts.head._2
      case IndexedSeq((_, only)) => only
      case several =>
        several.head._2 match {
          case s: StructColumn =>
            val children = field.children.indices.map { c =>
              val childParts = several.map { case (file, column) =>
                (
                  file,
                  column match {
                    case part: StructColumn => part.children(c)
                    case NullColumn(n) => NullColumn(n)
                    case _ => differ(field)
                  }
                )
              }
              if (field.children(c).leaves.isEmpty) childParts.head._2
              else merge(field.children(c), childParts)
            }
            s.copy(children = children)
          case l: ListColumn =>
            val items = several.map {
              case (file, part: ListColumn) if part.items.numRows == l.items.numRows =>
                (file, part.items)
              case _ => differ(field)
            }
            l.copy(items = merge(field.children.head, items))
          case whole => whole
        }
    }

  private def differ(field: Field): Nothing =
    throw new CorruptFileException(
      "two files of a fragment contain different lists for one column",
      Place(column = Some(field.name))
    )
}
