// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

/** What an index can be asked about the values of its column. Null for a null value, but for [[IndexPredicate.IsNull]]. */
sealed trait IndexPredicate

object IndexPredicate {

  /** Values in one of some ranges: `=`, `IN`, `<`, `BETWEEN`, `LIKE 'p%'`.
    *
    * @param keyType of the values
    */
  final case class Within(ranges: KeyRanges, keyType: KeyType) extends IndexPredicate

  /** Null values. */
  case object IsNull extends IndexPredicate

  /** Strings that contain another. */
  final case class Contains(text: String) extends IndexPredicate

  /** Lists that contain one of some values at least. Null when none of them is found and an element is null. */
  final case class HasAny(values: KeyRanges) extends IndexPredicate
}
