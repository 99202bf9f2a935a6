// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{BooleanType, DoubleType, LongType}

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.OptimizeIndexCommand

/** Optimizes indices, like `OPTIMIZE INDEX`. */
private[spark] object OptimizeIndices
    extends LanceProcedure(
      "optimize_indices",
      "Indexes new rows and merges segments, like the statement OPTIMIZE INDEX.",
      LanceProcedure.table,
      LanceProcedure.optional(
        "index_names",
        LanceProcedure.texts,
        "names of the indices; default: all"
      ),
      LanceProcedure.optional(
        "num_indices_to_merge",
        LongType,
        "number of latest segments that are merged with the new rows; default: all"
      ),
      LanceProcedure.optional("retrain", BooleanType, "indexes all rows again"),
      LanceProcedure.optional(
        "retrain_factor",
        DoubleType,
        "trains a vector index again if its vectors are this many times as far from their centroids " +
          "as at the last training; without `index_names`, other indices ignore it"
      ),
      LanceProcedure.optional("rows_per_range", LongType, "rows per range of a `BTREE` index")
    ) {

  override def command(call: Arguments): TableCommand = {
    val names = call.texts("index_names")
    OptimizeIndexCommand(
      call.table(),
      if (names.isEmpty) None else Some(names),
      call.others("table", "index_names")
    )
  }
}
