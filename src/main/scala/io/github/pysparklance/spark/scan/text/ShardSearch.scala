// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.text

import io.github.pysparklance.index.text.{ShardResult, TextIndices, TextShards}
import io.github.pysparklance.spark.common.SharedValue
import io.github.pysparklance.table.TableHandle

/** Searches partitions of full-text indices in the process of a task. All tasks of a process share
  * it.
  */
final private[text] class ShardSearch(handle: TableHandle, shards: TextShards)
    extends Serializable {

  // Safe for use from all tasks.
  @transient private lazy val indices = new TextIndices(handle.table)

  /** @param shard number of the partition */
  def apply(shard: Int): ShardResult = shards.search(indices, shard)
}

private[text] object ShardSearch {

  /** The work of tasks. It does not keep the search, which stays on the driver. */
  def work(search: SharedValue[ShardSearch]): Integer => ShardResult =
    shard => search.value(shard)
}
