// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

/** Distinguishes misspelled names of [[OptionRegistry]] from options of other systems. */
private[common] object OptionNames {
  private val byCanonical: Map[String, String] = OptionRegistry.all
    .filter(_.isOfOperations)
    .flatMap(o => o.name +: o.aliases)
    .filterNot(_.contains('.'))
    .map(n => LanceOptions.canonical(n) -> n)
    .toMap

  /** Returns the option that a misspelled name probably means.
    *
    * @param name name in canonical spelling
    */
  def meant(name: String): Option[String] =
    if (byCanonical.contains(name) || name.contains('.')) None
    else NameSuggestion.of(name, byCanonical.keys).map(byCanonical)
}
