// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import OptionUse._

/** The options of reads. */
private[common] object ReadOptionList extends OptionList {
  protected def use: OptionUse = Read

  val all: Seq[LanceOption] = Seq(
    once("path", "")("the table's folder: a local path or a URI of any Hadoop file system")
      .copy(uses = Seq(Read, Write)),
    once("version", "newest", "versionAsOf", "asOfVersion")(
      "version of the table to read; the first is 1"
    ),
    once("tag", "")("tag whose version is read"),
    once("branch", "main")(
      "branch to read, its newest version unless `version` is given as well"
    ),
    once("timestampAsOf", "", "asOfTimestamp", "asof")(
      "reads what was there at a time: a date or time as SQL writes it, or milliseconds since 1970"
    ),
    lasting("batchSize", "4096")("rows decoded at a time, at most"),
    lasting("splitSize", "`spark.sql.files.maxPartitionBytes`", "split.target-size")(
      "bytes of the columns asked for that one task reads, about; sizes take units: `64m`"
    ),
    lasting(
      "minPartitionNum",
      "`spark.sql.files.minPartitionNum`, else as many as tasks can run at once"
    )(
      "tasks that a scan is cut into, about, where `splitSize` alone would make fewer; fragments of less than " +
        "`spark.sql.files.openCostInBytes` stay whole"
    ),
    lasting("prefetchBytes", "`32m`", "ioBufferSize")(
      "bytes that a task holds or asks for ahead of what it decodes, about"
    ),
    lasting("windowBytes", "`1m`")(
      "bytes of one column asked for at a time, at most; at least 32 KiB"
    ),
    lasting("maxGapBytes", "`4k` for local files, `128k` elsewhere")(
      "gaps up to this between wanted bytes are read along, rather than two requests made"
    ),
    lasting("maxFragmentsPerTask", "")("fragments one task reads, at most"),
    once("includeDeletedRows", "`false`")(
      "reads deleted rows as well, as long as their fragments are there; `_deleted` tells them"
    ),
    lasting("pushDownFilters", "`true`")(
      "conditions on values are evaluated while rows are read, see " +
        "[What a scan takes over](#what-a-scan-takes-over)"
    ),
    lasting("pushDownAggregates", "`true`")(
      "tasks count rows, and compute min/max and distinct aggregates"
    ),
    lasting("pushDownDistinct", "`true`")(
      "scans of one column drop duplicates that the query ignores: below `EXISTS`, `IN`, semi and anti joins, " +
        "and `DISTINCT`; needs the SQL extension"
    ),
    lasting("pushDownTopN", "`true`")("tasks find the first rows of an order"),
    lasting("useScalarIndex", "`true`")(
      "conditions on indexed columns are answered from the index, so that only rows which may fulfil them are read"
    ),
    once("fastSearch", "`false`")(
      "reads only fragments that the indices for the conditions cover, as `fast_search` of pylance: rows that were added " +
        "since are not found. Without such an index, all fragments are read"
    ),
    lasting("embeddingsAsRows", "`true`")(
      "scans of embeddings return rows, which Spark reads faster; `false` returns columnar batches, for engines that " +
        "read these"
    ),
    once("blobMode", "`content`", "blobHandling")(
      "what a blob column holds: `content`, `descriptor` or `size`, see [Types](types.md)"
    ).copy(uses = Seq(Read, Catalog)),
    once("allowedBlobUris", "the scheme and authority of the table, and its base paths")(
      "further places that external blobs may be fetched from, separated by commas: `s3://media/photos`"
    ).copy(uses = Seq(Read, Catalog), life = OptionLife.OfReader),
    once("nativeTimeTypes", "`false`")(
      "times as `TIME` and durations as `INTERVAL DAY TO SECOND` instead of `BIGINT`"
    ).copy(uses = Seq(Read, Catalog))
  )
}
