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

/** The options that select the version to read: `version` (`versionAsOf`), `tag`, `branch`, and
  * `timestampAsOf`.
  */
private[spark] object TravelOptions {

  /** Names of the options. */
  val names: Seq[String] = Seq("version", "tag", "branch", "timestampAsOf")

  /** Returns `None` for the latest version of the main branch.
    *
    * @throws InvalidRequestException if options contradict each other, or a value is invalid
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
        throw new InvalidRequestException(s"the options $names cannot be combined")
    }
  }

  /** Parses a version number. Numbers are unsigned and start at 1, which includes detached
    * versions.
    */
  def number(text: String): Option[Long] =
    Try(java.lang.Long.parseUnsignedLong(text.trim)).toOption.filter(_ != 0)

  /** Parses a timestamp: milliseconds since 1970, or a date or timestamp as in `TIMESTAMP AS OF`.
    * A four-digit value is a year. Without a time zone, the zone of the session is used.
    *
    * @param what name of the option, for messages
    */
  def instant(what: String, text: String): Instant = {
    def cast = DateTimeUtils
      .stringToTimestamp(
        UTF8String.fromString(text.trim),
        DateTimeUtils.getZoneId(SQLConf.get.sessionLocalTimeZone)
      )
      .map(PathTables.instant)
    val millis = Parse.long(text.trim).filterNot(_ => text.trim.matches("\\d{4}"))
    millis.map(Instant.ofEpochMilli).orElse(exact(text.trim)).orElse(cast).getOrElse(
      throw new InvalidRequestException(
        s"$what is '$text', which is not a time; expected milliseconds since 1970, or a date or time " +
          "such as 2026-01-31 09:00:00, with or without a zone such as Europe/Berlin"
      )
    )
  }

  /** Parses a timestamp with an offset, with nanoseconds as in version timestamps. */
  private def exact(text: String): Option[Instant] =
    Try(OffsetDateTime.parse(text.replaceFirst(" ", "T")).toInstant).toOption
}
