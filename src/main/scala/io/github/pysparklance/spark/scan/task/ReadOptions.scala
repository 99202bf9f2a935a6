// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.file.scheduling.ReadBudget
import io.github.pysparklance.spark.common.{LanceOptions, OptionUse}
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.table.blob.AllowedUris

/** The options of a read, fixed when the scan is planned.
  *
  * @param batchRows option `batchSize`: maximum rows per batch
  * @param maxSplitBytes `spark.sql.files.maxPartitionBytes`: approximate bytes of projected columns
  *   per task
  * @param openCostBytes `spark.sql.files.openCostInBytes`: cost of an additional fragment in a
  *   task, in bytes
  * @param minSplits minimum number of tasks, if possible
  * @param budget options `prefetchBytes`, `windowBytes`, and `maxGapBytes`: read-ahead and sizes of
  *   reads
  * @param types type options with which the table was loaded
  * @param maxFragmentsPerTask option `maxFragmentsPerTask`: maximum fragments per task
  * @param includesDeleted option `includeDeletedRows`: whether to return deleted rows
  * @param pushFilters option `pushDownFilters`: whether tasks evaluate conditions on values
  * @param pushAggregates option `pushDownAggregates`: whether tasks count rows, and compute min/max
  *   aggregates
  * @param pushDistinct option `pushDownDistinct`: whether scans drop duplicates that the query
  *   ignores
  * @param blobUris option `allowedBlobUris`: locations of external blobs, in addition to the
  *   storage of the table
  * @param pushTopRows option `pushDownTopN`: whether tasks find the first rows of an order
  * @param useScalarIndex option `useScalarIndex`: whether filters use indices
  * @param fastSearch option `fastSearch`: whether to skip fragments that the indices of the filter
  *   do not cover
  * @param embeddingsAsRows option `embeddingsAsRows`: whether scans of embeddings return rows
  *   instead of batches
  */
final case class ReadOptions(
    batchRows: Int,
    maxSplitBytes: Long,
    openCostBytes: Long,
    minSplits: Int,
    budget: ReadBudget = ReadBudget.default,
    types: TypeOptions = TypeOptions.default,
    maxFragmentsPerTask: Int = Int.MaxValue,
    includesDeleted: Boolean = false,
    pushFilters: Boolean = true,
    pushAggregates: Boolean = true,
    pushDistinct: Boolean = true,
    pushTopRows: Boolean = true,
    useScalarIndex: Boolean = true,
    fastSearch: Boolean = false,
    embeddingsAsRows: Boolean = true,
    blobUris: AllowedUris = AllowedUris.none
)

/** Parses read options. */
object ReadOptions {

  /** Default rows per batch: large enough to amortize calls, small enough for the processor cache.
    */
  val DefaultBatchRows: Int = 4096

  /** @param read read options with their defaults
    * @param types type options with which the table was loaded
    * @param parallelism number of tasks that can run concurrently
    */
  def apply(
      read: LanceOptions,
      conf: SQLConf,
      types: TypeOptions,
      parallelism: => Int
  ): ReadOptions = {
    read.checkNames(OptionUse.Read)
    TypeOptions.checkScan(read, types)
    ReadOptions(
      read.long(1, "batchSize").fold(DefaultBatchRows)(math.min(_, 1L << 20).toInt),
      read.bytes(1, "splitSize").getOrElse(math.max(1L, conf.filesMaxPartitionBytes)),
      math.max(0L, conf.filesOpenCostInBytes),
      read
        .long(1, "minPartitionNum")
        .map(math.min(_, 1L << 20).toInt)
        .orElse(conf.filesMinPartitionNum)
        .orElse(conf.getConf(SQLConf.LEAF_NODE_DEFAULT_PARALLELISM))
        .getOrElse(parallelism),
      budget(read),
      types,
      read.long(1, "maxFragmentsPerTask").fold(Int.MaxValue)(math.min(_, Int.MaxValue).toInt),
      read.boolean("includeDeletedRows").getOrElse(false),
      read.boolean("pushDownFilters").getOrElse(true),
      read.boolean("pushDownAggregates").getOrElse(true),
      read.boolean("pushDownDistinct").getOrElse(true),
      read.boolean("pushDownTopN").getOrElse(true),
      read.boolean("useScalarIndex").getOrElse(true),
      read.boolean("fastSearch").getOrElse(false),
      read.boolean("embeddingsAsRows").getOrElse(true),
      read.text(AllowedUris.Option).fold(AllowedUris.none)(AllowedUris.parse)
    )
  }

  private def budget(read: LanceOptions): ReadBudget = ReadBudget(
    read.bytes(1, "prefetchBytes").getOrElse(ReadBudget.default.totalBytes),
    read.bytes(1, "windowBytes").getOrElse(ReadBudget.default.maxWindowBytes),
    read.bytes(0, "maxGapBytes")
  )
}
