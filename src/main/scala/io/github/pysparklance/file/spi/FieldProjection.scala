// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.core.Field

/** A top-level field to read from one file, pruned to what is wanted.
  *
  * @param field the field with its wanted children; a list keeps its item, a map its key and value
  * @param columnIndices for each of `field.leaves` the column of the file, or [[FieldProjection.Missing]]
  * @param headerIndices columns of fields above the leaves, by field id; only files of version 2.0 have such
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

  /** The columns to read, in the order of the leaves that have one. */
  def present: IndexedSeq[Int] = columnIndices.filter(_ >= 0)

  /** All columns to read, those above the leaves included. */
  def columns: IndexedSeq[Int] = headerIndices.values.toIndexedSeq ++ present
}

object FieldProjection {

  /** Stands for a leaf that the file does not hold: it reads as nulls. */
  val Missing: Int = -1

  /** Pairs a field with the columns that `columnOf` knows by the id of their field. */
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
