// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.StringType

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.DescribeIndexCommand

/** Describes one or all indices, like `DESCRIBE INDEX`. */
private[spark] object IndexStatistics
    extends LanceProcedure(
      "index_statistics",
      "Describes the segments of an index, like the statement DESCRIBE INDEX.",
      LanceProcedure.table,
      LanceProcedure.optional("name", StringType, "name of the index; default: all")
    ) {

  override def command(call: Arguments): TableCommand =
    DescribeIndexCommand(call.table(), call.text("name"))
}
