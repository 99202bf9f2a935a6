// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

/** All options there are. Who asks for one that is not here fails at once; `docs/options.md` has the table made from it.
  * A new option takes a line in [[ReadOptionList]], [[WriteOptionList]] or [[CatalogOptionList]].
  */
private[spark] object OptionRegistry {

  /** In the order of the documentation. */
  val all: Seq[LanceOption] = ReadOptionList.all ++ WriteOptionList.all ++ CatalogOptionList.all

  private val byKey: Map[String, LanceOption] = all.flatMap(o => o.keys.map(_ -> o)).toMap

  /** The option of this name or alias.
    *
    * @throws IllegalArgumentException when it is not registered, which is an error of the code that asks
    */
  def apply(name: String): LanceOption = find(name).getOrElse(
    throw new IllegalArgumentException(s"option $name is not registered")
  )

  /** The option of this name or alias, if there is one. */
  def find(name: String): Option[LanceOption] = byKey.get(LanceOptions.canonical(name))

  /** The table of the documentation. */
  def table: String = {
    val head =
      Seq("| option | applies to | also set by | default | meaning |", "|---|---|---|---|---|")
    (head ++ all.map(_.row)).mkString("", "\n", "\n")
  }
}

/** How the lists of options are written. */
abstract private[common] class OptionList {
  def all: Seq[LanceOption]

  protected def use: OptionUse

  /** An option that a session, a table or a catalog may set for all its reads or writes. */
  final protected def lasting(name: String, default: String, aliases: String*)(
      meaning: String
  ): LanceOption = LanceOption(name, Seq(use), aliases, default, meaning, OptionLife.Lasting)

  /** An option of one read, one write, one catalog. */
  final protected def once(name: String, default: String, aliases: String*)(
      meaning: String
  ): LanceOption = LanceOption(name, Seq(use), aliases, default, meaning, OptionLife.Once)
}
