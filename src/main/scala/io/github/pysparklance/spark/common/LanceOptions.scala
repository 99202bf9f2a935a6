// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{InvalidRequestException, Parse}

/** Looks up options. Names ignore case, `_`, and `-`, so that `maxRowsPerFile`,
  * `max_rows_per_file`, `max-rows-per-file`, and all aliases are the same option.
  * [[OptionRegistry]] has the known options.
  *
  * @param set options of the read, write, or catalog
  * @param defaults sources of defaults, in order of precedence
  */
final private[spark] class LanceOptions private (
    set: Map[String, String],
    defaults: Seq[OptionDefaults]
) {
  private val values = LanceOptions.canonical(set)

  /** Options without defaults. */
  def this(set: Map[String, String]) = this(set, Nil)

  /** Returns the value of an option under any of its names.
    *
    * @throws IllegalArgumentException if the option is not registered
    */
  def text(name: String): Option[String] = value(name)(identity)

  /** Returns the value of an option, parsed by `read`.
    *
    * @throws InvalidRequestException if `read` throws it, unless [[OptionDefaults.read]] ignores
    *   invalid values
    */
  private def value[A](name: String)(read: String => A): Option[A] = {
    val option = OptionRegistry(name)
    LanceOptions
      .find(values, option)
      .map(read)
      .orElse(defaults.iterator.flatMap(_.read(option)(read)).find(_ => true))
  }

  /** Returns the options whose names start with an option's name or alias and a dot, by the rest of
    * their names as written.
    */
  def withPrefix(prefix: String): Map[String, String] = {
    val wanted = OptionRegistry.find(prefix).fold(Seq(LanceOptions.canonical(prefix)))(_.keys)
    set.flatMap { case (name, value) =>
      val (before, rest) = name.splitAt(name.indexOf('.').max(0))
      if (rest.length > 1 && wanted.contains(LanceOptions.canonical(before)))
        Some(rest.drop(1) -> value)
      else None
    }
  }

  /** Rejects names that would be ignored although they change the result: misspelled options,
    * options of other formats, and unknown session configurations. Also rejects two values for an
    * option. All other names are allowed, because Spark or a file system may use them.
    *
    * @param use operation of the options
    * @throws InvalidRequestException that names the option to use
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if an option of another format
    *   has no counterpart
    */
  def checkNames(use: OptionUse): Unit = {
    ForeignOptions.check(use, set)
    set.keys.foreach { name =>
      OptionNames.meant(LanceOptions.canonical(name)).foreach { known =>
        throw new InvalidRequestException(s"there is no option $name; did you mean $known?")
      }
    }
    checkTwice()
    defaults.foreach(_.checkNames())
  }

  private def checkTwice(): Unit =
    set.toSeq
      .flatMap { case (name, value) => OptionRegistry.find(name).map(o => (o, name, value)) }
      .groupBy(_._1)
      .foreach { case (option, found) =>
        if (found.map(_._3).distinct.length > 1)
          throw new InvalidRequestException(
            s"${found.map(_._2).sorted.mkString(" and ")} are names of one option, ${option.name}, and have " +
              s"different values: ${found.sortBy(_._2).map(_._3).mkString(", ")}"
          )
      }

  /** Returns an integer option with a minimum.
    *
    * @throws InvalidRequestException if the value is not such a number
    */
  def long(least: Long, name: String): Option[Long] =
    value(name)(LanceOptions.long(name, _, least))

  /** Returns an option in bytes with a minimum. Values are integers, or integers with a unit as in
    * Spark configurations: `64k`, `8m`.
    *
    * @throws InvalidRequestException if the value is not such a number
    */
  def bytes(least: Long, name: String): Option[Long] =
    value(name) { v =>
      Try(JavaUtils.byteStringAsBytes(v.trim)).toOption
        .filter(_ >= least)
        .getOrElse(
          throw new InvalidRequestException(
            s"option $name is '$v', a number of bytes of at least $least is expected, such as 64k"
          )
        )
    }

  /** Returns a boolean option.
    *
    * @throws InvalidRequestException if the value is neither `true` nor `false`
    */
  def boolean(name: String): Option[Boolean] = value(name)(LanceOptions.boolean(name, _))
}

/** Creates and parses options. */
private[spark] object LanceOptions {

  /** Returns options without defaults. */
  def apply(options: CaseInsensitiveStringMap): LanceOptions = new LanceOptions(own(options))

  /** Returns the options of a read or a write of a table. The order of precedence is: options of
    * the operation, session configurations `spark.lance.read.<name>` or `spark.lance.write.<name>`,
    * table properties, catalog options.
    */
  def apply(
      use: OptionUse,
      options: CaseInsensitiveStringMap,
      properties: Map[String, String],
      catalog: Map[String, String]
  ): LanceOptions = new LanceOptions(
    own(options),
    Seq(
      new OptionDefaults.OfSession(use, SQLConf.get.getAllConfs),
      new OptionDefaults.OfTable(use, properties),
      new OptionDefaults.OfCatalog(catalog)
    )
  )

  private def own(options: CaseInsensitiveStringMap): Map[String, String] =
    options.asCaseSensitiveMap().asScala.toMap

  /** Parses an integer with a minimum.
    *
    * @throws InvalidRequestException if the value is not such a number
    */
  def long(name: String, value: String, least: Long): Long =
    Parse.long(value.trim)
      .filter(_ >= least)
      .getOrElse(
        throw new InvalidRequestException(
          s"option $name is '$value', a whole number of at least $least is expected"
        )
      )

  /** Parses a boolean.
    *
    * @throws InvalidRequestException if the value is neither `true` nor `false`
    */
  def boolean(name: String, value: String): Boolean =
    Parse.boolean(value.trim).getOrElse(
      throw new InvalidRequestException(s"option $name is '$value', true or false is expected")
    )

  /** Returns the canonical spelling of a name, which is used for comparisons. The table properties
    * `lance.spark.write.max-rows-per-file` and `write.max-rows-per-file` mean `maxRowsPerFile`.
    */
  def canonical(name: String): String =
    name
      .toLowerCase(Locale.ROOT)
      .stripPrefix("lance.spark.")
      .stripPrefix("read.")
      .stripPrefix("write.")
      .filterNot(c => c == '_' || c == '-')

  private[common] def canonical(raw: Map[String, String]): Map[String, String] =
    raw.map { case (k, v) => canonical(k) -> v }

  private[common] def find(values: Map[String, String], option: LanceOption): Option[String] =
    option.keys.iterator.flatMap(values.get).find(_ => true)
}
