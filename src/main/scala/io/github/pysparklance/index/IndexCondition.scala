// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.index.spi.IndexPredicate

/** A condition on the values of rows, as far as indices may answer it. */
sealed trait IndexCondition

object IndexCondition {

  /** A predicate on the values of one field.
    *
    * @param fieldId of the leaf, or of the list if the predicate is on lists
    * @param valueType of the values, or of the elements of the list
    */
  final case class Test(fieldId: Int, valueType: LogicalType, predicate: IndexPredicate)
      extends IndexCondition

  final case class And(left: IndexCondition, right: IndexCondition) extends IndexCondition
  final case class Or(left: IndexCondition, right: IndexCondition) extends IndexCondition
  final case class Not(condition: IndexCondition) extends IndexCondition

  /** Null for every row. */
  case object Null extends IndexCondition

  /** A condition that no index answers. */
  case object Unknown extends IndexCondition
}
