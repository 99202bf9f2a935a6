// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.AnalysisException

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.common.ChangeFeedOptions
import io.github.pysparklance.spark.shim.SparkShim

/** Errors that stop a stream. Each has its own error condition. */
private[streaming] object StreamErrors {

  private def error(
      condition: String,
      message: String,
      path: Option[String] = None,
      version: Option[Long] = None,
      cause: Throwable = null
  ): AnalysisException = {
    val ours = new InvalidRequestException(message, Place(path = path, version = version), cause)
    val parameters = path.map("path" -> _) ++ version.map("version" -> _.toString)
    SparkShim.analysisException(ours.getMessage, condition, parameters.toMap, ours)
  }

  /** A commit removed or changed rows. */
  def changedRows(path: String, version: Long, isDelete: Boolean): AnalysisException = {
    val what = if (isDelete) "deleted rows" else "updated, replaced, or restored rows"
    val options =
      if (isDelete)
        "set the option ignoreDeletes or skipChangeCommits to true to skip such commits"
      else
        "set the option skipChangeCommits to true to skip such commits, or ignoreChanges to read the rows that " +
          "they wrote"
    error(
      "LANCE_STREAM_CHANGED_ROWS",
      s"the commit $what, and the stream reads appended rows only: $options; or set " +
        s"${ChangeFeedOptions.ReadChangeFeed} to true to read all changes",
      Some(path),
      Some(version)
    )
  }

  /** The columns of the table changed. */
  def changedSchema(path: String, version: Long, difference: String): AnalysisException = error(
    "LANCE_STREAM_SCHEMA_CHANGED",
    s"the columns of the table changed: $difference. Restart the query with a new readStream and the same " +
      "checkpoint, to read the table with its present columns",
    Some(path),
    Some(version)
  )

  /** Versions were cleaned up before they were read. */
  def dataLoss(path: String, version: Long, why: String, cause: Throwable): AnalysisException =
    error(
      "LANCE_STREAM_DATA_LOSS",
      s"rows that were not read yet cannot be read any more: $why. Set the option " +
        "failOnDataLoss to false to continue with the versions that exist",
      Some(path),
      Some(version),
      cause
    )

  /** The first version of the stream does not exist yet. */
  def startsLater(path: String, version: Long, latest: Long): AnalysisException = error(
    "LANCE_STREAM_START",
    s"the stream is to start with version $version, and the latest version is $latest. Start with version " +
      s"${latest + 1} or an earlier one, or with startingVersion = latest",
    Some(path),
    Some(version)
  )

  /** The number of parts of a version differs from the checkpoint. */
  def otherParts(path: String, offset: StreamOffset, found: Int): AnalysisException = error(
    "LANCE_STREAM_OFFSET",
    s"${offset.position} of ${offset.parts} fragments of version ${offset.version} were read, and it has $found " +
      "now. Restart the query with the options of the reader that it had, until this version is read",
    Some(path),
    Some(offset.version)
  )

  /** The checkpoint belongs to another table. */
  def otherTable(path: String, version: Long, why: String): AnalysisException = error(
    "LANCE_STREAM_OTHER_TABLE",
    s"the checkpoint is of another table, or the table was dropped and created again: $why. Use another checkpoint " +
      "folder",
    Some(path),
    Some(version)
  )

  /** The table of a running query, or of a `DataFrame` that was made earlier, exists no more. */
  def recreated(path: String, version: Long): AnalysisException = error(
    "LANCE_STREAM_OTHER_TABLE",
    s"the table was dropped and created again after readStream was called: version $version is another commit " +
      "now. Call readStream again, and start the query with another checkpoint folder",
    Some(path),
    Some(version)
  )

  /** The rows of an upserting stream lack columns of the table. */
  def missingColumns(path: String, version: Long, columns: Seq[String]): AnalysisException = error(
    "LANCE_STREAM_MISSING_COLUMNS",
    s"the rows of the stream lack columns of the table: ${columns.mkString(", ")}. An upsert replaces whole " +
      "rows, and the values in these columns would be lost. Add the columns to the rows of the stream, or update " +
      "the other columns with MERGE in foreachBatch",
    Some(path),
    Some(version)
  )

  /** The JSON is not an offset of this source. */
  def badOffset(json: String, cause: Throwable): AnalysisException = error(
    "LANCE_STREAM_OFFSET",
    s"the checkpoint has an offset that is not one of a Lance table: $json",
    cause = cause
  )

  /** A later release wrote the offset. */
  def laterFormat(found: Long, known: Int): AnalysisException = error(
    "LANCE_STREAM_OFFSET",
    s"the checkpoint has an offset of format version $found, which a later release of pyspark-lance wrote; this " +
      s"release reads format versions up to $known"
  )
}
