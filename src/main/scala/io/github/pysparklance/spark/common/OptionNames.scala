// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

/** Tells slips of the pen for a name of [[OptionRegistry]] from options of somebody else. */
private[common] object OptionNames {
  private val byCanonical: Map[String, String] = OptionRegistry.all
    .filter(_.isOfOperations)
    .flatMap(o => o.name +: o.aliases)
    .filterNot(_.contains('.'))
    .map(n => LanceOptions.canonical(n) -> n)
    .toMap

  /** The option that a name nearly has.
    *
    * @param name in the spelling that all are compared in
    */
  def meant(name: String): Option[String] =
    if (byCanonical.contains(name) || name.contains('.')) None
    else NearestName.of(name, byCanonical.keys).map(byCanonical)
}
