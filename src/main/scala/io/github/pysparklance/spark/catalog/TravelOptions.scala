// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.time.{Instant, OffsetDateTime}

import scala.util.Try

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.{InvalidRequestException, Parse}
import io.github.pysparklance.spark.common.LanceOptions
import io.github.pysparklance.table.refs.Revision

/** The options of a read that choose what is read: `version` (`versionAsOf`), `tag`, `branch`, `timestampAsOf`. */
private[spark] object TravelOptions {

  /** The options. */
  val names: Seq[String] = Seq("version", "tag", "branch", "timestampAsOf")

  /** None when the newest version of the main branch is meant.
    *
    * @throws InvalidRequestException when options contradict each other or cannot be read
    */
  def apply(options: LanceOptions): Option[Revision] = {
    val version = options.text("version").map { text =>
      number(text).getOrElse(
        throw new InvalidRequestException(
          s"option version is '$text', the number of a version is expected; the first is 1"
        )
      )
    }
    val tag = options.text("tag")
    val branch = options.text("branch")
    val time = options.text("timestampAsOf")
    (version, tag, branch, time) match {
      case (None, None, None, None) => None
      case (Some(v), None, None, None) => Some(Revision.Version(v))
      case (None, Some(t), None, None) => Some(Revision.Tagged(t))
      case (v, None, Some(b), None) => Some(Revision.OnBranch(b, v))
      case (None, None, b, Some(t)) => Some(Revision.AsOf(instant("option timestampAsOf", t), b))
      case _ =>
        val set =
          Seq("version" -> version, "tag" -> tag, "branch" -> branch, "timestampAsOf" -> time)
        val names = set.collect { case (name, Some(_)) => name }.mkString(", ")
        throw new InvalidRequestException(s"the options $names do not go together")
    }
  }

  /** The number of a version as text has it: from 1, unsigned, so that detached versions have one. */
  def number(text: String): Option[Long] =
    Try(java.lang.Long.parseUnsignedLong(text.trim)).toOption.filter(_ != 0)

  /** Milliseconds since 1970, or what a cast of the text to a timestamp makes of it, as in `TIMESTAMP AS OF`: a date or
    * time as SQL writes it, with any zone that Spark knows, else in the session's.
    *
    * @param what has the text, for messages
    */
  def instant(what: String, text: String): Instant = {
    def cast = DateTimeUtils
      .stringToTimestamp(
        UTF8String.fromString(text.trim),
        DateTimeUtils.getZoneId(SQLConf.get.sessionLocalTimeZone)
      )
      .map(PathTables.instant)
    Parse.long(text.trim).map(
      Instant.ofEpochMilli
    ).orElse(exact(text.trim)).orElse(cast).getOrElse(
      throw new InvalidRequestException(
        s"$what is '$text', which is no time; expected milliseconds since 1970, or a date or time " +
          "such as 2026-01-31 09:00:00, with or without a zone such as Europe/Berlin"
      )
    )
  }

  /** A time with an offset that is finer than a microsecond, as versions have them. */
  private def exact(text: String): Option[Instant] =
    Try(OffsetDateTime.parse(text.replaceFirst(" ", "T")).toInstant).toOption
}
