// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.floor

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{
  SupportsRead,
  Table,
  TableCapability,
  TableProvider
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** The floor under every scan: what Spark itself takes for a query when reading costs nothing.
  *
  * {{{
  *   spark.read.format("io.github.pysparklance.benchmarks.floor.FloorSource")
  *     .option("source", path).option("format", "parquet").load()
  * }}}
  *
  * The first scan of a column reads it from the source into vectors that stay in memory; later scans hand those to
  * Spark again, in batches of 4,096 rows and in as many partitions as a scan of the source has. The source may be
  * gone by then, and a change of it is not seen. Columns are pruned, filters are left to Spark. For `local[*]` only.
  *
  * | option | meaning |
  * |---|---|
  * | `source`, `format` | what to read first, and as what: `parquet` unless told |
  * | `where` | which rows of the source are kept: of a look-up those that it finds |
  * | `repeat` | `true`: keeps a few batches and hands them out again until the number of rows is reached, so that wide tables fit; '''answers differ from the source's''' |
  * | `batches` | how many batches it keeps then of each partition of the source: 64 unless told |
  */
final class FloorSource extends TableProvider {

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    FloorData.of(options).schema

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = {
    val data = FloorData.of(new CaseInsensitiveStringMap(properties))
    new FloorTable(data.key, data.schema)
  }
}

object FloorSource {

  /** Gives the memory of all kept batches back. */
  def clear(): Unit = FloorData.clear()

  /** How many batches are kept, of all sources. */
  def numBatchesKept: Int = FloorData.numBatchesKept
}

/** Knows its data by their key: views keep their tables for ever, and are not to keep the batches. */
final private class FloorTable(key: FloorKey, override val schema: StructType)
    extends Table
    with SupportsRead {
  override def name(): String = s"floor of ${key.source}"
  override def capabilities(): util.Set[TableCapability] = Set(TableCapability.BATCH_READ).asJava
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new FloorScanBuilder(key, schema)
}

final private class FloorScanBuilder(key: FloorKey, schema: StructType)
    extends ScanBuilder
    with SupportsPushDownRequiredColumns {
  private var columns = schema

  override def pruneColumns(required: StructType): Unit =
    columns = StructType(required.fieldNames.map(schema(_)))

  override def build(): Scan = FloorScan(key, columns)
}

/** @param columns those that Spark asks for, whole */
final private case class FloorScan(key: FloorKey, columns: StructType)
    extends Scan
    with Batch
    with SupportsReportStatistics {

  override def readSchema(): StructType = columns
  override def description(): String = s"floor ${key.source} ${columns.simpleString}"
  override def toBatch: Batch = this
  override def columnarSupportMode(): Scan.ColumnarSupportMode = Scan.ColumnarSupportMode.SUPPORTED

  override def planInputPartitions(): Array[InputPartition] = {
    val data = FloorData.of(key)
    data.load(columns)
    Array.tabulate(data.numPartitions)(FloorPartition(key, columns, _))
  }

  override def createReaderFactory(): PartitionReaderFactory = FloorReaderFactory

  /** As Spark estimates a scan of files, so that joins come out the same. */
  override def estimateStatistics(): Statistics = new Statistics {
    override def sizeInBytes(): util.OptionalLong =
      util.OptionalLong.of(FloorData.of(key).estimatedBytes(columns))
    override def numRows(): util.OptionalLong = util.OptionalLong.empty()
  }
}
