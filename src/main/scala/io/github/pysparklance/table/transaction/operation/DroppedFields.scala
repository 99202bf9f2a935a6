// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import io.github.pysparklance.core.Schema

/** Collects the fields that concurrent commits dropped. Once no file has a dropped field, its id is
  * assigned to the next new column. An operation that refers to the id would then apply to that
  * column. Renamed columns keep their ids and are not dropped.
  *
  * @param fields ids of the fields that an operation refers to
  */
final private[operation] class DroppedFields(fields: Set[Int]) {
  private var dropped = Set.empty[Int]

  /** Adds the fields that a concurrent commit dropped. */
  def over(theirs: PlainOperation): Unit = theirs match {
    case p: Project => retain(p.schema)
    case m: Merge => retain(m.schema)
    case _ => ()
  }

  private def retain(schema: Schema): Unit = {
    val present = schema.flatten.iterator.map(_.id).toSet
    dropped ++= fields.filterNot(present)
  }

  /** Returns the fields that were dropped, and whose ids now belong to other columns.
    *
    * @param latest schema of the latest version
    */
  def reassigned(latest: Schema): Set[Int] =
    if (dropped.isEmpty) dropped else dropped & latest.flatten.iterator.map(_.id).toSet
}
