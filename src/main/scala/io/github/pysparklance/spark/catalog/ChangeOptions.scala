// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{InvalidRequestException, Optional, Parse}
import io.github.pysparklance.spark.common.ChangeFeedOptions.ReadChangeFeed
import io.github.pysparklance.spark.common.{
  ChangeFeedOptions,
  LanceOptions,
  OptionRegistry,
  StreamOptionNames
}
import io.github.pysparklance.spark.scan.changes.ChangeRequest
import io.github.pysparklance.table.changes.ChangeBound

/** Reads the options of a change feed: a read of the changes of a table instead of its rows. */
private[spark] object ChangeOptions {

  /** Returns the requested changes, or `None` for a read of rows.
    *
    * @throws InvalidRequestException if options contradict each other, or cannot be read
    */
  def apply(options: LanceOptions): Option[ChangeRequest] =
    if (options.boolean(ReadChangeFeed).contains(true)) Some(request(options))
    else {
      ChangeFeedOptions.checkDetails(options)
      None
    }

  /** Whether options have the first version of a batch query. */
  def hasStart(options: LanceOptions): Boolean =
    options.text("startingTimestamp").isDefined ||
      options.text("startingVersion").exists(v => Parse.long(v.trim).isDefined)

  /** Returns the options of a read of changes, with bounds that Spark has parsed. */
  def withBounds(
      options: CaseInsensitiveStringMap,
      begin: Option[ChangeBound],
      end: Option[ChangeBound],
      net: Boolean
  ): CaseInsensitiveStringMap = {
    val parsed = bounded("starting", begin) ++ bounded("ending", end) ++
      Optional.when(net)("netChanges" -> "true") + (ReadChangeFeed -> "true")
    val replaced = Set(
      ReadChangeFeed,
      "startingVersion",
      "startingTimestamp",
      "endingVersion",
      "endingTimestamp"
    ) ++ parsed.keys
    val others = options.asCaseSensitiveMap().asScala.filterNot { case (name, _) =>
      OptionRegistry.find(name).exists(o => replaced(o.name))
    }
    new CaseInsensitiveStringMap((others.toMap ++ parsed).asJava)
  }

  private def bounded(side: String, bound: Option[ChangeBound]): Map[String, String] =
    bound.map {
      case ChangeBound.Version(v) => s"${side}Version" -> v.toString
      case ChangeBound.Time(t) => s"${side}Timestamp" -> t.toString
    }.toMap

  private def request(options: LanceOptions): ChangeRequest = {
    // With a start, the table may be that of a stream, and the scan of a batch query rejects the
    // options.
    if (!hasStart(options)) StreamOptionNames.rejectInBatch(options)
    val begin = bound(options, "startingVersion", "startingTimestamp").getOrElse(
      throw ChangeFeedOptions.withoutStart
    )
    ChangeRequest(
      begin,
      bound(options, "endingVersion", "endingTimestamp"),
      options.boolean("netChanges").getOrElse(false),
      options.text("identifierColumns").fold(Seq.empty[String])(columns)
    )
  }

  private def bound(options: LanceOptions, version: String, time: String): Option[ChangeBound] =
    (options.long(0, version), options.text(time)) match {
      case (Some(_), Some(_)) =>
        throw new InvalidRequestException(s"the options $version and $time cannot be combined")
      case (Some(v), None) => Some(ChangeBound.Version(v))
      case (None, t) =>
        t.map(text => ChangeBound.Time(TravelOptions.instant(s"option $time", text)))
    }

  /** Names of columns with commas between them; commas in backticks belong to a name. */
  def columns(text: String): Seq[String] = {
    val names = Seq.newBuilder[String]
    val name = new StringBuilder
    var isQuoted = false
    text.foreach {
      case ',' if !isQuoted =>
        names += name.toString.trim
        name.clear()
      case c =>
        if (c == '`') isQuoted = !isQuoted
        name += c
    }
    names += name.toString.trim
    names.result().filter(_.nonEmpty)
  }
}
