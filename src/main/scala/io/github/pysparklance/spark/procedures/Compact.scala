// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types._

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.OptimizeCommand

/** As the statement `OPTIMIZE`, with pylance's names. */
private[spark] object Compact
    extends LanceProcedure(
      "compact",
      "Puts small fragments together and leaves out deleted rows, or sorts, as the statement OPTIMIZE does.",
      LanceProcedure.table,
      LanceProcedure.optional(
        "where",
        StringType,
        "a condition: only fragments that have a row for which it holds are rewritten"
      ),
      LanceProcedure.optional("zorder_by", LanceProcedure.texts, "columns to sort by"),
      LanceProcedure.optional(
        "target_rows_per_fragment",
        LongType,
        "fragments with fewer rows are put together with their neighbours"
      ),
      LanceProcedure.optional("max_bytes_per_file", LongType, "bytes of a new file, about"),
      LanceProcedure.optional(
        "materialize_deletions",
        BooleanType,
        "whether fragments with many deleted rows are written anew without them"
      ),
      LanceProcedure.optional(
        "materialize_deletions_threshold",
        DoubleType,
        "many: a larger part of the rows than this"
      ),
      LanceProcedure.optional("batch_size", LongType, "rows read at a time"),
      LanceProcedure.optional(
        "defer_index_remap",
        BooleanType,
        "whether indices follow later, by a record of what moved where"
      ),
      LanceProcedure.optional(
        "compaction_mode",
        StringType,
        "`reencode`, `try_binary_copy` or `force_binary_copy`"
      ),
      LanceProcedure.optional("max_source_fragments", LongType, "fragments rewritten at most"),
      LanceProcedure.optional("max_source_rows", LongType, "rows rewritten at most"),
      LanceProcedure.optional("max_source_bytes", LongType, "bytes rewritten at most"),
      LanceProcedure.optional("data_storage_version", StringType, "version of the new files"),
      LanceProcedure.optional(
        "fragment_ids",
        ArrayType(LongType),
        "ids of the fragments that may be rewritten; all if none are given"
      ),
      LanceProcedure.optional(
        "excluded_fragment_ids",
        ArrayType(LongType),
        "ids of fragments that stay as they are"
      ),
      LanceProcedure.optional(
        "partial_commits",
        LongType,
        "commits at most: with more than one, what is done stays done when a later part fails"
      ),
      LanceProcedure.optional(
        "max_rows_per_group",
        LongType,
        "for files of version 0.1; checked only"
      ),
      LanceProcedure.optional("binary_copy_read_batch_bytes", LongType, "checked only"),
      LanceProcedure.optional("num_threads", LongType, "checked only: Spark decides")
    ) {

  override def command(call: Arguments): TableCommand = OptimizeCommand(
    call.table(),
    call.text("where"),
    call.texts("zorder_by"),
    call.others("table", "where", "zorder_by")
  )
}
