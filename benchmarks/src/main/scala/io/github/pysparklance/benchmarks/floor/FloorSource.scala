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

/** The floor of every scan: Spark's own cost of a query if reading is free.
  *
  * {{{
  *   spark.read.format("io.github.pysparklance.benchmarks.floor.FloorSource")
  *     .option("source", path).option("format", "parquet").load()
  * }}}
  *
  * The first scan of a column reads it from the source into vectors that stay in memory. Later
  * scans return these vectors in batches of 4,096 rows, with the number of partitions of a scan of
  * the source. They do not access the source, so changes are not visible. Columns are pruned; Spark
  * evaluates filters. For `local[*]` only.
  *
  * | option | meaning |
  * |---|---|
  * | `source`, `format` | path and format of the source; default format `parquet` |
  * | `where` | condition for the rows of the source, such as the condition of a lookup |
  * | `repeat` | `true`: repeats a few cached batches up to the number of rows; '''results differ from the source''' |
  * | `batches` | number of cached batches of each partition with `repeat`; default 64 |
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

  /** Releases the memory of all cached batches. */
  def clear(): Unit = FloorData.clear()

  /** Number of cached batches of all sources. */
  def numBatchesKept: Int = FloorData.numBatchesKept
}

/** References its data by key, because views keep their tables, and would keep the batches as well.
  */
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

/** @param columns the requested top-level columns */
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

  /** The estimate of Spark for a scan of files, so that joins have the same plans. */
  override def estimateStatistics(): Statistics = new Statistics {
    override def sizeInBytes(): util.OptionalLong =
      util.OptionalLong.of(FloorData.of(key).estimatedBytes(columns))
    override def numRows(): util.OptionalLong = util.OptionalLong.empty()
  }
}
