// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.changes

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  BoundReference,
  Expression,
  Predicate
}
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.spark.types.MetadataFields
import io.github.pysparklance.table.scan.{ChangeColumn, RowChange}

/** Evaluates conditions on the kind, version, and time of changes.
  *
  * @param columns the paths of the columns in conditions that the table does not have
  */
final private[changes] class ChangeSelection(columns: Seq[(Seq[String], AttributeReference)]) {
  private val references = columns.flatMap { case (path, attribute) =>
    val at = ChangeColumn.all.indexWhere(c => path == Seq(c.name))
    if (at < 0) None
    else {
      val dataType = MetadataFields.dataType(ChangeColumn.all(at))
      Some(attribute.exprId -> BoundReference(at, dataType, nullable = false))
    }
  }.toMap

  /** Whether a condition is on nothing else. */
  def isOn(condition: Expression): Boolean =
    condition.references.nonEmpty && condition.references.forall(a => references.contains(a.exprId))

  /** Whether changes fulfill all conditions. */
  def apply(conditions: Seq[Expression]): RowChange => Boolean = {
    val tests = conditions.map { c =>
      Predicate.createInterpreted(c.transform { case a: AttributeReference =>
        references(a.exprId)
      })
    }
    change => {
      val row = InternalRow(
        UTF8String.fromString(change.changeType.text),
        change.version,
        change.timestampMicros
      )
      tests.forall(_.eval(row))
    }
  }
}
