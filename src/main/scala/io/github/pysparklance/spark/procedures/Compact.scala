// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types._

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.OptimizeCommand

/** Compacts a table, like `OPTIMIZE`, with pylance's option names. */
private[spark] object Compact
    extends LanceProcedure(
      "compact",
      "Compacts small fragments and removes deleted rows, or sorts the rows, like the statement OPTIMIZE.",
      LanceProcedure.table,
      LanceProcedure.optional(
        "where",
        StringType,
        "condition; only fragments with a matching row are rewritten"
      ),
      LanceProcedure.optional("zorder_by", LanceProcedure.texts, "columns of the Z-order curve"),
      LanceProcedure.optional(
        "target_rows_per_fragment",
        LongType,
        "fragments with fewer rows are merged with their neighbors"
      ),
      LanceProcedure.optional("max_bytes_per_file", LongType, "approximate size of a new file"),
      LanceProcedure.optional(
        "materialize_deletions",
        BooleanType,
        "whether fragments with many deleted rows are rewritten without them"
      ),
      LanceProcedure.optional(
        "materialize_deletions_threshold",
        DoubleType,
        "fraction of deleted rows above which a fragment is rewritten"
      ),
      LanceProcedure.optional("batch_size", LongType, "rows of a batch"),
      LanceProcedure.optional(
        "defer_index_remap",
        BooleanType,
        "whether indices are remapped later, from a record of the moved rows"
      ),
      LanceProcedure.optional(
        "compaction_mode",
        StringType,
        "`reencode`, `try_binary_copy`, or `force_binary_copy`"
      ),
      LanceProcedure.optional(
        "max_source_fragments",
        LongType,
        "maximum number of fragments to rewrite"
      ),
      LanceProcedure.optional("max_source_rows", LongType, "maximum number of rows to rewrite"),
      LanceProcedure.optional("max_source_bytes", LongType, "maximum number of bytes to rewrite"),
      LanceProcedure.optional("data_storage_version", StringType, "file version of the new files"),
      LanceProcedure.optional(
        "fragment_ids",
        ArrayType(LongType),
        "ids of the fragments to consider; default: all"
      ),
      LanceProcedure.optional(
        "excluded_fragment_ids",
        ArrayType(LongType),
        "ids of fragments to skip"
      ),
      LanceProcedure.optional(
        "partial_commits",
        LongType,
        "maximum number of commits; with more than one, earlier commits remain if a later part fails"
      ),
      LanceProcedure.optional(
        "max_rows_per_group",
        LongType,
        "validated, but has no effect"
      ),
      LanceProcedure.optional(
        "binary_copy_read_batch_bytes",
        LongType,
        "validated, but has no effect"
      ),
      LanceProcedure.optional(
        "num_threads",
        LongType,
        "validated, but has no effect: Spark decides"
      )
    ) {

  override def command(call: Arguments): TableCommand = OptimizeCommand(
    call.table(),
    call.text("where"),
    call.texts("zorder_by"),
    call.others("table", "where", "zorder_by")
  )
}
