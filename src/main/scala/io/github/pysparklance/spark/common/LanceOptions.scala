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

/** Options as users spell them: lookup ignores case, `_` and `-`, so `maxRowsPerFile`, `max_rows_per_file` and
  * `max-rows-per-file` are one option, and so are all its aliases. What can be asked for is in [[OptionRegistry]].
  *
  * @param set what the read, write or catalog was given
  * @param defaults asked in turn for what is not set there
  */
final private[spark] class LanceOptions private (
    set: Map[String, String],
    defaults: Seq[OptionDefaults]
) {
  private val values = LanceOptions.canonical(set)

  /** Options without anything that stands in for them. */
  def this(set: Map[String, String]) = this(set, Nil)

  /** The value of an option under any of its names.
    *
    * @throws IllegalArgumentException when it is not registered
    */
  def text(name: String): Option[String] = value(name)(identity)

  /** The value of an option as `read` understands it.
    *
    * @throws InvalidRequestException when `read` does, for whatever was not passed over by [[OptionDefaults.read]]
    */
  private def value[A](name: String)(read: String => A): Option[A] = {
    val option = OptionRegistry(name)
    LanceOptions
      .find(values, option)
      .map(read)
      .orElse(defaults.iterator.flatMap(_.read(option)(read)).find(_ => true))
  }

  /** Options whose name begins with an option's name or alias and a dot, by the rest of the name as it was written. */
  def withPrefix(prefix: String): Map[String, String] = {
    val wanted = OptionRegistry.find(prefix).fold(Seq(LanceOptions.canonical(prefix)))(_.keys)
    set.flatMap { case (name, value) =>
      val (before, rest) = name.splitAt(name.indexOf('.').max(0))
      if (rest.length > 1 && wanted.contains(LanceOptions.canonical(before)))
        Some(rest.drop(1) -> value)
      else None
    }
  }

  /** Rejects names that would be ignored though they change the result: misspelled options, options of other formats,
    * and settings of the session that do nothing. Also rejects two values for one option. Other names pass, because they
    * may mean something to Spark or a file system.
    *
    * @param use what the options were given to
    * @throws InvalidRequestException that names the option to use
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for an option of another format without counterpart
    */
  def checkNames(use: OptionUse): Unit = {
    ForeignOptions.check(use, set)
    set.keys.foreach { name =>
      OptionNames.meant(LanceOptions.canonical(name)).foreach { known =>
        throw new InvalidRequestException(s"there is no option $name; is $known meant?")
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

  /** A whole number of at least `least`.
    *
    * @throws InvalidRequestException when the value is something else
    */
  def long(least: Long, name: String): Option[Long] =
    value(name)(LanceOptions.long(name, _, least))

  /** A number of bytes of at least `least`: a whole number, or one with a unit as Spark's settings have it, `64k`, `8m`.
    *
    * @throws InvalidRequestException when the value is something else
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

  /** @throws InvalidRequestException when the value is neither `true` nor `false` */
  def boolean(name: String): Option[Boolean] = value(name)(LanceOptions.boolean(name, _))
}

private[spark] object LanceOptions {

  /** What was given, and nothing that stands in for it. */
  def apply(options: CaseInsensitiveStringMap): LanceOptions = new LanceOptions(own(options))

  /** The options of a read or a write of a table: what was given to it, then the settings `spark.lance.read.<name>` or
    * `spark.lance.write.<name>` of the session, then the properties of the table, then those of its catalog.
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

  /** What an option says as a whole number of at least `least`.
    *
    * @throws InvalidRequestException when the value is something else
    */
  def long(name: String, value: String, least: Long): Long =
    Parse.long(value.trim)
      .filter(_ >= least)
      .getOrElse(
        throw new InvalidRequestException(
          s"option $name is '$value', a whole number of at least $least is expected"
        )
      )

  /** What an option says as `true` or `false`.
    *
    * @throws InvalidRequestException when the value is neither
    */
  def boolean(name: String, value: String): Boolean =
    Parse.boolean(value.trim).getOrElse(
      throw new InvalidRequestException(s"option $name is '$value', true or false is expected")
    )

  /** A name as all its spellings are compared. As the property of a table, `lance.spark.write.max-rows-per-file` or
    * `write.max-rows-per-file` is `maxRowsPerFile`.
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
