// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import io.github.pysparklance.core.{InvalidRequestException, Log}

/** A source of values for options that a read or write does not set. */
sealed abstract private[common] class OptionDefaults {

  /** Returns the text of an option, or `None` if it is not set or cannot be set here. */
  protected def text(option: LanceOption): Option[String]

  /** Returns the value of an option, parsed by `read`.
    *
    * @throws InvalidRequestException if `read` throws it
    */
  def read[A](option: LanceOption)(read: String => A): Option[A] = text(option).map(read)

  /** @throws InvalidRequestException if an option does not exist */
  def checkNames(): Unit
}

/** Sources of defaults. */
private[common] object OptionDefaults {
  private val log = Log(classOf[OptionDefaults])

  /** Properties of a table, which may contain names of other systems. Reads ignore an invalid value
    * with a warning. It must not make the table unreadable, and none of these options changes the
    * result.
    */
  final class OfTable(use: OptionUse, properties: Map[String, String]) extends OptionDefaults {
    private val values = LanceOptions.canonical(properties)

    override def read[A](option: LanceOption)(read: String => A): Option[A] =
      try super.read(option)(read)
      catch {
        case e: InvalidRequestException if use == OptionUse.Read =>
          log.warn(s"The table's property ${option.name} is ignored: ${e.getMessage}")
          None
      }

    protected def text(option: LanceOption): Option[String] =
      if (option.life == OptionLife.Lasting) LanceOptions.find(values, option) else None

    def checkNames(): Unit = ()
  }

  /** Properties of a catalog, which may contain names of other systems. */
  final class OfCatalog(properties: Map[String, String]) extends OptionDefaults {
    private val values = LanceOptions.canonical(properties)

    protected def text(option: LanceOption): Option[String] =
      if (option.life == OptionLife.Lasting || option.life == OptionLife.OfReader)
        LanceOptions.find(values, option)
      else None

    def checkNames(): Unit = ()
  }

  /** Session configurations `spark.lance.<use>.<name>`. Other systems do not use this prefix. */
  final class OfSession(use: OptionUse, configuration: Map[String, String]) extends OptionDefaults {
    private val prefix = s"spark.lance.${use.text}."

    private val named = configuration.collect {
      case (k, v) if k.startsWith(prefix) => k.substring(prefix.length) -> v
    }

    private val values = LanceOptions.canonical(named)

    protected def text(option: LanceOption): Option[String] =
      if (option.life == OptionLife.Once) None else LanceOptions.find(values, option)

    def checkNames(): Unit = named.keys.foreach { name =>
      OptionRegistry.find(name).filter(_.uses.contains(use)) match {
        case Some(option) if option.life == OptionLife.Once =>
          throw new InvalidRequestException(
            s"the session configuration $prefix$name: ${option.name} is an option of one ${use.text}, not of a session"
          )
        case Some(_) => ()
        case None =>
          ForeignOptions.find(use, name).foreach(_.check(s"$prefix$name", "set"))
          val known = OptionNames.meant(LanceOptions.canonical(name))
          throw new InvalidRequestException(
            s"there is no option for the session configuration $prefix$name" +
              known.fold("")(k => s"; did you mean $prefix$k?")
          )
      }
    }
  }
}
