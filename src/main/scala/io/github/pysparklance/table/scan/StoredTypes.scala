// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{Column, Field, LogicalType}
import io.github.pysparklance.table.schema.ColumnCast

/** The stored types of columns that are read in another type, because the type of the column was
  * changed after the files were written.
  *
  * @param byLeaf types by the id of the leaf, as the read names it
  */
final case class StoredTypes(byLeaf: Map[Int, LogicalType]) {

  /** The fields as the files hold them. */
  def fields(read: IndexedSeq[Field]): IndexedSeq[Field] =
    if (byLeaf.isEmpty) read else read.map(stored)

  private def stored(field: Field): Field = byLeaf.get(field.id) match {
    case Some(before) => field.copy(logicalType = before)
    case None if field.children.isEmpty => field
    case None => field.copy(children = field.children.map(stored))
  }

  /** Casts columns of the files to the types of the read; `None` if all of them have these types.
    */
  def casts(read: IndexedSeq[Field]): Option[StoredTypes.Casts] =
    if (byLeaf.isEmpty || !read.exists(_.flatten.exists(f => byLeaf.contains(f.id)))) None
    else Some(new StoredTypes.Casts(read.map(f => new ColumnCast(stored(f), f))))
}

object StoredTypes {

  /** Files hold all columns in the types of the read. */
  val asRead: StoredTypes = StoredTypes(Map.empty)

  /** Casts the columns of a read, which come first in a batch. */
  final class Casts private[StoredTypes] (columns: IndexedSeq[ColumnCast]) {

    /** The columns in the types of the read, and those behind them as they are.
      *
      * @throws io.github.pysparklance.core.InvalidRequestException if a value does not fit the new
      *   type
      */
    def apply(batch: IndexedSeq[Column]): IndexedSeq[Column] =
      batch.indices.map(i => if (i < columns.length) columns(i)(batch(i)) else batch(i))
  }
}
