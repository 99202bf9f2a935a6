// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

/** The options of writes. */
private[common] object WriteOptionList extends OptionList {
  protected def use: OptionUse = OptionUse.Write

  val all: Seq[LanceOption] = Seq(
    lasting("fileVersion", "`2.2`", "dataStorageVersion", "fileFormatVersion")(
      "file version of a table that is made or replaced: `2.0`, `2.1`, `2.2` (`stable`), the old `0.1` (`legacy`) or the " +
        "unfinished `2.3` (`next`); an append keeps that of the table"
    ),
    lasting(
      "maxRowsPerFile",
      "`spark.sql.files.maxRecordsPerFile` if set, else 1048576",
      "maxRowPerFile",
      "maxRecordsPerFile"
    )("rows of a data file, at most"),
    lasting("maxBytesPerFile", "`90g`", "target-file-size-bytes")(
      "a data file that has grown to this is followed by another; sizes take units: `512m`"
    ),
    lasting("writeBufferBytes", "`128m`")(
      "values that a task gathers over all columns before it encodes them, about, see [Memory](#memory-of-a-write)"
    ),
    lasting("distributionMode", "`none`")(
      "`hash`, `range`: asks Spark for another distribution of the rows, see [Fewer files](#fewer-files)"
    ),
    lasting("distributionColumns", "the clustering key")(
      "columns that decide on it, separated by commas: `country, address.city`"
    ),
    lasting("distributionPartitions", "left to Spark")("number of writing tasks"),
    lasting("advisoryPartitionSize", "`512m`")(
      "bytes of the shuffle that one task gets, about, where `distributionPartitions` is not set"
    ),
    lasting("orderBy", "")("order of the rows of each task: `country, at DESC NULLS LAST`"),
    lasting("zonemap", "")(
      "columns that get zone maps besides those of the clustering key, separated by commas: `at, address.city`; also in " +
        "tables with stable row ids, see [Zone maps](tuning.md#zone-maps)"
    ),
    lasting("automaticZoneMaps", "`true`")(
      "whether writes, and statements that write rows again, add the new rows to zone maps"
    ),
    lasting("updateMode", "`auto`", "update.mode")(
      "how UPDATE writes: `rows`, new rows in the place of the old ones; `columns`, new files for the columns that change; " +
        "`auto`, whichever is less to write; takes the SQL extension, see [UPDATE](sql.md#update-by-columns)"
    ),
    once("overwriteSchema", "`false`")(
      "lets mode `overwrite` replace the columns as well as the rows"
    ),
    once("mergeSchema", "`false`")(
      "adds columns, and members of structs, that the rows have and the table lacks, see " +
        "[Columns that differ](#columns-that-differ)"
    ).copy(life = OptionLife.OfSession),
    once("replaceWhere", "")(
      "lets mode `overwrite` replace only the rows for which this condition is true; new rows must fulfil it, see " +
        "[Overwriting](#overwriting)"
    ),
    once("partitionOverwriteMode", "`static`", "overwriteMode")(
      "`dynamic`: mode `overwrite` replaces the rows whose clustering key some new row has"
    ).copy(life = OptionLife.OfSession),
    once("txnAppId", "")(
      "name of an application whose writes are numbered by `txnVersion`, so that each happens once, see " +
        "[Writing once](#writing-once)"
    ).copy(life = OptionLife.OfSession),
    once("txnVersion", "")("number of the write, rising with each").copy(life =
      OptionLife.OfSession
    ),
    once("expectedRows", "")(
      "number of rows that the write must have; a write with another number fails and commits nothing"
    ),
    once("commitMessage", "", "userMetadata")(
      "kept with the version, where pylance has its `commit_message`"
    )
      .copy(life = OptionLife.OfSession),
    once("transactionProperty", "", "snapshotProperty")(
      "`transactionProperty.<key>`: a note kept with the version, as many as one likes"
    ),
    lasting("commitRetries", "20", "commit.retry.num")(
      "how often a commit is tried again that lost against other writers"
    ),
    lasting("targetBases", "")(
      "base paths of the table that get the new files in turn, by name, path or number, separated by commas; `.` is the " +
        "table's own folder"
    ),
    lasting("enableStableRowIds", "`false`")(
      "rows of a table that is made keep their `_rowid` when an update or a compaction moves them; for ever"
    ),
    once("useQueuedWriteBuffer", "")("taken for the sake of other connectors, without effect"),
    once("queueDepth", "")("taken for the sake of other connectors, without effect")
  )
}
