// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import io.github.pysparklance.core.InvalidRequestException

/** The names of the options of `readStream`. */
private[spark] object StreamOptionNames {

  /** Options that only streams have. */
  val own: Seq[String] = Seq(
    "maxRowsPerTrigger",
    "maxBytesPerTrigger",
    "maxFragmentsPerTrigger",
    "ignoreDeletes",
    "ignoreChanges",
    "skipChangeCommits",
    "failOnDataLoss",
    "keepUnreadVersions"
  )

  /** Options that streams do not have. */
  private val ofBatch: Seq[String] = Seq(
    "version",
    "tag",
    "timestampAsOf",
    "endingVersion",
    "endingTimestamp",
    "netChanges",
    "includeDeletedRows",
    "fastSearch",
    "nearest",
    "fullTextQuery"
  )

  /** Rejects options of streams in a batch query.
    *
    * @throws InvalidRequestException that names the option
    */
  def rejectInBatch(options: LanceOptions): Unit = {
    own.find(options.text(_).isDefined).foreach { name =>
      throw new InvalidRequestException(
        s"the option $name is for streams: use readStream, or leave it out"
      )
    }
    Seq("latest", "earliest").find(w =>
      options.text("startingVersion").exists(_.trim.equalsIgnoreCase(w))
    )
      .foreach { word =>
        throw new InvalidRequestException(
          s"the option startingVersion is '$word', which is for streams: set it to the number of a version"
        )
      }
  }

  /** Rejects options of batch queries in a stream.
    *
    * @throws InvalidRequestException that names the option
    */
  def rejectOfBatch(options: LanceOptions): Unit =
    ofBatch.find(n => options.text(n).exists(!_.trim.equalsIgnoreCase("false"))).foreach { name =>
      throw new InvalidRequestException(
        s"the option $name is for batch queries: a stream reads a table or branch from its latest version on, or " +
          "from startingVersion or startingTimestamp on"
      )
    }
}
