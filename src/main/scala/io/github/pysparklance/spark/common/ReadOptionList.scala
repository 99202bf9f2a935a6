// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import OptionUse._

/** Lists the options of reads. */
private[common] object ReadOptionList extends OptionList {
  protected def use: OptionUse = Read

  val all: Seq[LanceOption] = Seq(
    once("path", "")("folder of the table: a local path or a URI of any Hadoop file system")
      .copy(uses = Seq(Read, Write)),
    once("version", "latest", "versionAsOf", "asOfVersion")(
      "version of the table to read; the first version is 1"
    ),
    once("tag", "")("tag to read"),
    once("branch", "main")(
      "branch to read; its latest version, unless `version` is set as well"
    ),
    once("timestampAsOf", "", "asOfTimestamp", "asof")(
      "reads the version that was current at this time: a SQL date or timestamp, or milliseconds since 1970"
    ),
    once("readChangeFeed", "`false`", "readChangeData")(
      "reads the changes of the rows instead of the rows, see [Change feed](changes.md)"
    ),
    once("startingVersion", "")(
      "first version whose changes are read; needs `readChangeFeed`. In streams, the first version whose commit is " +
        "read, also without `readChangeFeed`; or `latest` for commits after the start of the query, or `earliest`"
    ),
    once("startingTimestamp", "")(
      "the same by the time of the commit: versions of that time and later ones; written as `timestampAsOf`"
    ),
    once("endingVersion", "the version that is read")("last version whose changes are read"),
    once("endingTimestamp", "")(
      "the same by the time of the commit: versions of that time and earlier ones"
    ),
    once("netChanges", "`false`")("collapses the changes of a row to one"),
    once("identifierColumns", "stable row ids, else the primary key")(
      "columns that identify rows in a change feed, separated by commas"
    ),
    once("maxRowsPerTrigger", "")(
      "streams: maximum number of rows of a micro-batch, see [Streaming](streaming.md). Fragments are not split"
    ),
    once("maxBytesPerTrigger", "")(
      "streams: the same by the size of data files; sizes take units: `64m`"
    ),
    once("maxFragmentsPerTrigger", "", "maxFilesPerTrigger")(
      "streams: the same by the number of fragments"
    ),
    once("ignoreDeletes", "`false`")("streams: skips commits that only delete rows"),
    once("ignoreChanges", "`false`")(
      "streams: reads the rows that updates and overwrites write, and ignores the rows that they remove"
    ),
    once("skipChangeCommits", "`false`")("streams: skips commits that delete or change rows"),
    once("failOnDataLoss", "`true`")(
      "streams: fails if versions were cleaned up before they were read; `false` continues with the versions that exist"
    ),
    once("keepUnreadVersions", "`false`")(
      "streams: a tag named after the query keeps versions that it has not read from clean-up"
    ),
    lasting("batchSize", "4096")("maximum number of rows of a decoded batch"),
    lasting("splitSize", "`spark.sql.files.maxPartitionBytes`", "split.target-size")(
      "approximate bytes of the selected columns that a task reads; sizes take units: `64m`"
    ),
    lasting(
      "minPartitionNum",
      "`spark.sql.files.minPartitionNum`, otherwise the number of tasks that can run in parallel"
    )(
      "approximate minimum number of tasks of a scan; fragments smaller than `spark.sql.files.openCostInBytes` are " +
        "not split"
    ),
    lasting("prefetchBytes", "`32m`", "ioBufferSize")(
      "approximate read-ahead of a task: bytes that are requested or held, but not yet decoded"
    ),
    lasting("windowBytes", "`1m`")(
      "maximum bytes of one column per request; at least 32 KiB"
    ),
    lasting("maxGapBytes", "`4k` for local files, `128k` elsewhere")(
      "ranges with a gap of at most this many bytes are read in one request"
    ),
    lasting("maxFragmentsPerTask", "")("maximum number of fragments that a task reads"),
    once("includeDeletedRows", "`false`")(
      "also reads deleted rows, as long as their fragments exist; `_deleted` is true for them"
    ),
    lasting("pushDownFilters", "`true`")(
      "evaluates filters in the scan, see [Push-down](#push-down)"
    ),
    lasting("pushDownAggregates", "`true`")(
      "tasks compute counts, and min/max and distinct aggregates"
    ),
    lasting("pushDownDistinct", "`true`")(
      "single-column scans drop duplicates that the query ignores: below `EXISTS`, `IN`, semi and anti joins, and " +
        "`DISTINCT`; needs the SQL extension"
    ),
    lasting("pushDownTopN", "`true`")("tasks return only the first rows of `ORDER BY … LIMIT`"),
    lasting("useScalarIndex", "`true`")(
      "filters on indexed columns use the index, so that only rows that may match are read"
    ),
    once("fastSearch", "`false`")(
      "reads only fragments that the indices of the filter cover, like `fast_search` of pylance: rows added since " +
        "are not found. Without such an index, all fragments are read"
    ),
    once("nearest", "")(
      "reads the rows whose vectors are nearest to a query vector: a JSON object with the arguments of a search, see " +
        "[Search](search.md#reader-option); for reads by path"
    ),
    once("fullTextQuery", "")(
      "reads the rows whose text matches a query best: words, a query in JSON, or a JSON object with the " +
        "arguments of a search, see [Search](search.md#queries-in-json-and-as-an-option); for reads by path"
    ),
    lasting("embeddingsAsRows", "`true`")(
      "scans of embeddings return rows, which Spark reads faster; `false` returns columnar batches, for engines that " +
        "read these"
    ),
    once("blobMode", "`content`", "blobHandling")(
      "value of a blob column: `content`, `descriptor`, or `size`, see [Types](types.md)"
    ).copy(uses = Seq(Read, Catalog)),
    once("allowedBlobUris", "the scheme and authority of the table, and its base paths")(
      "additional locations of external blobs, separated by commas: `s3://media/photos`"
    ).copy(uses = Seq(Read, Catalog), life = OptionLife.OfReader),
    once("nativeTimeTypes", "`false`")(
      "reads times as `TIME` and durations as `INTERVAL DAY TO SECOND` instead of `BIGINT`"
    ).copy(uses = Seq(Read, Catalog))
  )
}
