// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.util

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{
  MetadataColumn,
  SupportsMetadataColumns,
  SupportsRead,
  TableCapability
}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.{Batch, ScanBuilder}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.Field
import io.github.pysparklance.spark.common.{
  ChangeFeedOptions,
  LanceErrors,
  LanceOptions,
  LocatedTable,
  OptionUse,
  TableLocation
}
import io.github.pysparklance.spark.scan.ScanStreams
import io.github.pysparklance.spark.scan.changes.ChangeTable
import io.github.pysparklance.spark.scan.task.{ReadOptions, ReadTask}
import io.github.pysparklance.spark.types.{MetadataFields, TypeOptions}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.ChangeColumn

/** The change feed of a table as a stream: the columns of the table and of the change feed, and
  * metadata columns on request.
  *
  * @param name name of the table in messages
  * @param home location of the table, also for a branch
  * @param table the version with the columns
  * @param types Spark types of the columns
  * @param streams creates the streams of the table
  */
final private[spark] class ChangeStreamTable(
    override val name: String,
    home: TableLocation,
    table: LanceTable,
    types: TypeOptions,
    streams: CaseInsensitiveStringMap => ScanStreams
) extends SupportsRead
    with SupportsMetadataColumns
    with LocatedTable {
  private val fields: IndexedSeq[Field] =
    LanceErrors.translated(ChangeTable.fields(table, types))

  override private[spark] def homePath: String = home.path

  override def schema(): StructType = ChangeTable.schema(fields, types)

  override def capabilities(): util.Set[TableCapability] =
    util.EnumSet.of(TableCapability.BATCH_READ, TableCapability.MICRO_BATCH_READ)

  override def metadataColumns(): Array[MetadataColumn] = MetadataFields.ofChanges

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    LanceErrors.translated {
      val set = LanceOptions(OptionUse.Read, options, table.manifest.config, home.options)
      val parallelism = SparkSession.active.sparkContext.defaultParallelism
      val read = ReadOptions(set, SQLConf.get, types, parallelism)
      val task =
        ReadTask(fields, ChangeColumn.all, None, None, None, None, isDistinct = false, read)
      val builder: ScanBuilder = () => new ChangeStreamScan(name, task, streams(options))
      builder
    }

  override def toString: String = name
}

/** Creates the stream of a change feed. Batch queries read a [[ChangeTable]] instead. */
final private class ChangeStreamScan(name: String, read: ReadTask, streams: ScanStreams)
    extends StreamScan(name, read) {

  override def toBatch: Batch = LanceErrors.translated {
    streams.checkBatch()
    throw ChangeFeedOptions.withoutStart
  }

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream =
    LanceErrors.translated(streams.stream(read, checkpointLocation))
}
