// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.file.scheduling.ReadBudget
import io.github.pysparklance.spark.common.{LanceOptions, OptionUse}
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.table.blob.AllowedUris

/** How a table is read; decided once, when the scan is planned.
  *
  * @param batchRows option `batchSize`: rows decoded at a time, at most
  * @param maxSplitBytes `spark.sql.files.maxPartitionBytes`: bytes of projected columns a task reads, about
  * @param openCostBytes `spark.sql.files.openCostInBytes`: what one more fragment costs a task
  * @param minSplits tasks a scan should have at least
  * @param budget options `prefetchBytes`, `windowBytes` and `maxGapBytes`: how much is read ahead, and in what pieces
  * @param types those that the table was loaded with
  * @param maxFragmentsPerTask option of that name: fragments one task reads, at most
  * @param includesDeleted option `includeDeletedRows`: whether deleted rows are answered, too
  * @param pushFilters option `pushDownFilters`: whether conditions on values are evaluated while rows are read
  * @param pushAggregates option `pushDownAggregates`: whether tasks count rows and find the least and greatest values
  * @param pushDistinct option `pushDownDistinct`: whether scans drop duplicates that the query ignores
  * @param blobUris option `allowedBlobUris`: where external blobs may be fetched from besides the table's own storage
  * @param pushTopRows option `pushDownTopN`: whether tasks find the first rows of an order
  * @param useScalarIndex option of that name: whether indices find the rows that conditions on values leave
  * @param fastSearch option of that name: whether fragments are left out that the indices for the filter do not cover
  * @param embeddingsAsRows option of that name: whether scans of embeddings return rows rather than batches
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

object ReadOptions {

  /** Rows of a batch: enough to spread the cost of a call, few enough to stay in the processor's cache. */
  val DefaultBatchRows: Int = 4096

  /** @param read with what stands in for options that were not given
    * @param types those that the table was loaded with
    * @param parallelism tasks that can run at a time
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
