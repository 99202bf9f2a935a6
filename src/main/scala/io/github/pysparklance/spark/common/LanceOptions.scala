// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.InvalidRequestException

/** Options as users spell them: lookup ignores case, `_` and `-`, so `maxRowsPerFile`, `max_rows_per_file` and
  * `max-rows-per-file` are one option.
  *
  * @param fallback asked for what is not set here
  */
final private[spark] class LanceOptions(
    raw: Map[String, String],
    fallback: Option[LanceOptions] = None
) {
  private val values = raw.map { case (k, v) => LanceOptions.canonical(k) -> v }

  /** The value of the first of these names that is set. */
  def text(name: String, aliases: String*): Option[String] =
    (name +: aliases).iterator
      .flatMap(n => values.get(LanceOptions.canonical(n)))
      .nextOption()
      .orElse(fallback.flatMap(_.text(name, aliases: _*)))

  /** These options, and for what they leave open the properties of the table. */
  def orElse(properties: Map[String, String]): LanceOptions =
    new LanceOptions(raw, Some(new LanceOptions(properties, fallback)))

  /** Refuses a name that must be a slip of the pen for one of ours. Other names pass, as they may mean something to
    * Spark or a file system.
    *
    * @throws InvalidRequestException that says what was meant
    */
  def checkNames(): Unit = raw.keys.foreach { name =>
    OptionNames.meant(LanceOptions.canonical(name)).foreach { known =>
      throw new InvalidRequestException(s"there is no option $name; is $known meant?")
    }
  }

  /** A whole number of at least `least`.
    *
    * @throws InvalidRequestException when the value is something else
    */
  def long(least: Long, name: String, aliases: String*): Option[Long] =
    text(name, aliases: _*).map { v =>
      v.trim.toLongOption
        .filter(_ >= least)
        .getOrElse(
          throw new InvalidRequestException(
            s"option $name is '$v', a whole number of at least $least is expected"
          )
        )
    }

  /** A number of bytes of at least `least`: a whole number, or one with a unit as Spark's settings have it, `64k`, `8m`.
    *
    * @throws InvalidRequestException when the value is something else
    */
  def bytes(least: Long, name: String, aliases: String*): Option[Long] =
    text(name, aliases: _*).map { v =>
      Try(JavaUtils.byteStringAsBytes(v.trim)).toOption
        .filter(_ >= least)
        .getOrElse(
          throw new InvalidRequestException(
            s"option $name is '$v', a number of bytes of at least $least is expected, such as 64k"
          )
        )
    }

  /** @throws InvalidRequestException when the value is neither `true` nor `false` */
  def boolean(name: String): Option[Boolean] =
    text(name).map { v =>
      v.trim.toBooleanOption.getOrElse(
        throw new InvalidRequestException(s"option $name is '$v', true or false is expected")
      )
    }
}

private[spark] object LanceOptions {

  /** The options of a read or write. */
  def apply(options: CaseInsensitiveStringMap): LanceOptions =
    new LanceOptions(options.asCaseSensitiveMap().asScala.toMap)

  /** A name as all its spellings are compared. */
  def canonical(name: String): String =
    name.toLowerCase(Locale.ROOT).filterNot(c => c == '_' || c == '-')
}
