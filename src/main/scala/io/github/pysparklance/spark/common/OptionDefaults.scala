// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import io.github.pysparklance.core.InvalidRequestException

/** Something that stands in for options a read or write was not given. */
sealed abstract private[common] class OptionDefaults {

  /** What it says of an option; none of one that it cannot set. */
  def text(option: LanceOption): Option[String]

  /** @throws InvalidRequestException when it names options that there are not */
  def checkNames(): Unit
}

private[common] object OptionDefaults {

  /** Properties of a table or a catalog, among which are names that mean something to others. */
  final class Lasting(properties: Map[String, String]) extends OptionDefaults {
    private val values = LanceOptions.canonical(properties)

    def text(option: LanceOption): Option[String] =
      if (option.life == OptionLife.Lasting) LanceOptions.find(values, option) else None

    def checkNames(): Unit = ()
  }

  /** The settings `spark.lance.<use>.<name>` of a session. All of them are ours. */
  final class OfSession(use: OptionUse, settings: Map[String, String]) extends OptionDefaults {
    private val prefix = s"spark.lance.${use.text}."

    private val named = settings.collect {
      case (k, v) if k.startsWith(prefix) => k.substring(prefix.length) -> v
    }

    private val values = LanceOptions.canonical(named)

    def text(option: LanceOption): Option[String] =
      if (option.life == OptionLife.Once) None else LanceOptions.find(values, option)

    def checkNames(): Unit = named.keys.foreach { name =>
      OptionRegistry.find(name).filter(_.uses.contains(use)) match {
        case Some(option) if option.life == OptionLife.Once =>
          throw new InvalidRequestException(
            s"the setting $prefix$name: ${option.name} is an option of one ${use.text}, not of a session"
          )
        case Some(_) => ()
        case None =>
          ForeignOptions.find(use, name).foreach(_.check(s"$prefix$name", "set"))
          val known = OptionNames.meant(LanceOptions.canonical(name))
          throw new InvalidRequestException(
            s"there is no option for the setting $prefix$name" +
              known.fold("")(k => s"; is $prefix$k meant?")
          )
      }
    }
  }
}
