// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.write.{
  LogicalWriteInfo,
  SupportsTruncate,
  Write,
  WriteBuilder
}
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.common.{LanceErrors, TableLocation}
import io.github.pysparklance.spark.shim.StreamQuery
import io.github.pysparklance.spark.write.WriteMode
import io.github.pysparklance.table.LanceTable

/** Starts streaming writes. Spark plans each micro-batch of a query as a separate write on the
  * table object of the query's start.
  */
private[spark] object StreamingWrites {

  /** Local property with the id of the query that runs micro-batches on a thread. */
  private val queryId = "sql.streaming.queryId"

  /** Whether a write is the sink of a streaming query. Writes in `foreachBatch` have other ids. */
  def isStream(info: LogicalWriteInfo): Boolean =
    SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession).exists { session =>
      Option(session.sparkContext.getLocalProperty(queryId)).contains(info.queryId())
    }

  /** Checks the options of a streaming write before the query starts.
    *
    * @throws org.apache.spark.sql.AnalysisException that names the invalid option
    */
  def check(options: CaseInsensitiveStringMap): Unit =
    LanceErrors.translated(SinkOptions(options)): Unit

  /** Checks options and modes of a streaming query, without the table.
    *
    * @param location location of the table or branch
    * @throws InvalidRequestException if options are invalid, or a mode is not supported
    */
  def check(info: LogicalWriteInfo, location: TableLocation): Unit =
    sinkOptionsOf(info, location): Unit

  private def sinkOptionsOf(info: LogicalWriteInfo, location: TableLocation): SinkOptions = {
    def reject(problem: String): Nothing =
      throw new InvalidRequestException(problem, Place(path = Some(location.path)))
    val sinkOptions = SinkOptions(info.options())
    val mode = Option(StreamQuery.outputMode(SparkSession.active, info.queryId()))
    if (sinkOptions.upsertKeys.isEmpty && mode.contains(OutputMode.Update()))
      reject(
        "a streaming write in output mode update needs the option upsertKeys, the columns that identify rows; " +
          "without it, use output mode append or complete"
      )
    if (sinkOptions.upsertKeys.nonEmpty && mode.contains(OutputMode.Complete()))
      reject("option upsertKeys cannot be used with output mode complete, which replaces all rows")
    sinkOptions
  }

  /** Starts the write of a micro-batch.
    *
    * @param location location of the table or branch
    * @param table latest version of the table
    * @throws InvalidRequestException if options are invalid, or a mode is not supported
    */
  def builder(info: LogicalWriteInfo, location: TableLocation, table: LanceTable): WriteBuilder = {
    val sinkOptions = sinkOptionsOf(info, location)
    if (sinkOptions.upsertKeys.isEmpty) new SinkBuilder(info, location, table, sinkOptions)
    else new UpsertingBuilder(info, location, table, sinkOptions)
  }

  /** Plans a micro-batch in output mode append or complete. Spark rejects output mode update. */
  private class SinkBuilder(
      info: LogicalWriteInfo,
      location: TableLocation,
      table: LanceTable,
      sinkOptions: SinkOptions
  ) extends SupportsTruncate {
    private var mode: WriteMode = WriteMode.Append

    /** Called in output mode complete. */
    override def truncate(): WriteBuilder = {
      mode = WriteMode.Replace
      this
    }

    override def build(): Write = LanceErrors.translated {
      new SinkWrite(new SinkPlan(info, location, table, mode, sinkOptions))
    }
  }

  /** Plans a micro-batch in output mode append or update, which upserts rows in both. */
  final private class UpsertingBuilder(
      info: LogicalWriteInfo,
      location: TableLocation,
      table: LanceTable,
      sinkOptions: SinkOptions
  ) extends SinkBuilder(info, location, table, sinkOptions)
      with SupportsStreamingUpdateAsAppend
}
