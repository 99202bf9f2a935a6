// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import io.github.pysparklance.core.{InvalidRequestException, Optional}

/** The names of the options of a read that ask for the changes of a table instead of its rows. */
private[spark] object ChangeFeedOptions {

  /** The option that asks for changes. */
  val ReadChangeFeed: String = "readChangeFeed"

  /** The options that say which changes. */
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

  /** Whether options ask for changes, whatever format they are for. */
  def asked(options: LanceOptions): Boolean =
    options.text(ReadChangeFeed).exists(_.trim.equalsIgnoreCase("true"))

  /** Rejects options of a change feed that the options do not ask for.
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
    * @param name of a table without a change feed
    * @throws InvalidRequestException that names the option
    */
  def refuse(options: LanceOptions, name: String): Unit = {
    val feed = Optional.when(options.boolean(ReadChangeFeed).contains(true))(ReadChangeFeed)
    feed.orElse(details.find(options.text(_).isDefined)).foreach { option =>
      throw new InvalidRequestException(
        s"the option $option: $name has no change feed; set $ReadChangeFeed for reads of the table itself"
      )
    }
  }
}
