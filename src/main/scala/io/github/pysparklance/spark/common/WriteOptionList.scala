// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

/** Lists the options of writes. */
private[common] object WriteOptionList extends OptionList {
  protected def use: OptionUse = OptionUse.Write

  val all: Seq[LanceOption] = Seq(
    lasting("fileVersion", "`2.2`", "dataStorageVersion", "fileFormatVersion")(
      "file version of a table that is created or replaced: `0.1` (`legacy`), `2.0`, `2.1`, `2.2` (`stable`), or " +
        "the unstable `2.3` (`next`); an append uses the version of the table"
    ),
    lasting(
      "maxRowsPerFile",
      "`spark.sql.files.maxRecordsPerFile` if set, else 1048576",
      "maxRowPerFile",
      "maxRecordsPerFile"
    )("maximum number of rows of a data file"),
    lasting("maxBytesPerFile", "`90g`", "target-file-size-bytes")(
      "a data file that reaches this size is closed, and a new one begins; sizes take units: `512m`"
    ),
    lasting("writeBufferBytes", "`128m`")(
      "approximate bytes of values that a task buffers over all columns, see [Memory](#memory-of-a-write)"
    ),
    lasting("distributionMode", "`none`")(
      "`hash` or `range`: requests a distribution of the rows from Spark, see [Fewer files](#fewer-files)"
    ),
    lasting("distributionColumns", "the clustering key")(
      "columns of the distribution, separated by commas: `country, address.city`"
    ),
    lasting("distributionPartitions", "chosen by Spark")("number of write tasks"),
    lasting("advisoryPartitionSize", "`512m`")(
      "approximate shuffle bytes per write task if `distributionPartitions` is not set"
    ),
    lasting("orderBy", "")("order of the rows of each task: `country, at DESC NULLS LAST`"),
    lasting("zonemap", "")(
      "columns with zone maps in addition to the clustering key, separated by commas: `at, address.city`; also " +
        "applies to tables with stable row ids, see [Zone maps](tuning.md#zone-maps)"
    ),
    lasting("automaticZoneMaps", "`true`")(
      "writes, and statements that rewrite rows, add the new rows to zone maps"
    ),
    lasting("updateMode", "`auto`", "update.mode")(
      "how `UPDATE` writes: `rows` writes new rows, `columns` new files with the changed columns, `auto` the " +
        "smaller of the two; needs the SQL extension, see [UPDATE](sql.md#update-by-columns)"
    ),
    once("overwriteSchema", "`false`")(
      "mode `overwrite` replaces the columns as well"
    ),
    once("mergeSchema", "`false`")(
      "adds columns and struct fields that the table lacks, see [Columns that differ](#columns-that-differ)"
    ).copy(life = OptionLife.OfSession),
    once("replaceWhere", "")(
      "mode `overwrite` replaces only rows that match this condition; new rows must match it, see " +
        "[Overwriting](#overwriting)"
    ),
    once("partitionOverwriteMode", "`static`", "overwriteMode")(
      "`dynamic`: mode `overwrite` replaces the rows whose clustering key occurs among the new rows"
    ).copy(life = OptionLife.OfSession),
    once("txnAppId", "")(
      "name of the application for idempotent writes with `txnVersion`, see [Writing once](#writing-once)"
    ).copy(life = OptionLife.OfSession),
    once("txnVersion", "")("number of the write; increases with each write").copy(life =
      OptionLife.OfSession
    ),
    once("expectedRows", "")(
      "expected number of rows; a write with another number fails and commits nothing"
    ),
    once("commitMessage", "", "userMetadata")(
      "message of the commit; pylance's `commit_message`"
    )
      .copy(life = OptionLife.OfSession),
    once("transactionProperty", "", "snapshotProperty")(
      "`transactionProperty.<key>` sets the commit property `<key>`; can be repeated"
    ),
    lasting("commitRetries", "20", "commit.retry.num")(
      "maximum number of retries of a commit after a conflict"
    ),
    lasting("targetBases", "")(
      "base paths for the new files, used in turn: names, paths, or ids, separated by commas; `.` is the table's " +
        "own folder"
    ),
    lasting("enableStableRowIds", "`false`")(
      "rows of the new table keep their `_rowid` when an update or a compaction moves them; cannot be changed later"
    ),
    once("upsertKeys", "")(
      "streaming writes: columns that identify rows, separated by commas; each micro-batch updates the rows with " +
        "the same key and inserts the others, see [Upserts](streaming.md#upserts)"
    ),
    once("autoCompact", "")(
      "streaming writes: compacts the small files of the stream after this number of micro-batches, see " +
        "[Small files](streaming.md#small-files)"
    ),
    once("useQueuedWriteBuffer", "")("accepted for compatibility with other connectors; no effect"),
    once("queueDepth", "")("accepted for compatibility with other connectors; no effect")
  )
}
