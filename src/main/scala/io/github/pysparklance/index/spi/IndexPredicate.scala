// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

/** A predicate that an index can evaluate on the values of its column. It is null for null values,
  * except [[IndexPredicate.IsNull]].
  */
sealed trait IndexPredicate {

  /** Whether evaluating the predicate on a row costs more than reading the row. */
  def isCostly: Boolean = false
}

/** Kinds of predicates. */
object IndexPredicate {

  /** Matches values within the ranges: `=`, `IN`, `<`, `BETWEEN`, `LIKE 'p%'`.
    *
    * @param keyType key type of the values
    */
  final case class Within(ranges: KeyRanges, keyType: KeyType) extends IndexPredicate

  /** Matches null values. */
  case object IsNull extends IndexPredicate

  /** Matches strings that contain a substring. */
  final case class Contains(text: String) extends IndexPredicate

  /** Matches lists that contain at least one of the values. Null if no value is found and an
    * element is null.
    */
  final case class HasAny(values: KeyRanges) extends IndexPredicate

  /** Matches texts by their words. Only full-text indices evaluate it. */
  trait OfWords extends IndexPredicate {
    override def isCostly: Boolean = true
  }
}
