// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.core.Field

/** A top-level field to read from one file, with only the projected children.
  *
  * @param field the field with its projected children; a list keeps its item, and a map its key and
  *   value
  * @param columnIndices column in the file for each of `field.leaves`, or
  *   [[FieldProjection.Missing]]
  * @param headerIndices columns of fields above the leaves, by field id; only in files of version
  *   2.0
  */
final case class FieldProjection(
    field: Field,
    columnIndices: IndexedSeq[Int],
    headerIndices: Map[Int, Int] = Map.empty
) {
  require(
    field.leaves.length == columnIndices.length,
    s"${columnIndices.length} columns for the ${field.leaves.length} leaves of ${field.name}"
  )

  /** The columns of the leaves that are not missing, in their order. */
  def present: IndexedSeq[Int] = columnIndices.filter(_ >= 0)

  /** All columns to read, including columns of fields above the leaves. */
  def columns: IndexedSeq[Int] = headerIndices.values.toIndexedSeq ++ present
}

object FieldProjection {

  /** Marks a leaf that the file does not contain. It reads as nulls. */
  val Missing: Int = -1

  /** Creates a projection from the column of each field, by field id. */
  def apply(field: Field, columnOf: Int => Option[Int]): FieldProjection = {
    val leaves = field.leaves
    val headers = field.flatten.map(_.id).diff(leaves.map(_.id))
    FieldProjection(
      field,
      leaves.map(leaf => columnOf(leaf.id).getOrElse(Missing)),
      headers.flatMap(id => columnOf(id).map(id -> _)).toMap
    )
  }
}
