// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

/** All options. Access to an unregistered option throws. `docs/options.md` has the generated table.
  * Add new options to [[ReadOptionList]], [[WriteOptionList]], or [[CatalogOptionList]].
  */
private[spark] object OptionRegistry {

  /** In the order of the documentation. */
  val all: Seq[LanceOption] = ReadOptionList.all ++ WriteOptionList.all ++ CatalogOptionList.all

  private val byKey: Map[String, LanceOption] = all.flatMap(o => o.keys.map(_ -> o)).toMap

  /** Returns the option with a name or alias.
    *
    * @throws IllegalArgumentException if it is not registered, which is a programming error
    */
  def apply(name: String): LanceOption = find(name).getOrElse(
    throw new IllegalArgumentException(s"option $name is not registered")
  )

  /** Returns the option with a name or alias, if it is registered. */
  def find(name: String): Option[LanceOption] = byKey.get(LanceOptions.canonical(name))

  /** The table of the documentation. */
  def table: String = {
    val head =
      Seq("| option | applies to | also set by | default | meaning |", "|---|---|---|---|---|")
    (head ++ all.map(_.row)).mkString("", "\n", "\n")
  }
}

/** Helpers to list options. */
abstract private[common] class OptionList {
  def all: Seq[LanceOption]

  protected def use: OptionUse

  /** An option that a session, table, or catalog can set for all its reads or writes. */
  final protected def lasting(name: String, default: String, aliases: String*)(
      meaning: String
  ): LanceOption = LanceOption(name, Seq(use), aliases, default, meaning, OptionLife.Lasting)

  /** An option of a single read, write, or catalog. */
  final protected def once(name: String, default: String, aliases: String*)(
      meaning: String
  ): LanceOption = LanceOption(name, Seq(use), aliases, default, meaning, OptionLife.Once)
}
