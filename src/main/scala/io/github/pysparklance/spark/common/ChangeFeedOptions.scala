// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import io.github.pysparklance.core.{InvalidRequestException, Optional}

/** The names of the options of a change feed: a read of the changes of a table instead of its rows.
  */
private[spark] object ChangeFeedOptions {

  /** The option that turns a read into a read of changes. */
  val ReadChangeFeed: String = "readChangeFeed"

  /** The options that select changes. */
  val details: Seq[String] = Seq(
    "startingVersion",
    "startingTimestamp",
    "endingVersion",
    "endingTimestamp",
    "netChanges",
    "identifierColumns"
  )

  /** All of them. */
  val names: Seq[String] = ReadChangeFeed +: details

  /** Returns whether options request changes, for a source of any format. */
  def requested(options: LanceOptions): Boolean =
    options.text(ReadChangeFeed).exists(_.trim.equalsIgnoreCase("true"))

  /** The error for a batch query on changes without a first version. */
  def withoutStart: InvalidRequestException = new InvalidRequestException(
    s"$ReadChangeFeed needs the first version: set startingVersion or startingTimestamp"
  )

  /** Rejects options of a change feed in a read of rows.
    *
    * @throws InvalidRequestException that names the option
    */
  def checkDetails(options: LanceOptions): Unit =
    details.find(options.text(_).isDefined).foreach { name =>
      throw new InvalidRequestException(
        s"the option $name is for reads of changes: set $ReadChangeFeed to true as well"
      )
    }

  /** Rejects all options of a change feed.
    *
    * @param name name of a table without a change feed
    * @throws InvalidRequestException that names the option
    */
  def reject(options: LanceOptions, name: String): Unit = {
    val feed = Optional.when(options.boolean(ReadChangeFeed).contains(true))(ReadChangeFeed)
    feed.orElse(details.find(options.text(_).isDefined)).foreach { option =>
      throw new InvalidRequestException(
        s"the option $option: $name has no change feed; set $ReadChangeFeed for reads of the table itself"
      )
    }
  }
}
