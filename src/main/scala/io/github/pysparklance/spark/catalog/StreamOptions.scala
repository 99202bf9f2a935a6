// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util.Locale

import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{InvalidRequestException, Parse}
import io.github.pysparklance.spark.common.{
  ChangeFeedOptions,
  LanceOptions,
  OptionUse,
  StreamOptionNames
}
import io.github.pysparklance.spark.scan.ScanStreams
import io.github.pysparklance.spark.scan.changes.IdentifierColumns
import io.github.pysparklance.spark.scan.task.ReadTask
import io.github.pysparklance.spark.streaming.{
  ChangeCommits,
  LanceStream,
  StreamLimits,
  StreamRequest,
  StreamStart
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.changes.ChangeBound

/** The options of `readStream`. */
private[spark] object StreamOptions {

  /** Parses the options of a stream.
    *
    * @throws InvalidRequestException if options are not for streams, contradict each other, or
    *   cannot be read
    */
  def apply(options: LanceOptions): StreamRequest = {
    options.checkNames(OptionUse.Read)
    StreamOptionNames.rejectOfBatch(options)
    val readsChanges = options.boolean(ChangeFeedOptions.ReadChangeFeed).contains(true)
    val identifiers = options.text("identifierColumns").map(ChangeOptions.columns)
    if (identifiers.isDefined && !readsChanges)
      throw new InvalidRequestException(
        s"the option identifierColumns is for reads of changes: set ${ChangeFeedOptions.ReadChangeFeed} to true as well"
      )
    StreamRequest(
      start(options),
      StreamLimits(
        options.long(1, "maxRowsPerTrigger"),
        options.bytes(1, "maxBytesPerTrigger"),
        options.long(1, "maxFragmentsPerTrigger")
      ),
      changeCommits(options, readsChanges),
      if (readsChanges) Some(identifiers.getOrElse(Nil)) else None,
      options.boolean("failOnDataLoss").getOrElse(true),
      options.boolean("keepUnreadVersions").getOrElse(false)
    )
  }

  private def start(options: LanceOptions): StreamStart =
    (options.text("startingVersion").map(_.trim), options.text("startingTimestamp")) match {
      case (Some(_), Some(_)) =>
        throw new InvalidRequestException(
          "the options startingVersion and startingTimestamp cannot be combined"
        )
      case (Some(version), None) => startingVersion(version)
      case (None, Some(time)) =>
        val instant = TravelOptions.instant("option startingTimestamp", time)
        StreamStart.At(ChangeBound.Time(instant))
      case (None, None) => StreamStart.Snapshot
    }

  private def startingVersion(text: String): StreamStart = text.toLowerCase(Locale.ROOT) match {
    case "latest" => StreamStart.Latest
    case "earliest" => StreamStart.Earliest
    case number =>
      val version = Parse.long(number).filter(_ >= 1).getOrElse(
        throw new InvalidRequestException(
          s"option startingVersion is '$text'; the number of a version, latest, or earliest is expected. The first " +
            "version is 1"
        )
      )
      StreamStart.At(ChangeBound.Version(version))
  }

  private def changeCommits(options: LanceOptions, readsChanges: Boolean): ChangeCommits = {
    val set = Seq("ignoreDeletes", "ignoreChanges", "skipChangeCommits")
      .filter(options.boolean(_).contains(true))
    if (readsChanges)
      set.headOption.foreach { name =>
        throw new InvalidRequestException(
          s"the options ${ChangeFeedOptions.ReadChangeFeed} and $name cannot be combined: a change feed has all changes"
        )
      }
    if (set.contains("ignoreChanges") && set.contains("skipChangeCommits"))
      throw new InvalidRequestException(
        "the options ignoreChanges and skipChangeCommits cannot be combined: the first one reads the rows that " +
          "changes wrote, the second one skips them"
      )
    if (set.contains("skipChangeCommits")) ChangeCommits.Skip
    else if (set.contains("ignoreChanges")) ChangeCommits.IgnoreChanges
    else if (set.contains("ignoreDeletes")) ChangeCommits.IgnoreDeletes
    else ChangeCommits.Fail
  }
}

/** Streams of a table, with the options of a read.
  *
  * @param table the version with the columns of the stream
  */
final private[catalog] class TableStreams(
    loaded: LoadedTable,
    table: LanceTable,
    options: CaseInsensitiveStringMap
) extends ScanStreams {
  private val own = LanceOptions(options)

  override def checkBatch(): Unit = {
    StreamOptionNames.rejectInBatch(own)
    if (!own.boolean(ChangeFeedOptions.ReadChangeFeed).contains(true))
      ChangeFeedOptions.checkDetails(own)
  }

  override def stream(read: ReadTask, checkpoint: String): MicroBatchStream = {
    if (loaded.isPinned)
      throw new InvalidRequestException(
        s"${loaded.name} is read at ${TableSelector.text(loaded.revision.get)}, which has no later commits: a " +
          "stream reads a table or branch"
      )
    val requested = StreamOptions(own)
    val request = requested.copy(
      identifierColumns =
        requested.identifierColumns.map(IdentifierColumns.resolved(_, table.schema))
    )
    LanceStream(
      loaded.home,
      table,
      loaded.types.fields(table.schema),
      read,
      request,
      checkpoint
    )
  }
}
